// From what a person types or pastes to turns, and back.

export class DialogueError extends Error {}

const SPEAKERS = ["user", "bot"];
const SPEAKER_OF = { user: "user", assistant: "bot", system: null, developer: null, tool: null, function: null };
const TEXT_PARTS = { text: "text", input_text: "text", output_text: "text", refusal: "refusal" };
const ROWS = ["turns", "messages"];

// Lines "user: …" and "bot: …", where an indented line goes on with the turn above; or JSON: turns or messages, or an object with
// them; or one such row a line.
export function parseDialogue(text) {
  const trimmed = text.trim();
  if (!trimmed) throw new DialogueError('There is no dialogue yet: write at least one line such as "user: Hello."');
  return trimmed.startsWith("[") || trimmed.startsWith("{") ? fromJson(trimmed) : fromLines(text);
}

export function toLines(turns) {
  return turns.map(({ speaker, text }) => `${speaker}: ${text.trim().replace(/\s*\r?\n\s*/g, " ")}`).join("\n");
}

function fromLines(text) {
  const turns = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (!line.trim()) return;
    const [, speaker, said] = /^\s*(user|bot)\s*:(.*)$/i.exec(line) ?? [];
    if (speaker) {
      turns.push({ speaker: speaker.toLowerCase(), text: said.trim(), line: index + 1 });
    } else if (/^\s/.test(line) && turns.length) {
      const last = turns[turns.length - 1];
      last.text = `${last.text} ${line.trim()}`.trim();
    } else {
      const remedy = turns.length ? '"bot:", or is not indented to go on with the turn above' : '"bot:"';
      throw new DialogueError(`Line ${index + 1}, "${shorten(line)}", begins with neither "user:" nor ${remedy}.`);
    }
  });
  const empty = turns.find((turn) => !turn.text);
  if (empty) throw new DialogueError(`Line ${empty.line}: the ${empty.speaker} says nothing; write a text after the colon.`);
  return turns.map(({ speaker, text: said }) => ({ speaker, text: said }));
}

function fromJson(text) {
  const content = read(text);
  const rows = rowsOf(content);
  if (!Array.isArray(rows) || !rows.length) {
    throw new DialogueError('JSON should be a list of turns, an object with "turns" or "messages", or one turn a line.');
  }
  const turns = rows.map((row, index) => (row !== null && typeof row === "object" && "role" in row ? fromMessage(row, index) : fromTurn(row, index)));
  const said = turns.filter((turn) => turn !== null);
  if (!said.length) throw new DialogueError("In none of these rows did the user or the bot say anything.");
  return said;
}

function read(text) {
  let first;
  try {
    return JSON.parse(text);
  } catch (error) {
    first = error;
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  if (lines.length < 2 || !lines[0].trim().endsWith("}")) throw new DialogueError(`This begins like JSON, but is not: ${first.message}.`);
  return lines.map((line, index) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      throw new DialogueError(`JSON lines: line ${index + 1}, "${shorten(line)}", is not JSON: ${error.message}.`);
    }
  });
}

function rowsOf(content) {
  if (Array.isArray(content) || content === null || typeof content !== "object") return content;
  if ("speaker" in content || "role" in content) return [content];
  const name = ROWS.find((each) => each in content);
  const rows = content[name];
  // A logged response, or an item of a test: its turns, then the response.
  return Array.isArray(rows) && typeof content.response === "string" ? [...rows, { speaker: "bot", text: content.response }] : rows;
}

function fromTurn(turn, index) {
  const said = turn?.text;
  if (!SPEAKERS.includes(turn?.speaker)) {
    throw new DialogueError(`Turn ${index + 1}: "speaker" is ${shorten(JSON.stringify(turn?.speaker) ?? "missing")}; it should be "user" or "bot".`);
  }
  if (typeof said !== "string" || !said.trim()) throw new DialogueError(`Turn ${index + 1}: "text" should be a text that is not blank.`);
  return { speaker: turn.speaker, text: said };
}

// The mapping of grice/models/messages.py: null where nobody said anything.
function fromMessage(row, index) {
  if (!Object.hasOwn(SPEAKER_OF, row.role)) {
    throw new DialogueError(`Message ${index + 1}: "role" is ${shorten(JSON.stringify(row.role))}; it should be one of ${Object.keys(SPEAKER_OF).join(", ")}.`);
  }
  const parts = typeof row.content === "string" ? [{ type: "text", text: row.content }] : row.content ?? [];
  if (!Array.isArray(parts)) throw new DialogueError(`Message ${index + 1}: "content" should be a text, a list of parts, or null.`);
  const texts = parts.map((part) => (typeof part === "string" ? part : part?.[TEXT_PARTS[part?.type]] ?? ""));
  const text = texts.filter((each) => each).join(" ");
  return SPEAKER_OF[row.role] && text.trim() ? { speaker: SPEAKER_OF[row.role], text } : null;
}

function shorten(text) {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
