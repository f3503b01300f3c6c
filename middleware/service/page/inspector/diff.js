// The difference of two texts in words, by their longest common subsequence.

import { element } from "../dom.js";

const bare = (word) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const wordsOf = (text) => text.split(/\s+/).filter(Boolean);

// `same`, `del` (only in the first) and `ins` (only in the second), in order.
export function wordDifference(before, after) {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  const [ours, theirs] = [one.map(bare), other.map(bare)];
  const common = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      common[row][column] = ours[row] === theirs[column] ? common[row + 1][column + 1] + 1 : Math.max(common[row + 1][column], common[row][column + 1]);
    }
  }
  const steps = [];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && ours[row] === theirs[column]) {
      steps.push({ kind: "same", word: other[column] });
      row += 1;
      column += 1;
    } else if (row < one.length && (column === other.length || common[row + 1][column] >= common[row][column + 1])) {
      steps.push({ kind: "del", word: one[row] });
      row += 1;
    } else {
      steps.push({ kind: "ins", word: other[column] });
      column += 1;
    }
  }
  return steps;
}

const SIDE = { added: "ins", negation: "ins", dropped: "del" };

// The difference as an element; words that the guard objects to are marked.
export function differenceView(before, after, findings) {
  const objected = (step) =>
    findings.some(({ kind, what, value }) => what !== "meaning" && SIDE[kind] === step.kind && wordsOf(value).map(bare).includes(bare(step.word)));
  const nodes = wordDifference(before, after).flatMap((step, index) => {
    const word = objected(step) ? element("mark", { class: "finding" }, step.word) : step.word;
    return [index ? " " : "", step.kind === "same" ? word : element(step.kind, {}, word)];
  });
  return element("p", { class: "diff", dir: "auto" }, ...nodes);
}
