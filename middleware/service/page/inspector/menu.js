// The bot's menu: its intents and slots, written by hand, pasted as a domain.yml or tools, or one that the service stores.

import { attempt, call } from "../api.js";
import { byId, element } from "../dom.js";
import { change, state } from "./state.js";

let applied = () => {};

// `onChange` is called when a person puts another menu to use.
export function startMenu(onChange) {
  applied = onChange;
  const form = byId("menu-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(written());
  });
  form.addEventListener("click", ({ target }) => ACTIONS[target.dataset.action]?.(target));
  form.addEventListener("input", () => (byId("menu-error").textContent = ""));
  showMenu();
}

export function showMenu() {
  const menu = state.menu ?? { intents: [], slots: {} };
  const intents = menu.intents.map(intentRow);
  const slots = Object.entries(menu.slots).map(([name, slot]) => slotRow({ name, ...slot }));
  byId("menu-form").replaceChildren(
    element("fieldset", { id: "menu-intents" }, element("legend", {}, "Intents: what one can ask of the bot"), ...intents, button("Add an intent", "intent")),
    element("fieldset", { id: "menu-slots" }, element("legend", {}, "Slots: what the bot wants to know"), ...slots, button("Add a slot", "slot")),
    element("p", { class: "row" }, element("button", { type: "submit", class: "primary" }, "Use this menu"), button("No menu", "none")),
    element("label", { for: "menu-paste" }, "Or paste a domain.yml, tools, or a menu in JSON"),
    element("textarea", { id: "menu-paste", rows: 4, spellcheck: "false", "aria-describedby": "menu-error" }),
    element("p", { class: "row" }, button("Read it", "read"), element("label", { for: "menu-stored", class: "unseen" }, "Name of a stored menu"), element("input", { id: "menu-stored", placeholder: "Name of a stored menu", autocomplete: "off" }), button("Load", "load")),
    element("p", { id: "menu-error", class: "error", role: "alert" }),
  );
  const counts = [counted(menu.intents.length, "intent"), counted(Object.keys(menu.slots).length, "slot")];
  byId("menu-state").textContent = state.menu ? `Turns are read against ${counts.join(" and ")}.` : "No menu: turns are rewritten freely, and no meaning is read.";
}

const ACTIONS = {
  intent: () => addRow("menu-intents", intentRow({ name: "" })),
  slot: () => addRow("menu-slots", slotRow({ name: "" })),
  remove: (target) => {
    const group = target.closest("fieldset");
    target.closest(".entry").remove();
    group.querySelector(":scope > button").focus();
  },
  none: () => use(null),
  read: () => load(() => call("v1/schemas", { body: { text: byId("menu-paste").value } })),
  load: () => load(() => call(`v1/schemas/${encodeURIComponent(byId("menu-stored").value.trim())}`)),
};

async function load(read) {
  const menu = await attempt(byId("menu-error"), read);
  if (menu) use({ intents: menu.intents ?? [], slots: menu.slots ?? {}, services: menu.services ?? {} });
}

function use(menu) {
  const isEmpty = menu !== null && !menu.intents.length && !Object.keys(menu.slots).length;
  if (isEmpty) {
    byId("menu-error").textContent = "The menu is empty: give at least one intent or slot a name, or use no menu.";
    return;
  }
  change({ menu });
  showMenu();
  applied();
}

function addRow(id, row) {
  const group = byId(id);
  group.insertBefore(row, group.querySelector(":scope > button"));
  row.querySelector("input").focus();
}

// What stands in the fields; examples, services and slots of intents, which have no field, are kept by name.
function written() {
  const before = new Map((state.menu?.intents ?? []).map((intent) => [intent.name, intent]));
  const entries = (id) => [...byId(id).querySelectorAll(".entry")].map((row) => Object.fromEntries([...row.querySelectorAll("input")].map((input) => [input.name, input.value.trim()])));
  const slots = entries("menu-slots").filter(({ name }) => name);
  const known = new Set(slots.map(({ name }) => name));
  const intents = entries("menu-intents").filter(({ name }) => name).map(({ name, description }) => {
    const kept = before.get(name);
    return { ...kept, name, description, ...(kept?.slots && { slots: kept.slots.filter((slot) => known.has(slot)) }) };
  });
  const listed = ({ description, values }) => ({ description, values: [...new Set(values.split(",").map((value) => value.trim()).filter(Boolean))] });
  return { intents, slots: Object.fromEntries(slots.map((slot) => [slot.name, listed(slot)])), services: state.menu?.services ?? {} };
}

function intentRow({ name, description = "" }) {
  return element("div", { class: "entry" }, field("name", "Name of the intent", name), field("description", "What the user wants with it", description), removal(name || "this intent"));
}

function slotRow({ name, description = "", values = [] }) {
  return element("div", { class: "entry" }, field("name", "Name of the slot", name), field("description", "What it is", description), field("values", "Values, with commas; none: free text", values.join(", ")), removal(name || "this slot"));
}

const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const field = (name, title, value) => element("input", { name, value, placeholder: title, "aria-label": title, dir: "auto", autocomplete: "off" });
const button = (text, action) => element("button", { type: "button", "data-action": action }, text);
const removal = (what) => element("button", { type: "button", class: "quiet", "data-action": "remove", "aria-label": `Remove ${what}` }, "×");
