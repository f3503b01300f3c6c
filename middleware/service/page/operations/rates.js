// Rates by behaviour, bot version or channel: the share of the window, and its way through the window.

import { attempt, call } from "../api.js";
import { isDesired, labels, nameOf } from "../behaviors.js";
import { byId, element, meter, named, percent } from "../dom.js";
import { sparkline } from "./sparkline.js";

const STEPS = 24;
const TITLES = { "": "Behaviour", bot_version: "Bot version", channel: "Channel" };
let rates = []; // of the window, by behaviour, as they came last
let series = null;
let asking = null;

export function prepareRates() {
  for (const id of ["rows", "rows-behavior"]) byId(id).addEventListener("change", () => loadHistory(true));
}

export function windowQuery() {
  const chosen = { window_s: byId("window").value, bot_version: byId("bot-version").value, channel: byId("channel").value };
  return new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
}

export function showRates(found) {
  rates = found;
  draw();
  loadHistory();
}

// Asks for the way through the window; while one answer is awaited, no other is asked for, unless the person chose something else.
async function loadHistory(isChosen = false) {
  if (asking && !isChosen) return;
  asking?.abort();
  const mine = (asking = new AbortController());
  const query = windowQuery();
  query.set("steps", STEPS);
  if (byId("rows").value) query.set("by", byId("rows").value);
  const found = await attempt(byId("trend-error"), () => call(`v1/rates/history?${query}`, { signal: mine.signal }));
  if (asking !== mine) return;
  asking = null;
  if (!found) return;
  series = found.series;
  draw();
}

function draw() {
  const by = byId("rows").value;
  byId("rows-title").textContent = TITLES[by];
  byId("rows-behavior-field").hidden = !by;
  const select = byId("rows-behavior");
  if (select.options.length !== labels().length) {
    select.replaceChildren(...labels().map((label) => element("option", { value: label }, nameOf(label))));
  }
  const rows = by ? groupRows(by, select.value) : rates.map(behaviorRow);
  byId("rate-rows").replaceChildren(...(rows.length ? rows : [element("tr", {}, element("td", { colspan: 4 }, element("span", { class: "hint" }, "Nothing was scored in this window.")))]));
}

function behaviorRow(rate) {
  const label = rate.behavior;
  const heading = element("th", { scope: "row" }, nameOf(label), element("span", { class: "hint" }, ` ${label}`));
  return row(heading, nameOf(label), rate, series?.find((each) => each.behavior === label && each.bot_version === (byId("bot-version").value || null)));
}

function groupRows(by, label) {
  return (series ?? [])
    .filter((each) => each.behavior === label && each[by] !== null)
    .map((each) => row(element("th", { scope: "row" }, named(each[by])), each[by], totalOf(each), each, label));
}

function row(heading, name, { behavior, shown, scored, share, low, high }, way, label = behavior) {
  const kind = isDesired(label) ? "good" : "alarm";
  const cell =
    share === null
      ? element("td", {}, element("span", { class: "hint" }, "not scored"))
      : element("td", {}, meter(`share of ${name}`, share, null, kind), percent(share), element("span", { class: "hint" }, ` (${Math.round(low * 100)} to ${Math.round(high * 100)})`));
  return element("tr", { class: kind }, heading, cell, element("td", { class: "trend" }, way ? sparkline(name, way) : null), element("td", { class: "number" }, `${shown} of ${scored}`));
}

const Z = 1.959964;

function totalOf({ shown, scored }) {
  const sum = (values) => values.reduce((one, other) => one + other, 0);
  const [some, of] = [sum(shown), sum(scored)];
  if (!of) return { shown: some, scored: of, share: null };
  const [share, square] = [some / of, Z ** 2 / of]; // Wilson's score interval, as the service has it
  const middle = (share + square / 2) / (1 + square);
  const half = Math.sqrt(share * (1 - share) * square + square ** 2 / 4) / (1 + square);
  return { shown: some, scored: of, share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
