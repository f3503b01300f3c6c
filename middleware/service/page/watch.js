// Rates and alarming responses as they come.

import { badge, isDesired, nameOf } from "./behaviors.js";
import { byId, element, meter, percent } from "./dom.js";
import { follow } from "./live.js";

const KEPT = 10;
let connection = null;
let newest = ""; // the place of the last alarm that came
let told = false; // whether all that was there before has come

let refused = () => {};

// `onRefused` is called when the service asks for a key.
export function prepareWatch(onRefused) {
  refused = onRefused;
  byId("filters").addEventListener("change", () => connection && connect());
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("pause").addEventListener("click", () => {
    const paused = Boolean(connection);
    byId("pause").setAttribute("aria-pressed", String(paused));
    if (!paused) return connect();
    connection.abort();
    connection = null;
    tell("Paused.");
  });
}

export function connect() {
  connection?.abort();
  connection = new AbortController();
  tell("Connecting…");
  follow(`v1/live?${query()}`, () => newest, connection.signal, {
    opened: () => tell("Connected."),
    event: (kind, data) => HANDLERS[kind]?.(data),
    lost: (problem, pause) => {
      tell(pause === null ? problem.message : `${problem.message} Trying again in ${Math.round(pause / 1000)} s.`);
      if (problem.status === 401) refused();
    },
  });
}

function query() {
  const chosen = { window_s: byId("window").value, bot_version: byId("bot-version").value, channel: byId("channel").value };
  return new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
}

const HANDLERS = {
  rates: (data) => showRates(JSON.parse(data)),
  alarm: (data) => showAlarm(JSON.parse(data)),
  unavailable: (message) => tell(`The rates cannot be read: ${message}`),
};

function showRates({ rates, bot_versions: versions, channels }) {
  tell("Connected.");
  told = true;
  byId("rate-rows").replaceChildren(...rates.map(rateRow));
  offer(byId("bot-version"), versions);
  offer(byId("channel"), channels);
}

function rateRow({ behavior, shown, scored, share, low, high }) {
  const name = nameOf(behavior);
  const kind = isDesired(behavior) ? "good" : "alarm";
  const cell =
    share === null
      ? element("td", {}, element("span", { class: "hint" }, "not scored"))
      : element("td", {}, meter(`share of ${name}`, share, null, kind), percent(share), element("span", { class: "hint" }, ` (${Math.round(low * 100)} to ${Math.round(high * 100)})`));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name, element("span", { class: "hint" }, ` ${behavior}`)),
    cell,
    element("td", { class: "number" }, `${shown} of ${scored}`),
  );
}

function offer(select, values) {
  const chosen = select.value;
  const wanted = ["", ...new Set([...values, ...(chosen ? [chosen] : [])])];
  if (wanted.join("\n") === [...select.options].map((option) => option.value).join("\n")) return;
  select.replaceChildren(...wanted.map((value) => element("option", { value }, value || "All")));
  select.value = chosen;
}

function showAlarm(alarm) {
  newest = alarm.place;
  const list = byId("alarms");
  list.prepend(alarmView(alarm));
  while (list.children.length > KEPT) list.lastElementChild.remove();
  byId("no-alarms").hidden = true;
  if (told) byId("alarm-news").textContent = `New alarming response: ${alarm.shown.filter((label) => !isDesired(label)).map(nameOf).join(", ")}.`;
}

function alarmView({ text, timestamp, shown, probabilities, evidence, dialogue_id: dialogue, bot_version: version, channel, action }) {
  const said = new Date(timestamp * 1000);
  const about = [version && `version ${version}`, channel, action, dialogue && `dialogue ${dialogue}`].filter(Boolean).join(" · ");
  const earlier = shown.filter((label) => evidence[label]);
  return element(
    "li",
    {},
    element("p", { class: "who" }, element("time", { datetime: said.toISOString() }, said.toLocaleString()), about ? ` · ${about}` : null),
    element("p", { class: "said" }, text),
    element("p", { class: "badges" }, ...shown.map((label) => badge(label, probabilities[label] === null ? null : ` ${percent(probabilities[label])}`))),
    ...earlier.map((label) => element("p", { class: "evidence" }, `${nameOf(label)}, earlier turn: `, element("q", {}, evidence[label]))),
  );
}

function tell(message) {
  const status = byId("connection");
  if (status.textContent !== message) status.textContent = message;
}
