// Which view is shown, and what it was asked for: `#/VIEW/PART/PART?name=value`. What stands behind the # is sent to nobody.

import { byId } from "./dom.js";

const VIEWS = ["inspector", "operations", "behaviors"];
let visit = () => {};

export function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...parts] = path.split("/").map(decoded);
  return { view: VIEWS.includes(view) ? view : "inspector", parts, query: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// `onVisit` is told the place at once, and whenever it changes.
export function startRouter(onVisit) {
  visit = onVisit;
  addEventListener("hashchange", () => location.hash.startsWith("#/") && show(true));
  show(false);
}

// Replaces the address without a visit: what is shown says so already.
export function rewriteAddress(hash) {
  history.replaceState(null, "", hash);
}

function show(moved) {
  const found = place();
  for (const view of VIEWS) byId(`view-${view}`).hidden = view !== found.view;
  for (const link of document.querySelectorAll("nav [data-view]")) {
    if (link.dataset.view === found.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (moved) document.querySelector(`#view-${found.view} h2`)?.focus({ preventScroll: true });
  visit(found);
}
