// Spans of turns that a response clashes with, and its own words; and a text with spans marked.

import { element } from "../dom.js";

// What is found of the response itself; the user's frustration is none of it.
export const ofResponse = (relations) => (relations?.findings ?? []).filter(({ label }) => label !== "user_frustration");

// One clash: the response at `from` shows `label` about the turn at `to`. `about` and `own` are spans, in characters (code points).
export function clashesOf(turns, reports, verdicts) {
  const found = [];
  for (const [from, report] of reports) {
    const { shown } = verdicts.get(from);
    const read = ofResponse(report.relations).filter((each) => ["user", "bot"].includes(each.about?.kind) && each.about.place < from);
    for (const { label, about, words } of read) {
      found.push({ label, from, to: about.place, about: spanOf(about), own: words ? spanOf(words) : whole(turns[from]) });
    }
    for (const label of shown) {
      const evidence = report.evidence[label];
      if (evidence && !read.some((each) => each.label === label)) {
        found.push({ label, from, to: evidence.turn, about: whole(turns[evidence.turn]), own: whole(turns[from]) });
      }
    }
  }
  return found;
}

const spanOf = ({ start, end }) => ({ start, end });
const whole = ({ text }) => ({ start: 0, end: [...text].length, whole: true });

// The spans of each turn: of clashes that it is about, and of its own.
export function marksOf(clashes, place) {
  return clashes.flatMap(({ from, to, about, own, label }) => [
    ...(to === place ? [{ ...about, label, side: "about" }] : []),
    ...(from === place ? [{ ...own, label, side: "own" }] : []),
  ]);
}

// A text as nodes; what lies in a span stands in a `mark` whose classes say the sides.
export function marked(text, spans, classOf = ({ side, whole: all }) => `span ${side}${all ? " whole" : ""}`) {
  const characters = [...text];
  const edges = new Set([0, characters.length]);
  for (const { start, end } of spans) {
    edges.add(Math.min(start, characters.length));
    edges.add(Math.min(end, characters.length));
  }
  const places = [...edges].sort((one, other) => one - other);
  return places.slice(1).map((end, index) => {
    const start = places[index];
    const piece = characters.slice(start, end).join("");
    const over = spans.filter((span) => span.start <= start && span.end >= end);
    return over.length ? element("mark", { class: [...new Set(over.map(classOf))].join(" ") }, piece) : piece;
  });
}
