// A turn's place in the page, a link to it, and how a later turn can be about it.

import { element } from "../dom.js";

const PLACES = { "!Sel": "contradicts", "!Par": "contradicts", Red: "repeats", asked_again: "asks again what was said in", Ign: "ignores", unanswered: "leaves open" };

export const turnId = (place) => `turn-${place + 1}`;
export const aboutWords = (label) => PLACES[label] ?? "is about";

export function turnLink(place, text) {
  return element("a", { href: `#${turnId(place)}`, class: "turn-link" }, text);
}
