// Sliders for the thresholds of behaviours and for the budget of alarms.

import { defaultThreshold, labels, nameOf } from "../behaviors.js";
import { byId, element, percent } from "../dom.js";
import { change, state } from "./state.js";

let responses = 0;

// `onMove` is called whenever a slider moves.
export function startSliders(onMove) {
  byId("sliders").addEventListener("submit", (event) => event.preventDefault());
  byId("sliders").addEventListener("input", ({ target }) => {
    if (target.name === "budget") change({ budget: Number(target.value) >= responses ? null : Number(target.value) });
    else change({ thresholds: { ...state.thresholds, [target.name]: Number(target.value) / 100 } });
    tell(target);
    onMove();
  });
  byId("sliders").addEventListener("reset", (event) => {
    event.preventDefault();
    change({ thresholds: {}, budget: null });
    showSliders(responses);
    onMove();
  });
}

// `count`: of responses in the dialogue, which is the largest budget that means anything.
export function showSliders(count) {
  responses = count;
  const known = labels().filter((label) => defaultThreshold(label) !== null);
  byId("tuning").hidden = !known.length;
  const budget = slider("budget", "Alarms at most", { max: Math.max(count, 1), value: state.budget === null ? Math.max(count, 1) : Math.min(state.budget, count), step: 1 });
  byId("sliders").replaceChildren(
    element("fieldset", {}, element("legend", {}, "Budget"), budget, element("p", { class: "hint" }, "Where more responses would raise an alarm, only the clearest do.")),
    element(
      "fieldset",
      {},
      element("legend", {}, "A behaviour counts as shown from"),
      ...known.map((label) => slider(label, nameOf(label), { max: 100, value: Math.round((state.thresholds[label] ?? defaultThreshold(label)) * 100), step: 1 }, label)),
    ),
    element("button", { type: "reset" }, "As the service has them"),
  );
  byId("sliders").querySelectorAll("input").forEach(tell);
}

function slider(name, title, { max, value, step }, label = "") {
  const id = `slider-${name}`;
  return element(
    "div",
    { class: "slider" },
    element("label", { for: id }, title, label ? element("span", { class: "hint" }, ` ${label}`) : null),
    element("input", { id, name, type: "range", min: 0, max, value, step }),
    element("output", { for: id, class: "number" }),
  );
}

function tell(input) {
  const output = input.parentElement.querySelector("output");
  const told = input.name === "budget" ? budgetText(Number(input.value)) : percent(Number(input.value) / 100);
  output.textContent = told;
  input.setAttribute("aria-valuetext", told);
  output.classList.toggle("changed", input.name === "budget" ? state.budget !== null : state.thresholds[input.name] !== undefined);
}

const budgetText = (value) => (value >= responses ? "no limit" : `${value} of ${responses}`);
