// One turn of an analysed dialogue.

import { badge, labels, nameOf } from "./behaviors.js";
import { element, meter, percent } from "./dom.js";

const DECISIONS = { pass: "Pass", rewrite: "Rewrite", clarify: "Ask the user" };
const REASONS = {
  direct: "it is direct enough",
  courtesy: "nothing but a greeting, thanks or a goodbye",
  indirect: "it is indirect, and the rewrite can be trusted",
  unchanged: "the rewriter gave it back as it was",
  refused: "the guard refused the rewrite",
  uncertain: "the rewriter was not confident",
  unknown: "the reader does not know what it means",
  not_on_menu: "it means nothing that is on the menu",
  failed: "a stage failed or was late",
};
const FINDINGS = { added: "brings in", dropped: "loses", negation: "flips" };
const PLACES = { "!Sel": "contradicts", "!Par": "contradicts", Red: "repeats" };

export const turnId = (place) => `turn-${place + 1}`;

// `clashes`: the behaviours of later turns that are about this one.
export function turnView(turn, place, { analysis, report, clashes, open }) {
  const clashed = clashes.length > 0;
  const view = element(
    "li",
    { id: turnId(place), class: `turn ${turn.speaker}${clashed ? " clashed" : ""}`, tabindex: "-1" },
    element("p", { class: "who" }, `${place + 1} · ${turn.speaker}`),
    element("p", { class: "said" }, turn.text),
    ...clashes.map(({ label, from }) =>
      element("p", { class: "clash" }, element("span", { "aria-hidden": "true" }, "◀ "), `${PLACES[label]} this: `, turnLink(from, `turn ${from + 1}`), `, ${nameOf(label)}`),
    ),
  );
  if (analysis) view.append(userView(analysis, open));
  if (report) view.append(botView(report, open));
  return view;
}

function turnLink(place, text) {
  return element("a", { href: `#${turnId(place)}`, class: "turn-link" }, text);
}

function userView(analysis, open) {
  const { directness, rewrite, decision, reason, findings } = analysis;
  const rows = [
    ["Decision", element("strong", {}, DECISIONS[decision] ?? decision), REASONS[reason] ? `: ${REASONS[reason]}` : `: ${reason}`],
  ];
  if (rewrite) rows.push(["Rewrite", element("q", { class: "rewrite" }, rewrite.text), element("span", { class: "hint" }, ` confidence ${percent(rewrite.confidence)}`)]);
  if (decision === "rewrite") rows.push(["The NLU reads", element("q", {}, analysis.text)]);
  if (rewrite) {
    const found = findings.map((each) => element("li", {}, `${FINDINGS[each.kind]} ${each.what === "negation" ? "a negation" : `the ${each.what}`} `, element("q", {}, each.value)));
    rows.push(["Guard", found.length ? element("ul", {}, ...found) : "nothing found against it"]);
  }
  return element(
    "details",
    { class: "found", open },
    element(
      "summary",
      {},
      directness ? `Directness ${percent(directness.score)} ` : "Directness was not scored ",
      element("span", { class: `badge ${decision === "pass" ? "good" : "note"}` }, DECISIONS[decision] ?? decision),
    ),
    directness ? meter("directness", directness.score) : null,
    element("dl", {}, ...rows.flatMap(([name, ...values]) => [element("dt", {}, name, " "), element("dd", {}, ...values)])),
    cutNote(directness),
    failureList(analysis.failures),
  );
}

function botView(report, open) {
  if (report.problem) return element("p", { class: "error" }, report.problem);
  const { probabilities, shown, evidence, thresholds } = report;
  const summary = probabilities === null ? "The behaviours were not scored" : shown.length ? "Shows" : "Shows none of the nine behaviours";
  return element(
    "details",
    { class: "found", open },
    element("summary", {}, summary, ...shown.flatMap((label) => [" ", badge(label, ` ${percentOf(probabilities?.[label])}`)])),
    ...shown.filter((label) => evidence[label]).map((label) => evidenceLine(label, evidence[label])),
    probabilities === null ? null : element("ul", { class: "bars" }, ...labels().map((label) => bar(label, probabilities[label], thresholds[label] ?? null, shown.includes(label)))),
    ...report.judgements.map(judgementLine),
    report.suppressed?.length ? element("p", { class: "evidence" }, `Alarms that the judge took away: ${report.suppressed.map(nameOf).join(", ")}`) : null,
    cutNote(report),
    failureList(report.failures),
  );
}

function evidenceLine(label, { turn, speaker, text }) {
  return element("p", { class: "evidence" }, `${nameOf(label)}: ${PLACES[label]} `, turnLink(turn, `turn ${turn + 1} (${speaker})`), " ", element("q", {}, text));
}

function bar(label, value, threshold, isShown) {
  const name = nameOf(label);
  if (value === null) return element("li", {}, element("span", {}, name), element("span", { class: "hint" }, "not scored"));
  return element(
    "li",
    { class: isShown ? "shown" : null },
    element("span", { class: "label" }, isShown ? element("strong", {}, name) : name, element("span", { class: "hint" }, ` ${label}`)),
    meter(name, value, threshold, isShown ? "alarm" : "plain"),
    element("span", { class: "number" }, percent(value), isShown ? element("strong", {}, " shown") : null),
  );
}

function judgementLine({ behavior, decision, reasoning, unscored, evidence }) {
  const said = decision === null ? `no decision (${unscored})` : decision ? "yes" : "no";
  const place = evidence === null ? [] : [", held against ", turnLink(evidence, `turn ${evidence + 1}`)];
  return element("p", { class: "evidence" }, `Judge on ${nameOf(behavior)}: `, element("strong", {}, said), ...place, reasoning ? ` ${reasoning}` : null);
}

function cutNote(read) {
  const notes = [];
  if (read?.history_cut) notes.push(`${read.history_cut} older turns did not fit and were not read.`);
  if (read?.text_cut) notes.push("The end of this turn did not fit and was not read.");
  return notes.length ? element("p", { class: "hint" }, notes.join(" ")) : null;
}

function failureList(failures) {
  return failures.length ? element("ul", { class: "error" }, ...failures.map((each) => element("li", {}, `${each.stage} failed: ${each.message}`))) : null;
}

const percentOf = (value) => (value === null || value === undefined ? "" : percent(value));
