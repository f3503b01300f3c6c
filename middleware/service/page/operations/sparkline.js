// A share over time as a small line with its 95 % interval as a band. Steps in which nothing was scored are gaps.

import { drawing, percent } from "../dom.js";

const [WIDTH, HEIGHT] = [120, 28];

export function sparkline(name, { share, low, high }) {
  const known = share.filter((each) => each !== null);
  const told = known.length ? `from ${percent(known[0])} to ${percent(known[known.length - 1])}, at most ${percent(Math.max(...known))}` : "nothing scored";
  const top = Math.max(0.05, ...high.filter((each) => each !== null));
  const x = (index) => (share.length < 2 ? 0 : (index / (share.length - 1)) * (WIDTH - 4) + 2);
  const y = (value) => HEIGHT - 2 - (value / top) * (HEIGHT - 4);
  const point = (values) => (index) => `${x(index).toFixed(1)} ${y(values[index]).toFixed(1)}`;
  const shapes = runs(share).flatMap((run) => [
    drawing("path", { class: "band", d: `M ${run.map(point(high)).join(" L ")} L ${[...run].reverse().map(point(low)).join(" L ")} Z` }),
    run.length > 1 ? drawing("path", { class: "line", d: `M ${run.map(point(share)).join(" L ")}` }) : drawing("circle", { class: "dot", cx: x(run[0]), cy: y(share[run[0]]), r: 2.5 }),
    run.length > 1 ? null : drawing("path", { class: "whisker", d: `M ${point(low)(run[0])} L ${point(high)(run[0])}` }),
  ]);
  return drawing("svg", { class: "sparkline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} over time: ${told}` }, drawing("path", { class: "base", d: `M 2 ${HEIGHT - 2} H ${WIDTH - 2}` }), ...shapes);
}

function runs(share) {
  const found = [];
  share.forEach((value, index) => {
    if (value === null) return;
    const last = found[found.length - 1];
    if (last && last[last.length - 1] === index - 1) last.push(index);
    else found.push([index]);
  });
  return found;
}
