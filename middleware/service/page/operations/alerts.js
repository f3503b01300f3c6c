// The rules of alerts: which fire, what they say, and what was told before.

import { attempt, call } from "../api.js";
import { nameOf } from "../behaviors.js";
import { byId, element, named, percent } from "../dom.js";

const EVERY_MS = 5000;
let asked = -EVERY_MS;
let wanted = ""; // the alert that a link leads to

// `isDue`: only where the last look is some time ago.
export async function loadAlerts(isDue = false) {
  if (isDue && performance.now() - asked < EVERY_MS) return;
  asked = performance.now();
  const found = await attempt(byId("alerts-error"), () => call("v1/alerts"));
  if (found) show(found);
}

export async function openAlert(id) {
  wanted = id;
  await loadAlerts();
  byId("history-details").open = true;
  const row = byId("alerts").querySelector(`[data-alert="${CSS.escape(id)}"]`);
  if (!row) {
    byId("alerts-error").textContent = "The alert of this link is no longer kept.";
    return;
  }
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "center" });
}

function show({ watched, rules, firing, history }) {
  const count = firing.length === 1 ? "1 alert fires" : `${firing.length} alerts fire`;
  const told = !watched ? "This service watches no rules." : firing.length ? `${count} now.` : "None fires now.";
  if (byId("alerts-state").textContent !== told) byId("alerts-state").textContent = told;
  byId("firing").replaceChildren(...firing.map(firingRow));
  byId("rules").replaceChildren(...rules.map(ruleRow));
  byId("alert-history").replaceChildren(...(history.length ? history.map(toldRow) : [element("li", { class: "hint" }, "No alert was told yet.")]));
  for (const id of ["rules-details", "history-details"]) byId(id).hidden = !watched;
}

function firingRow({ id, rule, behavior, bot_version: version, channel, since }) {
  return element(
    "li",
    { "data-alert": id, tabindex: "-1" },
    element("span", { class: "badge bad" }, element("span", { "aria-hidden": "true" }, "▲ "), "Firing"),
    " ",
    element("strong", {}, nameOf(behavior)),
    ` ${behavior}: `,
    named(rule),
    ...where(version, channel),
    element("span", { class: "hint" }, " since ", time(since)),
  );
}

function ruleRow({ name, says, behaviors, window_s: seconds, firing }) {
  const state = firing ? element("span", { class: "badge bad" }, `▲ ${firing} firing`) : element("span", { class: "badge good" }, "✓ quiet");
  return element("li", {}, state, " ", element("strong", {}, named(name)), element("p", { class: "hint" }, `${behaviors.join(", ")}: in ${spell(seconds)} ${says}.`));
}

function toldRow({ id, state, behavior, rule, bot_version: version, channel, share, scored, limit, at }) {
  const badge = state === "firing" ? element("span", { class: "badge bad" }, "▲ began") : element("span", { class: "badge good" }, "✓ over");
  const numbers = share === null ? "nothing scored" : `${percent(share)} of ${scored}${limit === null ? "" : `, limit ${percent(limit)}`}`;
  return element("li", { "data-alert": id, tabindex: "-1", class: id === wanted ? "wanted" : null }, badge, " ", time(at), " · ", element("strong", {}, nameOf(behavior)), ` ${behavior}: `, named(rule), ...where(version, channel), element("span", { class: "hint" }, ` ${numbers}`));
}

function where(version, channel) {
  return [...(version === null ? [] : [", version ", named(version)]), ...(channel === null ? [] : [", channel ", named(channel)])];
}

function time(seconds) {
  const at = new Date(seconds * 1000);
  return element("time", { datetime: at.toISOString() }, at.toLocaleString());
}

const spell = (seconds) => (seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`);
