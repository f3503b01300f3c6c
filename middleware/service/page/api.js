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

export async function request(path, { body, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (key) all.authorization = `Bearer ${key}`;
  if (body !== undefined) all["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
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

async function problemOf(response) {
  try {
    const { detail, errors = [] } = await response.json();
    return new Problem(response.status, [detail, ...errors.map((each) => `${each.pointer}: ${each.detail}`)].join(" "));
  } catch {
    return new Problem(response.status, `The service answered ${response.status}.`);
  }
}
