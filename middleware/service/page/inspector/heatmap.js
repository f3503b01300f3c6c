// Responses × behaviours: how likely each response shows each behaviour, as heat and as a number.

import { isDesired, labels, nameOf } from "../behaviors.js";
import { byId, element, percent } from "../dom.js";
import { turnLink } from "./turn_link.js";
import { heatOf, thresholdOf } from "./verdicts.js";

export function showHeat(reports, verdicts, thresholds) {
  const scored = [...reports].filter(([, report]) => report.probabilities);
  byId("no-heat").hidden = scored.length > 0;
  byId("heat").replaceChildren(...(scored.length ? [heatTable(scored, verdicts, thresholds), legend()] : []));
}

function heatTable(scored, verdicts, thresholds) {
  const header = labels().map((label) => element("th", { scope: "col" }, element("abbr", { title: nameOf(label) }, label)));
  return element(
    "table",
    { class: "heat" },
    element("caption", { class: "unseen" }, "How likely each response shows each behaviour, in percent; what it shows is marked"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Turn"), ...header)),
    element(
      "tbody",
      {},
      ...scored.map(([place, report]) => {
        const verdict = verdicts.get(place);
        return element(
          "tr",
          { class: verdict.over ? "over" : null },
          element("th", { scope: "row" }, turnLink(place, String(place + 1))),
          ...labels().map((label) => cell(label, report, verdict, thresholdOf(report, label, thresholds))),
        );
      }),
    ),
  );
}

function cell(label, report, verdict, threshold) {
  const value = report.probabilities[label];
  if (value === null || value === undefined) return element("td", { class: "unscored" }, element("span", { class: "unseen" }, "not scored"), element("span", { "aria-hidden": "true" }, "–"));
  const isShown = verdict.shown.includes(label);
  const side = isDesired(label) ? "good" : "bad";
  const told = isShown ? ", shown" : "";
  const made = element(
    "td",
    { class: `${side}${isShown ? " shown" : ""}`, title: `${nameOf(label)}: ${percent(value)}${threshold === null ? "" : `, shown from ${percent(threshold)} on`}` },
    String(Math.round(value * 100)),
    element("span", { class: "unseen" }, told),
  );
  made.style.setProperty("--heat", `${Math.round(heatOf(value, threshold) * 100)}%`);
  return made;
}

function legend() {
  return element(
    "p",
    { class: "hint legend" },
    "Percent. Framed: it reaches its threshold. ",
    element("span", { class: "key bad", "aria-hidden": "true" }),
    " undesired ",
    element("span", { class: "key good", "aria-hidden": "true" }),
    " desired.",
  );
}
