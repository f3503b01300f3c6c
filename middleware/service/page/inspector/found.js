// Parts that the views of user and bot turns share.

import { element } from "../dom.js";

export function cutNote(read) {
  const notes = [];
  if (read?.history_cut) notes.push(`${read.history_cut} older turns did not fit and were not read.`);
  if (read?.text_cut) notes.push("The end of this turn did not fit and was not read.");
  return notes.length ? element("p", { class: "hint" }, notes.join(" ")) : null;
}

export function failureList(failures) {
  return failures.length ? element("ul", { class: "error" }, ...failures.map((each) => element("li", {}, `${each.stage} failed: ${each.message}`))) : null;
}

export function rows(pairs) {
  return element("dl", {}, ...pairs.flatMap(([name, ...values]) => [element("dt", {}, name, " "), element("dd", {}, ...values)]));
}
