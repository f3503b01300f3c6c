// Calls of the service. The key lives in this module's memory and in the header of each call, nowhere else.

let key = "";

export function useKey(given) {
  key = given;
}

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const WITHOUT_BODY = { 401: "This service asks for an API key.", 502: "A gateway before the service cannot reach it." };

export async function request(path, { method, body, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (key) all.authorization = `Bearer ${key}`;
  if (body !== undefined) all["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: all,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The service cannot be reached. Is it running?");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function call(path, options) {
  return (await request(path, options)).json();
}

// Milliseconds by stage, as the header Server-Timing of an answer tells: `name;dur=12.3, name;dur=4.5`.
export function stagesOf(response) {
  const told = response.headers.get("server-timing") ?? "";
  return [...told.matchAll(/([^\s,;]+);dur=([\d.]+)/g)].map(([, stage, ms]) => ({ stage, ms: Number(ms) }));
}

async function problemOf(response) {
  try {
    const { detail, errors = [] } = await response.json();
    return new Problem(response.status, [detail, ...errors.map((each) => `${each.pointer}: ${each.detail}`)].join(" "));
  } catch {
    return new Problem(response.status, WITHOUT_BODY[response.status] ?? `The service answered ${response.status}.`);
  }
}

// Does some work for a person; what the service refuses or fails at is written where they look, and nothing else is.
export async function attempt(place, work) {
  place.textContent = "";
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Problem)) throw error;
    place.textContent = error.message;
    return undefined;
  }
}
