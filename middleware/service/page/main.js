// Starts the parts of the page; asks for a key where the service wants one.

import { Problem, useKey } from "./api.js";
import { loadBehaviors } from "./behaviors.js";
import { byId } from "./dom.js";
import { startPlayground } from "./playground.js";
import { connect, prepareWatch } from "./watch.js";

async function start() {
  try {
    await loadBehaviors();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) return false;
    byId("connection").textContent = `${error.message} Reload the page to try again.`;
    return true;
  }
  byId("key").hidden = true;
  connect();
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
  (accepted ? byId("dialogue") : input).focus();
  if (accepted) input.value = "";
});

startPlayground();
prepareWatch(askForKey);
if (!(await start())) askForKey();
