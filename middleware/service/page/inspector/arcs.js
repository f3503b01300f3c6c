// Arcs beside the chat, from a response to the turn that it clashes with. Each is told in words in the turns, too.

import { byId, drawing } from "../dom.js";
import { turnId } from "./turn_link.js";

let drawn = [];

export function startArcs() {
  new ResizeObserver(() => draw()).observe(byId("turns"));
  byId("turns").addEventListener("toggle", () => draw(), true);
}

export function showArcs(clashes) {
  drawn = clashes;
  draw();
}

function draw() {
  const chat = byId("chat");
  chat.querySelector("svg.arcs")?.remove();
  const frame = chat.getBoundingClientRect();
  if (!drawn.length || !frame.width) return;
  const gutter = parseFloat(getComputedStyle(byId("turns")).paddingInlineStart);
  const middle = (place, side) => {
    const said = byId(turnId(place))?.querySelector(`mark.${side}`) ?? byId(turnId(place))?.querySelector(".said");
    if (!said) return null;
    const { top, height } = said.getBoundingClientRect();
    return top - frame.top + Math.min(height, 24) / 2;
  };
  const paths = drawn.flatMap(({ from, to, label }, index) => {
    const [start, end] = [middle(from, "own"), middle(to, "about")];
    if (start === null || end === null) return [];
    const reach = Math.max(2, gutter - 6 - ((gutter - 10) * Math.min(1, (from - to) / 8 + index * 0.12)));
    const edge = gutter - 3;
    return [
      drawing("path", { class: `arc label-${label.replace(/\W/g, "")}`, d: `M ${edge} ${start} C ${reach - gutter / 2} ${start}, ${reach - gutter / 2} ${end}, ${edge} ${end}` }),
      drawing("circle", { class: "arc-end", cx: edge, cy: start, r: 3 }),
      drawing("path", { class: "arc-head", d: `M ${edge + 3} ${end} l -7 -4 v 8 z` }),
    ];
  });
  chat.prepend(drawing("svg", { class: "arcs", width: gutter, height: frame.height, "aria-hidden": "true", focusable: "false" }, ...paths));
}
