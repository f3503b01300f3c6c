// A dialogue that a person types, pastes or opens, analysed turn by turn.

import { Problem, attempt, call } from "../api.js";
import { nameOf } from "../behaviors.js";
import { byId } from "../dom.js";
import { rewriteAddress } from "../router.js";
import { analyse } from "./analysis.js";
import { showArcs, startArcs } from "./arcs.js";
import { DialogueError, parseDialogue, toLines } from "./dialogue.js";
import { caption, exampleOf, startExamples } from "./examples.js";
import { showExports, startExports } from "./exports.js";
import { showHeat } from "./heatmap.js";
import { LinkError, unpack } from "./link.js";
import { showMenu, startMenu } from "./menu.js";
import { showSliders, startSliders } from "./sliders.js";
import { clashesOf } from "./spans.js";
import { change, restore, state } from "./state.js";
import { showTestCase, startTestCase } from "./test_case.js";
import { turnView } from "./turn_view.js";
import { outcomeOf } from "./user_view.js";
import { verdictsOf } from "./verdicts.js";

let running = null;
let found = null; // what the service said of the dialogue that is shown
let open = new Set(); // places of turns whose details are open

export function startInspector() {
  restore();
  byId("dialogue").value = state.draft;
  startForms();
  startSliders(recolour);
  startMenu(() => state.turns.length && show(state.turns));
  startExports();
  startTestCase();
  startArcs();
  showExports(null);
  showTestCase(null);
  byId("turns").addEventListener("click", followLink);
  byId("turns").addEventListener("toggle", keepOpen, true);
  byId("heat").addEventListener("click", followLink);
}

// Once the service lets in: its examples, then what stands in the address, or what the tab had before.
export async function openInspector(parts) {
  await attempt(byId("dialogue-error"), () => startExamples(choose));
  await openPlace(parts);
}

export async function openPlace([kind, name]) {
  if (OPENERS[kind] && name) await attempt(byId("dialogue-error"), () => OPENERS[kind](name));
  else if (state.turns.length && !found) await show(state.turns);
}

const OPENERS = {
  dialogue: async (id) => {
    byId("open-id").value = id;
    const { turns } = await call(`v1/dialogues/${encodeURIComponent(id)}`);
    await take(turns);
  },
  alarm: async (place) => {
    const { alarms } = await call("v1/alarms?last=200");
    const alarm = alarms.find((each) => each.place === place);
    if (!alarm) throw new Problem(404, "This alarm is no longer kept.");
    await take(await turnsOf(alarm));
  },
  share: async (packed) => {
    try {
      const content = await unpack(packed);
      rewriteAddress("#/inspector");
      change(content);
      showMenu();
      await take(content.turns);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      throw new Problem(0, error.message);
    }
  },
  example: async (id) => {
    const example = exampleOf(id);
    if (!example) throw new Problem(404, `There is no example ${id}.`);
    await choose(example);
  },
};

// The dialogue up to the response that raised the alarm; where it is no longer kept, what the alarm itself holds.
async function turnsOf({ dialogue_id: id, text, evidence }) {
  const response = { speaker: "bot", text };
  if (id) {
    try {
      const { turns } = await call(`v1/dialogues/${encodeURIComponent(id)}`);
      const place = turns.findLastIndex((turn) => turn.speaker === "bot" && turn.text === text);
      return place < 0 ? [...turns, response] : turns.slice(0, place + 1);
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 404].includes(error.status)) throw error;
    }
  }
  byId("caption").hidden = false;
  byId("caption").textContent = "The dialogue of this alarm is no longer kept: this is what the alarm itself holds.";
  return [...new Set(Object.values(evidence))].map((said) => ({ speaker: "user", text: said })).concat(response);
}

async function choose(example) {
  change({ menu: example.schema ?? null, thresholds: {}, budget: null });
  showMenu();
  await take(example.turns, example);
}

async function take(turns, example = null) {
  change({ draft: toLines(turns) });
  byId("dialogue").value = state.draft;
  if (example) caption(example);
  byId("source").open = false;
  await show(turns);
}

function startForms() {
  const input = byId("dialogue");
  byId("dialogue-form").addEventListener("submit", (event) => {
    event.preventDefault();
    caption(null);
    analyseText(input.value);
  });
  input.addEventListener("input", () => {
    change({ draft: input.value });
    fail("");
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      byId("dialogue-form").requestSubmit();
    }
  });
  byId("clear").addEventListener("click", clear);
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    addTurn();
  });
  byId("open-form").addEventListener("submit", (event) => {
    event.preventDefault();
    caption(null);
    attempt(byId("dialogue-error"), () => OPENERS.dialogue(byId("open-id").value.trim()));
  });
}

function clear() {
  running?.abort();
  found = null;
  change({ turns: [], draft: "", thresholds: {}, budget: null });
  byId("dialogue").value = "";
  byId("results").hidden = true;
  byId("source").open = true;
  byId("turns").replaceChildren();
  caption(null);
  fail("");
  tell("");
  showArcs([]);
  showHeat(new Map(), new Map(), {});
  showExports(null);
  showTestCase(null);
  byId("dialogue").focus();
}

async function addTurn() {
  const speaker = byId("composer-speaker");
  const said = byId("composer-text").value.trim();
  if (!said) return;
  const turns = [...state.turns, { speaker: speaker.value, text: said }];
  byId("composer-text").value = "";
  speaker.value = speaker.value === "user" ? "bot" : "user";
  caption(null);
  await take(turns);
  byId("composer-text").focus();
}

async function analyseText(text) {
  try {
    await show(parseDialogue(text));
  } catch (error) {
    if (!(error instanceof DialogueError)) throw error;
    running?.abort();
    fail(error.message);
    byId("source").open = true;
    byId("dialogue").focus();
  }
}

async function show(turns) {
  running?.abort();
  const mine = (running = new AbortController());
  fail("");
  byId("analyse").setAttribute("aria-busy", "true");
  tell("Analysing…");
  try {
    const said = await analyse(turns, state.menu, mine.signal);
    if (running !== mine) return;
    const isSame = found && JSON.stringify(found.turns) === JSON.stringify(turns);
    found = { turns, ...said };
    change({ turns });
    if (!isSame) open = new Set([turns.length - 1]);
    showSliders(said.reports.size);
    recolour();
    tell(`${summary(found)}${timesText(said.times)}`);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    tell("");
    fail(error.message);
  } finally {
    if (running === mine) byId("analyse").removeAttribute("aria-busy");
  }
}

// Everything that thresholds and budget decide, from what is known already.
function recolour() {
  if (!found) return;
  const { turns, analyses, reports } = found;
  const verdicts = verdictsOf(reports, state.thresholds, state.budget);
  const clashes = clashesOf(turns, reports, verdicts);
  byId("turns").replaceChildren(
    ...turns.map((turn, place) =>
      turnView(turn, place, { analysis: analyses.get(place), report: reports.get(place), verdict: verdicts.get(place), clashes, isOpen: open.has(place) }),
    ),
  );
  byId("results").hidden = false;
  found = { ...found, verdicts, clashes };
  showHeat(reports, verdicts, state.thresholds);
  showArcs(clashes);
  showExports(found);
  showTestCase(found);
}

function keepOpen({ target }) {
  const place = [...byId("turns").children].indexOf(target.closest("li.turn"));
  if (target.open) open.add(place);
  else open.delete(place);
}

function summary({ turns, analyses, reports, verdicts }) {
  const last = turns.length - 1;
  const count = turns.length === 1 ? "One turn" : `${turns.length} turns`;
  const analysis = analyses.get(last);
  if (analysis) return `${count} analysed. The last is the user's, decision: ${analysis.decision} (${outcomeOf(analysis).word.toLowerCase()}).`;
  if (reports.get(last).problem) return `${count} analysed. The bot's were not scored.`;
  const wrong = verdicts.get(last).alarms.map(nameOf);
  return `${count} analysed. The last is the bot's and shows ${wrong.length ? wrong.join(", ") : "no undesired behaviour"}.`;
}

const ROUTES = { "v1/turns": "user turns", "v1/directness": "directness", "v1/responses": "responses" };

function timesText(times) {
  const told = Object.entries(times).map(([path, ms]) => `${ROUTES[path]} ${Math.round(ms)} ms`);
  return told.length ? ` Measured here: ${told.join(", ")}.` : "";
}

function followLink(event) {
  const link = event.target.closest("a.turn-link");
  if (!link) return;
  event.preventDefault();
  const turn = byId(link.hash.slice(1));
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: "nearest" });
}

function tell(message) {
  byId("status").textContent = message;
}

function fail(message) {
  byId("dialogue-error").textContent = message;
  byId("dialogue").setAttribute("aria-invalid", String(Boolean(message)));
  if (message) tell("");
}
