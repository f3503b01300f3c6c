// One turn of an analysed dialogue, as a bubble with what was found below it.

import { nameOf } from "../behaviors.js";
import { element } from "../dom.js";
import { botView } from "./bot_view.js";
import { marked, marksOf } from "./spans.js";
import { aboutWords, turnId, turnLink } from "./turn_link.js";
import { userView } from "./user_view.js";

// `found`: what the service says of the turn; `clashes`: all of the dialogue.
export function turnView(turn, place, { analysis, report, verdict, clashes, isOpen }) {
  const later = clashes.filter(({ to }) => to === place);
  const view = element(
    "li",
    { id: turnId(place), class: `turn ${turn.speaker}${later.length ? " clashed" : ""}${verdict?.alarms.length ? (verdict.over ? " quiet" : " alarming") : ""}`, tabindex: "-1" },
    element("p", { class: "who" }, `${place + 1} · ${turn.speaker}`),
    element("p", { class: "said", dir: "auto" }, ...marked(turn.text, marksOf(clashes, place))),
    ...later.map(({ label, from }) =>
      element("p", { class: "clash" }, element("span", { "aria-hidden": "true" }, "◀ "), `${aboutWords(label)} this: `, turnLink(from, `turn ${from + 1}`), `, ${nameOf(label)}`),
    ),
  );
  if (analysis) view.append(userView(analysis, isOpen));
  if (report) view.append(botView(report, verdict, clashes.filter(({ from }) => from === place), isOpen));
  return view;
}
