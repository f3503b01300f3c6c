// Two versions of the bot, side by side, with a test of difference.

import { attempt, call } from "../api.js";
import { isDesired, nameOf } from "../behaviors.js";
import { byId, element, named, percent } from "../dom.js";

const SURE = 0.05;

export function prepareComparison() {
  byId("compare-form").addEventListener("submit", (event) => {
    event.preventDefault();
    compare();
  });
}

// The versions to choose from; what was chosen stays.
export function offerVersions(versions) {
  ["first", "second"].forEach((id, index) => {
    const select = byId(id);
    if ([...select.options].map(({ value }) => value).join("\n") === versions.join("\n")) return;
    const chosen = select.value || versions[Math.max(0, versions.length - 2 + index)];
    select.replaceChildren(...versions.map((version) => element("option", { value: version, selected: version === chosen }, version)));
  });
  byId("compare-form").querySelector("button").disabled = versions.length < 2;
  if (versions.length < 2) byId("compare-status").textContent = "Two versions are needed within the window above.";
  else if (!byId("comparison").childElementCount) byId("compare-status").textContent = "Within the window and channel above.";
}

async function compare() {
  const query = new URLSearchParams({ first: byId("first").value, second: byId("second").value, window_s: byId("window").value });
  if (byId("channel").value) query.set("channel", byId("channel").value);
  const found = await attempt(byId("compare-error"), () => call(`v1/rates/comparison?${query}`));
  if (!found) return;
  byId("comparison").replaceChildren(tableOf(found));
  const sure = found.differences.filter(({ p_adjusted: p }) => p !== null && p < SURE).map(({ behavior }) => nameOf(behavior));
  byId("compare-status").textContent = sure.length ? `They differ in: ${sure.join(", ")}.` : "No difference that chance alone would not explain.";
}

function tableOf({ first, second, differences }) {
  const head = [["Behaviour"], [named(first)], [named(second)], ["Difference (95 % interval)"], ["p"]];
  return element(
    "table",
    { class: "comparison" },
    element("caption", {}, "Points are percentage points. p: Fisher's exact test, adjusted for the number of behaviours (Holm)."),
    element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, ...cell)))),
    element("tbody", {}, ...differences.map(row)),
  );
}

function row({ behavior, first, second, difference, low, high, p_adjusted: p }) {
  const isSure = p !== null && p < SURE;
  const worse = difference !== null && difference > 0 !== isDesired(behavior);
  const verdict = !isSure ? null : element("span", { class: `badge ${worse ? "bad" : "good"}` }, worse ? "▲ worse" : "✓ better");
  const points = difference === null ? "not scored" : `${signed(difference)} (${signed(low)} to ${signed(high)}) `;
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, nameOf(behavior), element("span", { class: "hint" }, ` ${behavior}`)),
    element("td", {}, share(first)),
    element("td", {}, share(second)),
    element("td", {}, points, verdict),
    element("td", { class: "number" }, p === null ? "" : p < 0.001 ? "< 0.001" : p.toFixed(3)),
  );
}

const share = ({ share: value, shown, scored }) => (value === null ? "not scored" : `${percent(value)} (${shown} of ${scored})`);
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value * 100).toFixed(1)}`;
