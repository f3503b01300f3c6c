// What was found of a user turn: how direct it is, what it means, what became of it.

import { element, meter, named, percent, quoted } from "../dom.js";
import { differenceView } from "./diff.js";
import { cutNote, failureList, rows } from "./found.js";
import { marked } from "./spans.js";

const REASONS = {
  direct: "it is direct enough",
  courtesy: "nothing but a greeting, thanks or a goodbye",
  indirect: "it is indirect, and the rewrite can be trusted",
  unchanged: "the rewriter gave it back as it was",
  refused: "the guard refused the rewrite",
  uncertain: "no rewrite was sure enough",
  unknown: "the reader does not know what it means",
  not_on_menu: "it means nothing that is on the menu",
  out_of_scope: "the models cannot read such a turn",
  not_text: "it is no text that can be analysed",
  failed: "a stage failed or was late",
};
const FINE = ["direct", "courtesy", "unchanged"];
const FINDINGS = { added: "brings in", dropped: "loses", negation: "flips" };
const SAID = { meant: "is", not_this: "is not", any: "does not matter", ambiguous: "is one of" };

// What is told of a decision. Where the service would rather say nothing than something wrong, that is an abstention.
export function outcomeOf({ decision, reason }) {
  if (decision === "rewrite") return { word: "Rewritten", kind: "note" };
  if (decision === "clarify") return { word: "Asks back", kind: "note" };
  return FINE.includes(reason) ? { word: "Passes as it is", kind: "good" } : { word: "Abstains", kind: "shy" };
}

export function userView(analysis, isOpen) {
  const { directness } = analysis;
  const outcome = outcomeOf(analysis);
  return element(
    "details",
    { class: "found", open: isOpen },
    element(
      "summary",
      {},
      directness ? `Directness ${percent(directness.score)} ` : "Directness was not scored ",
      element("span", { class: `badge ${outcome.kind}` }, outcome.word),
    ),
    directness ? meter("directness", directness.score) : null,
    rows([...decisionRows(analysis, outcome), ...meaningRows(analysis), ...rewriteRows(analysis), ...questionRows(analysis), ...timeRows(analysis)]),
    cutNote(directness),
    failureList(analysis.failures),
  );
}

function decisionRows({ reason }, { word }) {
  return [["Decision", element("strong", {}, word), `: ${REASONS[reason] ?? reason}`]];
}

function meaningRows({ meaning, original }) {
  if (!meaning) return [];
  const found = [];
  const said = meaning.kind === "unknown" ? element("strong", {}, "Not sure enough to say") : element("strong", {}, named(meaning.meaning));
  found.push(["Meaning", said, element("span", { class: "hint" }, meaning.kind === "unknown" ? ` the likeliest has ${percent(meaning.confidence)} confidence` : ` ${meaning.kind}, confidence ${percent(meaning.confidence)}`)]);
  if (meaning.possible.length) found.push(["Could mean", element("ol", { class: "shares" }, ...meaning.possible.slice(0, 5).map(shareRow))]);
  if (meaning.evidence.length) {
    const spans = meaning.evidence.map(({ start, end }, rank) => ({ start, end, rank }));
    found.push(["Words that speak for it", element("p", { class: "spoken", dir: "auto" }, ...marked(original, spans, ({ rank }) => `speaks rank-${Math.min(rank, 2)}`))]);
  }
  if (meaning.slots.length) found.push(["Slots", element("ul", {}, ...meaning.slots.map(slotRow))]);
  if (meaning.option !== null) found.push(["Chosen option", String(meaning.option)]);
  return found;
}

function shareRow({ kind, name, share }) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.inlineSize = `${Math.max(1, share * 100)}%`;
  return element("li", {}, element("span", { class: "name" }, named(name), kind === "act" ? element("span", { class: "hint" }, " act") : null), element("span", { class: "rail" }, bar), element("span", { class: "number" }, percent(share)));
}

function slotRow({ slot, said, values, confidence }) {
  const listed = values.flatMap((value, index) => [index ? " or " : " ", named(value)]);
  return element("li", {}, named(slot), ` ${SAID[said] ?? said}`, ...listed, element("span", { class: "hint" }, ` ${percent(confidence)}`));
}

function rewriteRows({ original, text, rewrite, decision, findings }) {
  if (!rewrite) return [];
  const trusted = decision === "rewrite";
  const found = [[trusted ? "Rewrite" : "Rewrite, not used", quoted(rewrite.text, { class: "rewrite" }), element("span", { class: "hint" }, ` confidence ${percent(rewrite.confidence)}`)]];
  found.push(["In words", differenceView(original, rewrite.text, findings)]);
  found.push(["Guard", findings.length ? element("ul", { class: "findings" }, ...findings.map(findingRow)) : "nothing found against it"]);
  if (trusted) found.push(["The NLU reads", quoted(text)]);
  return found;
}

function findingRow({ kind, what, value }) {
  if (what === "meaning") return element("li", {}, "the reader of meaning does not take the turn for it");
  return element("li", {}, `${FINDINGS[kind]} ${what === "negation" ? "a negation" : `the ${what}`} `, quoted(value));
}

function timeRows({ times: { stages, turns } }) {
  if (!stages.length) return [];
  const told = stages.map(({ stage, ms }) => `${stage} ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`).join(", ");
  const shared = turns > 1 ? element("span", { class: "hint" }, ` for ${turns} turns together`) : null;
  return [["Time by stage", element("span", { class: "times" }, told), shared]];
}

function questionRows({ clarification }) {
  if (!clarification) return [];
  const options = clarification.options.map(({ text, share }) => element("li", {}, quoted(text), element("span", { class: "hint" }, ` ${percent(share)}`)));
  return [["Would ask", quoted(clarification.question), element("ul", {}, ...options)]];
}
