// A dialogue in the address, behind the #, so that it can be shared and nothing is sent anywhere.

import { checked } from "./state.js";

const MOST = 2_000_000; // characters that a link may unfold to
const FORM = 1;

export class LinkError extends Error {}

export async function pack({ turns, menu, thresholds, budget }) {
  const text = JSON.stringify({ form: FORM, turns, menu, thresholds, budget });
  const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  return toText(bytes);
}

export async function unpack(packed) {
  try {
    const content = JSON.parse(await unfold(toBytes(packed)));
    if (content.form !== FORM) throw new LinkError("This link was made by another version of the page.");
    return checked(content);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("This link is damaged: a part of it is missing or was changed. Ask for it again.");
  }
}

async function unfold(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream());
  let text = "";
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > MOST) throw new LinkError("This link holds too much to be opened.");
  }
}

function toText(bytes) {
  let text = "";
  for (const each of bytes) text += String.fromCharCode(each);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function toBytes(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));
}
