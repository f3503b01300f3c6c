// Which responses show what, under the thresholds and the budget that a person chose. Pure: numbers in, verdicts out.

import { isDesired } from "../behaviors.js";
import { ofResponse } from "./spans.js";

// A verdict per response: `shown` labels; `alarms`, the undesired ones that count, those of the reader of relations too; `over`,
// whether the budget keeps it quiet.
export function verdictsOf(reports, thresholds, budget) {
  const verdicts = new Map([...reports].map(([place, report]) => [place, verdictOf(report, thresholds)]));
  if (budget !== null) {
    const alarming = [...verdicts].filter(([, { alarms }]) => alarms.length).sort(([, one], [, other]) => other.clarity - one.clarity);
    for (const [, verdict] of alarming.slice(budget)) verdict.over = true;
  }
  return verdicts;
}

function verdictOf(report, thresholds) {
  const shown = report.probabilities ? Object.keys(report.probabilities).filter((label) => isShown(report, label, thresholds)) : report.shown;
  const related = report.relations?.alarm ? ofResponse(report.relations).filter(({ label, probability }) => probability >= (thresholds[label] ?? 0)) : [];
  const alarms = [...new Set([...shown, ...related.map(({ label }) => label)])].filter((label) => !isDesired(label));
  const clarity = report.relations?.bad ?? Math.max(0, ...alarms.map((label) => beyond(report.probabilities?.[label] ?? 1, thresholdOf(report, label, thresholds))));
  return { shown, alarms, clarity, over: false };
}

// The service's word, a judge's too, holds until the person moves the threshold.
function isShown(report, label, thresholds) {
  if (thresholds[label] === undefined) return report.shown.includes(label);
  return report.probabilities[label] !== null && report.probabilities[label] >= thresholds[label];
}

export function thresholdOf(report, label, thresholds) {
  return thresholds[label] ?? report.thresholds?.[label] ?? null;
}

// How far a probability lies beyond its threshold, of all that it could, 0 to 1.
function beyond(probability, threshold) {
  return threshold === null || threshold >= 1 ? probability : (probability - threshold) / (1 - threshold);
}

// A probability as heat, 0 to 1: one half at the threshold, whatever that is.
export function heatOf(probability, threshold) {
  if (threshold === null) return probability;
  if (probability < threshold) return (0.5 * probability) / threshold;
  return threshold >= 1 ? 1 : 0.5 + (0.5 * (probability - threshold)) / (1 - threshold);
}
