// The analysed dialogue as a link, as JSON and as CSV.

import { labels } from "../behaviors.js";
import { byId, download } from "../dom.js";
import { pack } from "./link.js";
import { state } from "./state.js";

let shown = null;

// What `showExports` was told last is what leaves the page.
export function startExports() {
  byId("share").addEventListener("click", share);
  byId("export-json").addEventListener("click", () => shown && save("dialogue.json", "application/json", JSON.stringify(asJson(shown), null, 2)));
  byId("export-csv").addEventListener("click", () => shown && save("dialogue.csv", "text/csv", asCsv(shown)));
}

export function showExports(found) {
  shown = found;
  for (const id of ["share", "export-json", "export-csv"]) byId(id).disabled = !found;
  byId("share-link").hidden = true;
  tell("");
}

async function share() {
  if (!shown) return;
  const link = `${location.origin}${location.pathname}#/inspector/share/${await pack(state)}`;
  const box = byId("share-link");
  box.hidden = false;
  box.value = link;
  try {
    await navigator.clipboard.writeText(link);
    tell("The link is copied.");
  } catch {
    box.focus();
    box.select();
    tell("Copy the link above.");
  }
}

function save(name, type, text) {
  download(name, type, text);
  tell(`${name} is saved.`);
}

function asJson({ turns, analyses, reports, verdicts }) {
  const found = turns.map((turn, place) => ({
    ...turn,
    ...(analyses.has(place) && withTimes(analyses.get(place))),
    ...(reports.has(place) && { report: reports.get(place), shown_here: verdicts.get(place).shown }),
  }));
  return { turns: found, schema: state.menu, thresholds: state.thresholds, budget: state.budget };
}

// The analysis is the service's answer; times are told beside it.
function withTimes({ times, ...analysis }) {
  return { analysis, times };
}

const COLUMNS = ["turn", "speaker", "text", "directness", "decision", "reason", "meaning", "rewrite", "shown"];

function asCsv({ turns, analyses, reports, verdicts }) {
  const rows = turns.map((turn, place) => {
    const analysis = analyses.get(place);
    const report = reports.get(place);
    return [
      place + 1, turn.speaker, turn.text, analysis?.directness?.score, analysis?.decision, analysis?.reason, analysis?.meaning?.meaning, analysis?.rewrite?.text,
      report && verdicts.get(place).shown.join(" "),
      ...labels().map((label) => report?.probabilities?.[label]),
    ];
  });
  return [[...COLUMNS, ...labels()], ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

// A spreadsheet takes a text that begins so for a formula.
function csvCell(value) {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function tell(message) {
  byId("export-status").textContent = message;
}
