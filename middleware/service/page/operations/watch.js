// The view of those who run a bot: rates, alerts and alarms as they come.

import { Problem } from "../api.js";
import { byId, element } from "../dom.js";
import { countUnseen, loadVerdicts, prepareAlarms, showAlarm } from "./alarms.js";
import { loadAlerts, openAlert } from "./alerts.js";
import { offerVersions, prepareComparison } from "./compare.js";
import { follow } from "./live.js";
import { prepareRates, showRates, windowQuery } from "./rates.js";

const FILTERS = { window: "window", bot_version: "bot-version", channel: "channel" };
let connection = null;
let newest = ""; // the place of the last alarm that came
let told = false; // whether all that was there before has come
let refused = () => {};

// `onRefused` is called when the service asks for a key.
export function prepareWatch(onRefused) {
  refused = onRefused;
  prepareRates();
  prepareAlarms();
  prepareComparison();
  byId("filters").addEventListener("change", ({ target }) => Object.values(FILTERS).includes(target.id) && connection && connect());
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("pause").addEventListener("click", () => {
    const paused = Boolean(connection);
    byId("pause").setAttribute("aria-pressed", String(paused));
    if (!paused) return connect();
    connection.abort();
    connection = null;
    tell("Paused.");
  });
  // A page that a browser keeps for "back" must not keep its stream: a browser opens six connections to a service, for all its pages.
  window.addEventListener("pagehide", () => connection?.abort());
  window.addEventListener("pageshow", ({ persisted }) => persisted && connection && connect());
}

// What a link asks for: a window, a bot version, a channel, an alert.
export async function openOperations(query) {
  countUnseen(0);
  let isOther = false;
  for (const [name, id] of Object.entries(FILTERS)) {
    const value = query.get(name);
    if (value === null || byId(id).value === value) continue;
    offer(byId(id), [...[...byId(id).options].map((option) => option.value), value].filter(Boolean));
    byId(id).value = value;
    isOther = true;
  }
  if (isOther && connection) connect();
  if (query.get("alert")) await openAlert(query.get("alert"));
  else await loadAlerts();
}

export function connect() {
  connection?.abort();
  connection = new AbortController();
  tell("Connecting…");
  follow(`v1/live?${windowQuery()}`, () => newest, connection.signal, {
    opened: () => {
      tell("Connected.");
      loadVerdicts();
    },
    event: (kind, data) => HANDLERS[kind]?.(data),
    lost: (problem, pause) => {
      tell(pause === null ? problem.message : `${problem.message} Trying again in ${Math.round(pause / 1000)} s.`);
      if (problem instanceof Problem && problem.status === 401) refused();
    },
  });
}

const HANDLERS = {
  rates: (data) => {
    const { rates, alarms, user_frustration: frustration, bot_versions: versions, channels } = JSON.parse(data);
    tell("Connected.");
    told = true;
    showRates([...rates, alarms, frustration]);
    offer(byId("bot-version"), versions);
    offer(byId("channel"), channels);
    offerVersions(versions);
    if (!byId("view-operations").hidden) loadAlerts(true);
  },
  alarm: (data) => {
    const alarm = JSON.parse(data);
    newest = alarm.place;
    showAlarm(alarm, told);
  },
  unavailable: (message) => tell(`The rates cannot be read: ${message}`),
};

function offer(select, values) {
  const chosen = select.value;
  const isWindow = select.id === "window";
  const wanted = isWindow ? [...new Set(values)] : ["", ...new Set([...values, ...(chosen ? [chosen] : [])])];
  if (wanted.join("\n") === [...select.options].map((option) => option.value).join("\n")) return;
  const titles = new Map([...select.options].map((option) => [option.value, option.textContent]));
  select.replaceChildren(...wanted.map((value) => element("option", { value }, titles.get(value) ?? (isWindow ? `${value} seconds` : value || "All"))));
  select.value = chosen;
}

function tell(message) {
  const status = byId("connection");
  if (status.textContent !== message) status.textContent = message;
}
