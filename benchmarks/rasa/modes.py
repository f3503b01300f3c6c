"""Choose the rewriter's mode and `direct_from` in a Rasa bot, on the dev part of DIRECT: never on test.

    python -m grice.benchmarks.rasa.modes --data-dir DIR

Micro-F1 of intents (percent) on original, direct and indirect turns, of the `diet` pipeline of `rasa-nlu` as it is and with
augmented training data, by mode and threshold. Every turn is read once as it is, once rewritten and once with the rewrite behind
it; what a mode and a threshold make of that is computed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.direct.held_out import FORMS, dev_rows, dialogues
from grice.benchmarks.direct.nlu import DEADLINE_MS
from grice.benchmarks.rasa import data as rasa_data
from grice.benchmarks.rasa.host import PYTHON, WORK, RasaHost
from grice.benchmarks.rasa.nlu import RasaSystem, train_systems
from grice.benchmarks.stats import metrics
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.middleware.settings import ReadingMode
from grice.middleware.turns.blending import blended, weight_of
from grice.middleware.turns.parse_data import text_read

SYSTEMS = (RasaSystem("diet"), RasaSystem("diet", augmented=True))
MODES: tuple[ReadingMode, ...] = ("replace", "append", "blend")
THRESHOLDS = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)

Parses = dict[str, list[dict[str, Any]]]


def intents(analyses: Sequence[TurnAnalysis], parses: Parses, mode: ReadingMode, direct_from: float) -> list[frozenset[str]]:
    """The domain-acts that are understood of each turn.

    Args:
        parses: what the NLU makes of each turn as it is (`original`), rewritten (`replace`) and with its rewrite (`append`).
    """
    found = []
    for place, analysis in enumerate(analyses):
        parsed = parses["original"][place]
        if analysis.directness is not None and analysis.decision == "rewrite" and analysis.directness.score < direct_from:
            other = parses["append" if mode == "append" else "replace"][place]
            parsed = blended(parsed, other, weight_of(analysis)) if mode == "blend" else other
        found.append(rasa_data.acts_of(parsed["intent"]["name"]))
    return found


def main() -> None:
    """Print a line for every mode and threshold."""
    parser = argparse.ArgumentParser(
        description="Choose the rewriter's mode and threshold in a Rasa bot on the dev part of DIRECT."
    )
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rasa-python", type=Path, default=PYTHON)
    parser.add_argument("--work", type=Path, default=WORK)
    args = parser.parse_args()
    host = RasaHost(args.rasa_python.absolute(), args.work.absolute())
    rows = dev_rows(args.data_dir)
    given = [dialogue for form in FORMS for dialogue in dialogues(rows, form)]
    pipeline = Pipeline.load(PipelineSettings(deadline_ms=DEADLINE_MS, on_error="raise"))
    analyses = predict_all(pipeline, given, "rewriting")
    models, _ = train_systems(SYSTEMS, host, args.data_dir, threads=1)
    gold = [rasa_data.domain_acts(row.labels) for row in rows]
    print(f"{len(rows)} turns of the dev part, three forms each; micro-F1 of intents on {', '.join(FORMS)}")
    for name, model in models.items():
        texts: dict[str, list[str]] = {"original": [analysis.original for analysis in analyses]}
        for mode in MODES[:2]:
            texts[mode] = [text_read(analysis, mode) for analysis in analyses]
        parses = {kind: host.parse(model, [{"text": text} for text in read]) for kind, read in texts.items()}
        _print_row(name, "without Grice", "", [rasa_data.acts_of(parsed["intent"]["name"]) for parsed in parses["original"]], gold)
        for mode in MODES:
            for threshold in THRESHOLDS:
                _print_row(name, mode, f"{threshold:.2f}", intents(analyses, parses, mode, threshold), gold)


def _print_row(name: str, mode: str, threshold: str, read: Sequence[frozenset[str]], gold: Sequence[frozenset[str]]) -> None:
    parts = [read[place * len(gold) : (place + 1) * len(gold)] for place in range(len(FORMS))]
    figures = "  ".join(f"{metrics.micro_f1(gold, part, 100).value:5.1f}" for part in parts)
    print(f"{name:13} {mode:14} {threshold:5} {figures}", flush=True)


if __name__ == "__main__":
    main()
