// What the service says of each turn of a dialogue. Answers are remembered: another turn at the end asks about that one only.

import { Problem, request, stagesOf } from "../api.js";

const MOST = 64; // items of a request
const ALONE = 8; // so many user turns are asked about one by one: the service tells how long a request took, not each turn of it
const remembered = new Map();

export function forget() {
  remembered.clear();
}

// By the place of the turn: `analyses` of the user's, with `directness` and `times`, of the stages; `reports` of the bot's; and how long
// each route took, in ms.
export async function analyse(turns, menu, signal) {
  const users = lastPlaces(turns, "user");
  const bots = lastPlaces(turns, "bot");
  const schema = menu ? { schema: menu } : {};
  const last = turns.length - 1; // a judge, where one is set, costs: it is asked about the last turn only
  const times = {};
  const ask = (path, places, itemOf) => answers(path, places, itemOf, { signal, times });
  const upTo = (place) => turns.slice(0, place + 1);
  const [analysed, direct, scored] = await Promise.all([
    ask("v1/turns", users, (place) => ({ turns: upTo(place), ...schema })).then((found) => again(found, (places) => ask("v1/turns", places, (place) => ({ turns: upTo(place), ...schema })))),
    menu ? ask("v1/directness", users, (place) => ({ turns: upTo(place) })) : new Map(),
    ask("v1/responses", bots, (place) => ({ turns: upTo(place), counted: false, judged: place === last })).catch((error) => unscored(error, bots)),
  ]);
  const analyses = new Map([...analysed].map(([place, { row, times: stages }]) => [place, { ...row, directness: row.directness ?? direct.get(place)?.row ?? null, times: stages }]));
  return { analyses, reports: new Map([...scored].map(([place, { row }]) => [place, row])), times };
}

async function answers(path, places, itemOf, { signal, times }) {
  const found = new Map();
  const items = places.map((place) => [place, itemOf(place)]);
  const missing = items.filter(([, item]) => !remembered.has(keyOf(path, item)));
  const areAlone = path === "v1/turns" && missing.length <= ALONE;
  for (const together of areAlone ? missing.map((each) => [each]) : missing.length ? [missing] : []) {
    const began = performance.now();
    const response = await request(path, { body: { items: together.map(([, item]) => item) }, signal });
    const { items: rows } = await response.json();
    times[path] = (times[path] ?? 0) + performance.now() - began;
    const told = { stages: stagesOf(response), turns: together.length };
    together.forEach(([place, item], index) => {
      const answer = { row: rows[index], times: told };
      remember(keyOf(path, item), answer);
      found.set(place, answer);
    });
  }
  for (const [place, item] of items) if (!found.has(place)) found.set(place, remembered.get(keyOf(path, item)));
  return found;
}

// A menu that is new to the service takes longer the first time than a stage may; the second time it is known.
async function again(found, ask) {
  const late = [...found].filter(([, { row }]) => row.failures.some((each) => each.error === "DeadlineExceeded")).map(([place]) => place);
  return late.length ? new Map([...found, ...(await ask(late))]) : found;
}

function unscored(error, places) {
  if (!(error instanceof Problem) || error.status !== 501) throw error;
  return new Map(places.map((place) => [place, { row: { problem: "Not scored: no monitor is loaded here.", shown: [], evidence: {} } }]));
}

const keyOf = (path, item) => `${path} ${JSON.stringify(item)}`;

function remember(key, answer) {
  if (answer.row.failures.length) return; // it may do better next time
  remembered.set(key, answer);
  if (remembered.size > 500) remembered.delete(remembered.keys().next().value);
}

function lastPlaces(turns, speaker) {
  return turns.flatMap((turn, place) => (turn.speaker === speaker ? [place] : [])).slice(-MOST);
}
