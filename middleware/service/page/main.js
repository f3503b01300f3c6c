// Starts the parts of the page; asks for a key where the service wants one.

import { Problem, useKey } from "./api.js";
import { loadBehaviors } from "./behaviors.js";
import { byId } from "./dom.js";
import { openInspector, openPlace, startInspector } from "./inspector/inspector.js";
import { connect, openOperations, prepareWatch } from "./operations/watch.js";
import { place, startRouter } from "./router.js";

let isIn = false; // whether the service answers us

// What nobody foresaw is told, too, until the person goes on.
function tellFailure(error) {
  byId("failure").hidden = false;
  byId("failure").textContent = `Something on this page failed: ${error?.message ?? error}. Reload it; if it fails again, please report it.`;
}
addEventListener("error", ({ error, message }) => tellFailure(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => tellFailure(reason));
addEventListener("click", ({ target }) => target.closest("button, a") && (byId("failure").hidden = true), true);

async function start() {
  try {
    await loadBehaviors();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) return false;
    byId("connection").textContent = `${error.message} Reload the page to try again.`;
    byId("dialogue-error").textContent = error.message;
    return true;
  }
  isIn = true;
  byId("key").hidden = true;
  connect();
  if (place().view === "operations") openOperations(place().query);
  await openInspector(place().view === "inspector" ? place().parts : []);
  return true;
}

function askForKey() {
  byId("key").hidden = false;
  byId("connection").textContent = "Waiting for the API key.";
}

byId("key-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = byId("key-input");
  useKey(input.value);
  const accepted = await start();
  byId("key-error").textContent = accepted ? "" : "The service does not know this key.";
  if (!accepted) {
    input.focus();
    return;
  }
  input.value = "";
  (byId("view-inspector").hidden ? byId("main") : byId("dialogue-title")).focus();
});
byId("key-input").addEventListener("input", () => (byId("key-error").textContent = ""));

startInspector();
prepareWatch(askForKey);
startRouter(({ view, parts, query }) => {
  if (isIn && view === "inspector") openPlace(parts);
  if (isIn && view === "operations") openOperations(query);
});
if (!(await start())) askForKey();
