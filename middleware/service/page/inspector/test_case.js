// A turn as an item of `grice bench … --items`: what the models found stands in the fields, and a person puts it right.

import { labels, nameOf } from "../behaviors.js";
import { byId, download, element } from "../dom.js";
import { state } from "./state.js";

const KINDS = ["indirect", "direct", "courtesy", "out_of_scope"];
const NONE = "";
let shown = null;

export function startTestCase() {
  const form = byId("case-form");
  form.addEventListener("change", ({ target }) => target.name === "turn" && fill(Number(target.value)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
}

export function showTestCase(found) {
  shown = found;
  byId("test-case").hidden = !found;
  if (found) fill(found.turns.length - 1);
}

function fill(place) {
  const { turns } = shown;
  const options = turns.map((turn, index) => option(String(index), `${index + 1} · ${turn.speaker}`, index === place));
  byId("case-form").replaceChildren(
    field("turn", "Turn", element("select", { id: "case-turn", name: "turn" }, ...options)),
    field("id", "Id of the case", element("input", { id: "case-id", name: "id", value: `case-${place + 1}`, required: true, autocomplete: "off" })),
    ...(turns[place].speaker === "user" ? userFields(place) : botFields(place)),
    element("p", { id: "case-error", class: "error", role: "alert" }),
    element("button", { type: "submit" }, "Save as JSON line"),
  );
}

function userFields(place) {
  const analysis = shown.analyses.get(place);
  const meaning = analysis?.meaning;
  const names = (state.menu?.intents ?? []).map(({ name }) => name);
  const gold = meaning?.kind === "intent" ? meaning.meaning : NONE;
  const kind = analysis?.reason === "courtesy" ? "courtesy" : (analysis?.directness?.score ?? 1) < 0.5 ? "indirect" : "direct";
  const told = new Map((meaning?.slots ?? []).filter(({ said }) => ["meant", "any"].includes(said)).map(({ slot, said, values }) => [slot, said === "any" ? "dontcare" : values[0]]));
  const slots = Object.keys(state.menu?.slots ?? {}).map((slot) => field(`slot ${slot}`, `Says of ${slot}`, element("input", { name: `slot ${slot}`, id: `case-slot ${slot}`, value: told.get(slot) ?? "", placeholder: "nothing", autocomplete: "off" })));
  return [
    field("domain", "Domain", element("input", { id: "case-domain", name: "domain", value: "own", required: true, autocomplete: "off" })),
    field("kind", "Kind", element("select", { id: "case-kind", name: "kind" }, ...KINDS.map((each) => option(each, each, each === kind)))),
    field("gold_intent", "Right intent", element("select", { id: "case-gold_intent", name: "gold_intent" }, option(NONE, "none of them", gold === NONE), ...names.map((each) => option(each, each, each === gold)))),
    ...slots,
    field("gold_direct", "In direct form", element("input", { id: "case-gold_direct", name: "gold_direct", dir: "auto", value: analysis?.decision === "rewrite" ? analysis.rewrite.text : shown.turns[place].text, required: true, autocomplete: "off" })),
  ];
}

function botFields(place) {
  const verdict = shown.verdicts.get(place);
  const clash = shown.clashes.find(({ from }) => from === place);
  const boxes = labels().map((label) =>
    element("label", { class: "check" }, element("input", { type: "checkbox", name: `gold ${label}`, checked: verdict?.shown.includes(label) }), ` ${nameOf(label)}`),
  );
  const earlier = shown.turns.slice(0, place).map((turn, index) => option(String(index), `${index + 1} · ${turn.speaker}`, clash?.to === index));
  return [
    field("setting", "Setting", element("select", { id: "case-setting", name: "setting" }, ...["chat", "task", "assistant"].map((each) => option(each, each, false)))),
    element("fieldset", {}, element("legend", {}, "What it shows"), ...boxes),
    field("evidence_turn", "Clashes with turn", element("select", { id: "case-evidence_turn", name: "evidence_turn" }, option(NONE, "none", !clash), ...earlier)),
  ];
}

function save() {
  const values = new FormData(byId("case-form"));
  const place = Number(values.get("turn"));
  const isUser = shown.turns[place].speaker === "user";
  if (isUser && !state.menu) {
    byId("case-error").textContent = "A test case of a user turn needs the bot's menu: write or paste one above.";
    return;
  }
  byId("case-error").textContent = "";
  const item = isUser ? userItem(place, values) : botItem(place, values);
  download(isUser ? "user_turns.jsonl" : "responses.jsonl", "application/jsonl", `${JSON.stringify(item)}\n`);
}

function userItem(place, values) {
  const slots = Object.entries(state.menu.slots).map(([name, slot]) => [name, { description: slot?.description ?? "", values: slot?.values ?? [] }]);
  const gold = slots.map(([name]) => [name, String(values.get(`slot ${name}`) ?? "").trim()]).filter(([, value]) => value);
  return {
    id: values.get("id"),
    domain: values.get("domain"),
    intents: state.menu.intents.map(({ name, description = "" }) => ({ name, description })),
    slots: Object.fromEntries(slots),
    history: shown.turns.slice(0, place),
    text: shown.turns[place].text,
    kind: values.get("kind"),
    gold_intent: values.get("gold_intent") || null,
    gold_slots: Object.fromEntries(gold),
    gold_direct: values.get("gold_direct"),
  };
}

function botItem(place, values) {
  const evidence = values.get("evidence_turn");
  return {
    id: values.get("id"),
    setting: values.get("setting"),
    turns: shown.turns.slice(0, place),
    response: shown.turns[place].text,
    gold: Object.fromEntries(labels().map((label) => [label, values.has(`gold ${label}`)])),
    evidence_turn: evidence ? Number(evidence) : null,
  };
}

function field(name, title, control) {
  return element("div", { class: "field" }, element("label", { for: control.id }, title), control);
}

function option(value, text, selected) {
  return element("option", { value, selected }, text);
}
