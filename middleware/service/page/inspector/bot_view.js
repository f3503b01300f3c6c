// What was found of a bot's response: each behaviour, and the evidence for those that it shows.

import { badge, isDesired, labels, nameOf } from "../behaviors.js";
import { element, meter, percent, quoted } from "../dom.js";
import { cutNote, failureList } from "./found.js";
import { state } from "./state.js";
import { aboutWords, turnLink } from "./turn_link.js";
import { thresholdOf } from "./verdicts.js";

export function botView(report, verdict, clashes, isOpen) {
  if (report.problem) return element("p", { class: "error" }, report.problem);
  const { probabilities } = report;
  return element(
    "details",
    { class: "found", open: isOpen },
    element("summary", {}, ...heading(report, verdict)),
    relationNote(report.relations),
    frustrationLine(report.relations),
    ...clashes.map((clash) => evidenceLine(clash, report)),
    probabilities === null ? null : element("ul", { class: "bars" }, ...labels().map((label) => bar(label, report, verdict.shown.includes(label)))),
    sentenceRows(report.relations),
    ...report.judgements.map(judgementLine),
    report.suppressed?.length ? element("p", { class: "evidence" }, `Alarms that the judge took away: ${report.suppressed.map(nameOf).join(", ")}`) : null,
    cutNote(report),
    failureList(report.failures),
  );
}

function heading({ probabilities, relations }, { shown, alarms, over }) {
  const told = [...shown, ...alarms.filter((label) => !shown.includes(label))];
  const likely = (label) => (shown.includes(label) ? probabilities?.[label] : relations?.findings.find((each) => each.label === label)?.probability);
  if (probabilities === null && !told.length) return ["The behaviours were not scored"];
  if (!told.length) return ["Shows none of the nine behaviours"];
  const quiet = over ? [" ", element("span", { class: "badge shy" }, "No alarm: over the budget")] : [];
  return ["Shows", ...told.flatMap((label) => [" ", badge(label, ` ${percent(likely(label) ?? 1)}`)]), ...quiet];
}

function relationNote(relations) {
  if (!relations) return null;
  const alarm = relations.alarm ? "worth an alarm" : "not worth an alarm";
  return element("p", { class: "evidence" }, `Anything wrong with it: ${percent(relations.bad)}, ${alarm} in a dialogue of the kind “${relations.setting}”.`);
}

function frustrationLine(relations) {
  const found = relations?.findings.find(({ label }) => label === "user_frustration");
  if (!found) return null;
  const { place, text } = found.about;
  return element("p", { class: "evidence" }, `${nameOf(found.label)} before it (${percent(found.probability)}): `, turnLink(place, `turn ${place + 1} (user)`), " ", quoted(text));
}

function evidenceLine({ label, to, about, own }, report) {
  const finding = report.relations?.findings.find((each) => each.label === label);
  const quote = finding?.about?.text ?? report.evidence[label]?.text ?? "";
  const speaker = finding?.about?.kind ?? report.evidence[label]?.speaker;
  const words = finding?.words && !own.whole ? [" with ", quoted(finding.words.text)] : [];
  const rule = finding?.rule ? element("span", { class: "hint" }, " found by comparing words") : null;
  return element("p", { class: "evidence" }, `${nameOf(label)}: ${aboutWords(label)} `, turnLink(to, `turn ${to + 1} (${speaker})`), " ", quoted(quote), ...words, rule);
}

function bar(label, report, isShown) {
  const value = report.probabilities[label];
  const name = nameOf(label);
  if (value === null || value === undefined) return element("li", {}, element("span", {}, name), element("span", { class: "hint" }, "not scored"));
  const kind = isShown ? (isDesired(label) ? "good" : "alarm") : "plain";
  return element(
    "li",
    { class: isShown ? `shown ${isDesired(label) ? "desired" : "undesired"}` : null },
    element("span", { class: "label" }, isShown ? element("strong", {}, name) : name, element("span", { class: "hint" }, ` ${label}`)),
    meter(name, value, thresholdOf(report, label, state.thresholds), kind),
    element("span", { class: "number" }, percent(value), isShown ? element("strong", {}, " shown") : null),
  );
}

function sentenceRows(relations) {
  const told = (relations?.sentences ?? []).filter(({ support }) => support !== "no evidence");
  if (!told.length) return null;
  return element("ul", { class: "sentences" }, ...told.map(({ words, support, by }) => element("li", {}, quoted(words.text), ` ${support}`, ...(by ? [" by ", quoted(by.text)] : []))));
}

function judgementLine({ behavior, decision, reasoning, unscored, evidence }) {
  const said = decision === null ? `no decision (${unscored})` : decision ? "yes" : "no";
  const place = evidence === null ? [] : [", held against ", turnLink(evidence, `turn ${evidence + 1}`)];
  return element("p", { class: "evidence" }, `Judge on ${nameOf(behavior)}: `, element("strong", {}, said), ...place, reasoning ? element("span", { dir: "auto" }, ` ${reasoning}`) : null);
}
