// Server-sent events, read with fetch: an EventSource could not send the key in a header.

import { Problem, request } from "../api.js";

const LONGEST_PAUSE_MS = 30_000;

// Tells of every event until `signal` aborts; after failures it connects again, and goes on after the event `lastId()`.
export async function follow(path, lastId, signal, { opened, event, lost }) {
  let pause = 1000;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", ...(lastId() && { "last-event-id": lastId() }) };
      const response = await request(path, { headers, signal });
      opened();
      for await (const message of messages(response.body)) {
        pause = 1000;
        if (message.data) event(message.event, message.data);
      }
      lost(new Problem(0, "The connection ended."), pause);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && [401, 403, 421, 422].includes(error.status)) {
        lost(error, null);
        return;
      }
      lost(error instanceof Problem ? error : new Problem(0, "The connection was lost."), pause);
    }
    await rest(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

async function* messages(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    yield* blocks.map(parse);
  }
}

function parse(block) {
  const message = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) message[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return message;
}

function rest(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
