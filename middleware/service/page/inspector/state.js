// What a person works on. It is kept in the tab's own storage, so that it survives a reload, and ends with the tab. No key is in it.

const KEY = "grice.inspector";
const FRESH = { turns: [], menu: null, thresholds: {}, budget: null, draft: "" };

// `thresholds`: those that the person set, by behaviour. `budget`: how many of the responses may raise an alarm; null: all.
export const state = { ...FRESH };

export function change(values) {
  Object.assign(state, values);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    // A full or forbidden storage: then it does not survive a reload, and all else works.
  }
}

export function restore() {
  try {
    change(checked(JSON.parse(sessionStorage.getItem(KEY) ?? "{}")));
  } catch {
    change(FRESH);
  }
}

// The content of a link or of the storage, with nothing in it that cannot be.
export function checked({ turns = [], menu = null, thresholds = {}, budget = null, draft = "" }) {
  const isTurn = (turn) => ["user", "bot"].includes(turn?.speaker) && typeof turn.text === "string" && turn.text.trim();
  if (!Array.isArray(turns) || !turns.every(isTurn)) throw new TypeError("turns");
  const shares = Object.entries(thresholds ?? {}).filter(([, value]) => typeof value === "number" && value >= 0 && value <= 1);
  return {
    turns: turns.map(({ speaker, text }) => ({ speaker, text })),
    menu: menu && typeof menu === "object" ? { intents: menu.intents ?? [], slots: menu.slots ?? {}, services: menu.services ?? {} } : null,
    thresholds: Object.fromEntries(shares),
    budget: Number.isInteger(budget) && budget >= 0 ? budget : null,
    draft: typeof draft === "string" ? draft : "",
  };
}
