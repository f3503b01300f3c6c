// The nine behaviours in words, as the service tells them.

import { call } from "./api.js";
import { byId, element, percent } from "./dom.js";

const known = new Map();
const RELATIONS = { asked_again: "asks again", unanswered: "leaves a question open", unsupported: "unsupported", promise: "unfounded promise", alarm: "anything wrong", user_frustration: "frustrated user" };

export async function loadBehaviors() {
  const { behaviors } = await call("v1/behaviors");
  known.clear();
  behaviors.forEach((each) => known.set(each.label, each));
  byId("behaviors").replaceChildren(...behaviors.map(description));
}

export const labels = () => [...known.keys()];
export const nameOf = (label) => known.get(label)?.name ?? RELATIONS[label] ?? label;
export const isDesired = (label) => known.get(label)?.desired ?? false;
export const defaultThreshold = (label) => known.get(label)?.threshold ?? null;

// A behaviour that a response shows: told in words and by a sign, not by colour alone.
export function badge(label, ...more) {
  const desired = isDesired(label);
  return element(
    "span",
    { class: desired ? "badge good" : "badge bad" },
    element("span", { "aria-hidden": "true" }, desired ? "✓ " : "▲ "),
    element("strong", {}, nameOf(label)),
    ` ${label}`,
    ...more,
  );
}

function description(each) {
  const threshold = each.threshold === null ? "" : ` It counts as shown from ${percent(each.threshold)} on.`;
  return element(
    "details",
    {},
    element("summary", {}, element("strong", {}, each.name), ` ${each.label}`, element("span", { class: "hint" }, ` · ${each.maxim}`)),
    element("p", {}, element("em", {}, each.question)),
    element("p", {}, each.definition),
    element("p", { class: "hint" }, `${each.because}${threshold}`),
  );
}
