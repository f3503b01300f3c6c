// A dialogue that a person types, analysed turn by turn.

import { Problem, call } from "./api.js";
import { isDesired, nameOf } from "./behaviors.js";
import { DialogueError, parseDialogue } from "./dialogue.js";
import { byId } from "./dom.js";
import { turnView } from "./turn_view.js";

const MOST = 64; // items of a request
const EXAMPLE = `user: Hi, I am looking for a quiet hotel near the harbour.
bot: The Anchor House is by the harbour. It has no restaurant. Shall I book a room?
user: We will be three, and my mother cannot climb stairs.
bot: All rooms of the Anchor House are on the ground floor. For which night?
user: Friday. It would be lovely if we could have dinner there too.
bot: The restaurant of the Anchor House opens at six. For which night shall I book?`;

export function startPlayground() {
  const input = byId("dialogue");
  const form = byId("dialogue-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    analyse(input);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  byId("example").addEventListener("click", () => {
    input.value = EXAMPLE;
    form.requestSubmit();
  });
  byId("clear").addEventListener("click", () => {
    input.value = "";
    tell("");
    byId("results").hidden = true;
    input.focus();
  });
  byId("turns").addEventListener("click", followLink);
}

let running = null;

async function analyse(input) {
  running?.abort();
  const mine = (running = new AbortController());
  let turns;
  try {
    turns = parseDialogue(input.value);
  } catch (error) {
    if (!(error instanceof DialogueError)) throw error;
    byId("analyse").removeAttribute("aria-busy");
    fail(input, error.message);
    return;
  }
  fail(null, "");
  byId("analyse").setAttribute("aria-busy", "true");
  tell("Analysing…");
  try {
    const [analyses, reports] = await Promise.all([analysed(turns, mine.signal), scored(turns, mine.signal)]);
    show(turns, analyses, reports);
    tell(summary(turns, analyses, reports));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    tell("");
    fail(input, error.message);
  } finally {
    if (running === mine) byId("analyse").removeAttribute("aria-busy");
  }
}

async function analysed(turns, signal) {
  const places = lastPlaces(turns, "user");
  const items = places.map((place) => ({ turns: turns.slice(0, place + 1) }));
  return items.length ? byPlace(places, (await call("v1/turns", { body: { items }, signal })).items) : new Map();
}

async function scored(turns, signal) {
  const places = lastPlaces(turns, "bot");
  const last = turns.length - 1; // a judge, where one is set, costs: it is asked about the last turn only
  const items = places.map((place) => ({ turns: turns.slice(0, place + 1), counted: false, judged: place === last }));
  if (!items.length) return new Map();
  try {
    return byPlace(places, (await call("v1/responses", { body: { items }, signal })).items);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 501) throw error;
    return byPlace(places, places.map(() => ({ problem: "Not scored: no monitor is loaded here.", shown: [], evidence: {} })));
  }
}

function lastPlaces(turns, speaker) {
  return turns.flatMap((turn, place) => (turn.speaker === speaker ? [place] : [])).slice(-MOST);
}

function byPlace(places, rows) {
  return new Map(places.map((place, index) => [place, rows[index]]));
}

function show(turns, analyses, reports) {
  const clashes = turns.map(() => []);
  for (const [from, report] of reports) {
    for (const label of report.shown) {
      if (report.evidence[label]) clashes[report.evidence[label].turn].push({ label, from });
    }
  }
  const views = turns.map((turn, place) =>
    turnView(turn, place, { analysis: analyses.get(place), report: reports.get(place), clashes: clashes[place], open: place === turns.length - 1 }),
  );
  byId("turns").replaceChildren(...views);
  byId("results").hidden = false;
}

function summary(turns, analyses, reports) {
  const last = turns.length - 1;
  const count = turns.length === 1 ? "One turn" : `${turns.length} turns`;
  const analysis = analyses.get(last);
  if (analysis) return `${count} analysed. The last is the user's, decision: ${analysis.decision}.`;
  const report = reports.get(last);
  if (report.problem) return `${count} analysed. The bot's were not scored.`;
  const wrong = report.shown.filter((label) => !isDesired(label)).map(nameOf);
  return `${count} analysed. The last is the bot's and shows ${wrong.length ? wrong.join(", ") : "no undesired behaviour"}.`;
}

function followLink(event) {
  const link = event.target.closest("a.turn-link");
  if (!link) return;
  event.preventDefault();
  const turn = document.getElementById(link.hash.slice(1));
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: "nearest" });
}

function tell(message) {
  byId("status").textContent = message;
}

function fail(input, message) {
  byId("dialogue-error").textContent = message;
  byId("dialogue").setAttribute("aria-invalid", String(Boolean(message)));
  if (!message) return;
  tell("");
  input.focus();
}
