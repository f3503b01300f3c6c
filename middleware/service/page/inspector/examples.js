// Dialogues to try. They are data: a test runs each and checks that what its caption says is so.

import { call } from "../api.js";
import { byId, element } from "../dom.js";

let examples = [];

export async function startExamples(onChoice) {
  const host = byId("examples");
  host.addEventListener("click", ({ target }) => {
    const chosen = examples.find(({ id }) => id === target.dataset.example);
    if (chosen) onChoice(chosen);
  });
  ({ examples } = await call("page/inspector/examples.json"));
  host.replaceChildren(
    element("span", { class: "hint" }, "Try:"),
    ...examples.map(({ id, title }) => element("button", { type: "button", class: "chip", "data-example": id }, title)),
  );
}

export const exampleOf = (id) => examples.find((each) => each.id === id);

// The caption of the example that is shown; none: another dialogue is.
export function caption(example) {
  byId("caption").hidden = !example;
  byId("caption").textContent = example?.caption ?? "";
  for (const chip of byId("examples").querySelectorAll("[data-example]")) chip.setAttribute("aria-pressed", String(chip.dataset.example === example?.id));
}
