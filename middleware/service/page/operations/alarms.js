// Alarming responses, identical ones as one; a person sees them, or says whether they are right.

import { attempt, call, request } from "../api.js";
import { badge, isDesired, nameOf } from "../behaviors.js";
import { byId, download, element, named, percent, quoted } from "../dom.js";
import { place as placeInAddress } from "../router.js";

const KEPT = 200;
const VERDICTS = { seen: "Seen", wrong: "Wrong alarm", right: "Right alarm" };
const groups = new Map(); // by what was said, what it shows and what is wrong with it: alarms, the newest first
let unseen = 0;

export function prepareAlarms() {
  byId("alarms").addEventListener("click", ({ target }) => target.dataset.verdict && judge(target.closest("li").dataset.key, target.dataset.verdict));
  byId("show-judged").addEventListener("change", hideJudged);
  byId("export-feedback").addEventListener("click", exportFeedback);
}

// What people said of the alarms, which the live events do not tell.
export async function loadVerdicts() {
  const found = await attempt(byId("alarm-error"), () => call(`v1/alarms?last=${KEPT}`));
  for (const alarm of found?.alarms.reverse() ?? []) add(alarm);
}

// `isNews`: the person is told.
export function showAlarm(alarm, isNews) {
  add(alarm);
  if (!isNews) return;
  const wrong = [...likelihoods(alarm).keys()].filter((label) => !isDesired(label));
  byId("alarm-news").textContent = `New alarming response: ${wrong.map(nameOf).join(", ")}.`;
  if (placeInAddress().view !== "operations") countUnseen(unseen + 1);
}

export function countUnseen(number) {
  unseen = number;
  byId("unseen-alarms").hidden = !number;
  byId("unseen-alarms").replaceChildren(String(number), element("span", { class: "unseen" }, " new alarms"));
}

function add(alarm) {
  const key = JSON.stringify([alarm.text, [...likelihoods(alarm).keys()].sort()]);
  const group = groups.get(key) ?? [];
  const known = group.find((each) => each.place === alarm.place);
  if (known) Object.assign(known, alarm, { verdict: alarm.verdict ?? known.verdict });
  else group.unshift(alarm);
  groups.delete(key);
  groups.set(key, group);
  if (groups.size > KEPT) drop(groups.keys().next().value);
  draw(key, !known);
}

// How likely is what it shows, and after that what the reader of relations finds wrong: that alone may have raised the alarm.
function likelihoods({ shown, probabilities, faults }) {
  const found = new Map(shown.map((label) => [label, probabilities[label]]));
  for (const { label, probability } of faults) if (!found.has(label)) found.set(label, probability);
  return found;
}

function draw(key, isFirst = false) {
  const host = byId("alarms");
  const before = viewOf(key);
  const view = alarmView(key, groups.get(key));
  if (before && !isFirst) before.replaceWith(view);
  else {
    before?.remove();
    host.prepend(view);
  }
  hideJudged();
}

const viewOf = (key) => [...byId("alarms").children].find((view) => view.dataset.key === key);

function drop(key) {
  groups.delete(key);
  viewOf(key)?.remove();
}

function hideJudged() {
  const all = byId("show-judged").checked;
  for (const view of byId("alarms").children) view.hidden = !all && Boolean(view.dataset.judged);
  const open = [...byId("alarms").children].filter((view) => !view.hidden).length;
  byId("no-alarms").hidden = open > 0;
  byId("no-alarms").textContent = groups.size ? "All were seen or judged." : "None so far.";
}

function alarmView(key, alarms) {
  const [{ text, timestamp, shown, evidence, faults, dialogue_id: dialogue, bot_version: version, channel, action, place, user_frustration: frustration }] = alarms;
  const said = new Date(timestamp * 1000);
  const verdict = alarms.every((each) => each.verdict) ? alarms[0].verdict : null;
  const about = [version && ["version ", named(version)], channel && [named(channel)], action && [named(action)], dialogue && ["dialogue ", named(dialogue)]].filter(Boolean);
  const times = alarms.length > 1 ? [element("span", { class: "badge note" }, `${alarms.length} times`), " "] : [];
  return element(
    "li",
    { "data-key": key, "data-judged": verdict },
    element("p", { class: "who" }, ...times, element("time", { datetime: said.toISOString() }, said.toLocaleString()), ...about.flatMap((part) => [" · ", ...part])),
    element("p", { class: "said", dir: "auto" }, text),
    element("p", { class: "badges" }, ...[...likelihoods(alarms[0])].map(([label, likely]) => badge(label, likely === null ? null : ` ${percent(likely)}`))),
    frustration?.shown ? element("p", { class: "evidence" }, `${nameOf("user_frustration")} (${percent(frustration.probability)}): `, quoted(frustration.words)) : null,
    ...shown.filter((label) => evidence[label] && !faults.some((fault) => fault.label === label && fault.about)).map((label) => element("p", { class: "evidence" }, `${nameOf(label)}, earlier turn: `, quoted(evidence[label]))),
    ...faults.filter(({ about, words }) => about || words).map(faultLine),
    element(
      "p",
      { class: "row actions", role: "group", "aria-label": "What to do with this alarm" },
      element("a", { href: `#/inspector/alarm/${place}` }, "Inspect"),
      ...Object.entries(VERDICTS).map(([name, title]) => element("button", { type: "button", "data-verdict": name, "aria-pressed": String(verdict === name) }, title)),
    ),
  );
}

function faultLine({ label, about, words }) {
  const clash = about ? [words ? " against " : "against ", quoted(about)] : [];
  return element("p", { class: "evidence" }, `${nameOf(label)}: `, words ? quoted(words) : null, ...clash);
}

async function judge(key, verdict) {
  const said = await attempt(byId("alarm-error"), async () => {
    for (const alarm of groups.get(key).filter((each) => each.verdict !== verdict)) {
      await call(`v1/alarms/${alarm.place}/feedback`, { body: { verdict } });
      alarm.verdict = verdict;
    }
    return true;
  });
  draw(key);
  if (!said) return;
  byId("alarm-news").textContent = `${VERDICTS[verdict]}: noted.`;
  const view = viewOf(key);
  (view.hidden ? byId("alarms-title") : view.querySelector(`[data-verdict=${verdict}]`)).focus();
}

async function exportFeedback() {
  const text = await attempt(byId("alarm-error"), async () => (await request("v1/alarms/feedback")).text());
  if (text === undefined) return;
  if (text) download("labelled.jsonl", "application/x-ndjson", text);
  byId("alarm-news").textContent = text ? "labelled.jsonl is saved." : "";
  if (!text) byId("alarm-error").textContent = "No alarm was called right or wrong yet: there is nothing to export.";
}
