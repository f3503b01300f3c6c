"""`grice bench rasa-nlu`: what a real Rasa NLU makes of original, direct and indirect turns, without Grice and with it.

Rasa is trained on MultiWOZ val (`rasa_data`); the gold domain-acts and slot values of all three wordings of a turn are those of
the original. A system is a pipeline (`diet`, `lr`), whether its training data were augmented, and the mode of the rewriter
("diet+augment+append"). With `--bot` the turns are those of a bot of one's own (`benchmarks/rasa/bot.py`). All figures are
percentages, but for the added milliseconds.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.options import Threaded, option
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.direct.held_out import FILES, FORMS, HeldOut, held_out, text_of
from grice.benchmarks.rasa import bot as own_bot
from grice.benchmarks.rasa import data as rasa_data
from grice.benchmarks.rasa.augment import augmented_file
from grice.benchmarks.rasa.host import PYTHON, WORK, RasaHost
from grice.benchmarks.rasa.speed import SERVICE_URL, add_hung_service_times, add_server_times
from grice.benchmarks.speed.timing import percentile
from grice.benchmarks.stats import metrics
from grice.models.data import multiwoz
from grice.models.data.direct import Triple
from grice.models.errors import InputError

NluLabels = frozenset[str]

_FEATURES: tuple[dict[str, Any], ...] = (
    {"name": "WhitespaceTokenizer", "intent_tokenization_flag": True, "intent_split_symbol": "+"},
    {"name": "LexicalSyntacticFeaturizer"},
    {"name": "CountVectorsFeaturizer"},
    {"name": "CountVectorsFeaturizer", "analyzer": "char_wb", "min_ngram": 1, "max_ngram": 4},
)
PIPELINES: dict[str, tuple[dict[str, Any], ...]] = {
    "diet": (
        *_FEATURES,
        {"name": "DIETClassifier", "epochs": 25, "constrain_similarities": True, "random_seed": 1},
        {"name": "EntitySynonymMapper"},
    ),
    "lr": (*_FEATURES, {"name": "LogisticRegressionClassifier"}, {"name": "CRFEntityExtractor"}, {"name": "EntitySynonymMapper"}),
}
CLASSIFIERS = {"diet": "DIETClassifier", "lr": "LogisticRegressionClassifier"}
MODES = ("replace", "append", "blend")
DEFAULT_MODE = "blend"
AUGMENT = "augment"


@dataclass(frozen=True)
class RasaOptions(Threaded):
    """What `grice bench rasa-nlu` takes."""

    rasa_python: Path = option(PYTHON, "the Python of the Rasa environment", "FILE")
    work: Path = option(WORK, "keeps trained models and Rasa's cache", "DIR")
    bot: Path | None = option(
        None, "a bot of your own with turns.yml, such as rasa_project/support, in place of the data sets", "DIR"
    )

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data sets are; a bot of one's own needs none."""
        return Path() if args.bot is not None else super().folder_of(args)


@dataclass(frozen=True)
class RasaSystem:
    """A Rasa pipeline, with or without augmented training data, with or without the rewriter.

    Attributes:
        base: a key of `PIPELINES`.
        augmented: whether its training data hold indirect variants.
        mode: the rewriter's; None without one.
    """

    base: str
    augmented: bool = False
    mode: str | None = None

    @property
    def name(self) -> str:
        """Such as "diet+augment+append"."""
        return "+".join([self.without_rewriter, *([self.mode] if self.mode else [])])

    @property
    def without_rewriter(self) -> str:
        """The name of the system with the same NLU and no rewriter."""
        return "+".join([self.base, *([AUGMENT] if self.augmented else [])])


def _declare(found: RasaSystem) -> System[None, RasaSystem]:
    parts = [
        *(["augmented training data"] if found.augmented else []),
        *([f"our components, mode {found.mode}"] if found.mode else []),
    ]
    about = f"{CLASSIFIERS[found.base]}, {' and '.join(parts) or 'without Grice'}"
    return System(found.name, about, "ours" if parts else "rival", lambda given, name: found)


SYSTEMS = Systems[None, RasaSystem](
    "rasa-nlu",
    *(
        _declare(RasaSystem(base, augmented, mode))
        for base, augmented, mode in itertools.product(PIPELINES, (False, True), (None, *MODES))
    ),
)


@dataclass(frozen=True)
class NluReadings:
    """What an NLU read in each row: domain-acts, "slot=value" entities, and the milliseconds it took."""

    acts: list[NluLabels]
    entities: list[NluLabels]
    milliseconds: list[float]


def evaluate(options: RasaOptions) -> Sheet:
    """Train the pipelines that are not trained yet, and score them on three wordings of held-out turns, or on those of a bot.

    Raises:
        InputError: systems of the other task alone. DataError: the data cannot be read. ModelError: Rasa is not there, or failed.
    """
    if options.bot is not None:
        return _evaluate_bot(options, options.bot)
    if not SYSTEMS.asked(options):
        raise InputError("--system", ", ".join(options.systems), f"with --bot; without it: {', '.join(SYSTEMS.names)}")
    found = held_out(options)
    sheet = Sheet("rasa-nlu", found.groups, options.seed, found.unscored)
    systems = [SYSTEMS.find(name).build(None, name) for name in SYSTEMS.asked(options)]
    host = RasaHost(options.rasa_python.absolute(), options.work.absolute())
    sheet.notes.append(f"Rasa {host.version()}, trained on the user turns of MultiWOZ val.")
    models, notes = train_systems(systems, host, options.data_dir, options.threads)
    sheet.notes += notes
    reads = {
        (form, system.name): read
        for system in tqdm(systems, desc="parsing", disable=None)
        for form, read in _read(host, models[system.name], found.rows).items()
    }
    gold = _gold(options.data_dir, found)
    for form, system in itertools.product(FORMS, systems):
        _add(sheet, form, system, reads, gold)
    served = {system.name: system.base for system in systems if not system.augmented}
    add_server_times(sheet, host, {name: models[name] for name in served}, served, found.rows)
    for system in systems:
        if system.mode == DEFAULT_MODE and not system.augmented and system.base in models:
            remote = host.with_rewriter(models[system.base], {"backend": "http", "url": SERVICE_URL})
            add_hung_service_times(sheet, host, f"{system.base}+http", remote, found.rows)
    return sheet


def _evaluate_bot(options: RasaOptions, bot: Path) -> Sheet:
    names = own_bot.SYSTEMS.asked(options)
    if not names:
        raise InputError("--system", ", ".join(options.systems), f"with --bot: {', '.join(own_bot.SYSTEMS.names)}")
    host = RasaHost(options.rasa_python.absolute(), options.work.absolute())
    sheet = Sheet("rasa-nlu", [], options.seed, notes=[f"Rasa {host.version()}, trained on the bot's own data."])
    own_bot.score_bot(sheet, host, bot, names, options.limit)
    return sheet


def train_systems(systems: Sequence[RasaSystem], host: RasaHost, data_dir: Path, threads: int) -> tuple[dict[str, Path], list[str]]:
    """The trained model of each system by name, and what a reader should know of its training.

    Raises:
        DataError: the data cannot be read. ModelError: Rasa failed.
    """
    plain = rasa_data.examples(data_dir)
    files = {False: host.work / "nlu.yml"}
    notes = []
    rasa_data.write_nlu(plain, files[False])
    if any(system.augmented for system in systems):
        files[True], account = augmented_file(plain, files[False], threads)
        notes.append(f"augment: {account}")
    trained: dict[str, Path] = {}
    for system in tqdm(systems, desc="training", disable=None):
        name = system.without_rewriter
        trained[name] = trained.get(name) or host.train(PIPELINES[system.base], files[system.augmented])
    models = {
        system.name: host.with_rewriter(trained[system.without_rewriter], {"mode": system.mode})
        if system.mode
        else trained[system.name]
        for system in systems
    }
    return models, notes


def _read(host: RasaHost, model: Path, rows: Sequence[Triple]) -> dict[str, NluReadings]:
    """What the model makes of every row, by form."""
    histories = [[{"speaker": turn.speaker, "text": turn.text} for turn in row.history] for row in rows]
    items = [
        {"text": text_of(row, form), "history": history} for form in FORMS for row, history in zip(rows, histories, strict=True)
    ]
    parses = host.parse(model, items)
    return {form: _reading(parses[place * len(rows) : (place + 1) * len(rows)]) for place, form in enumerate(FORMS)}


def _reading(parses: Sequence[dict[str, Any]]) -> NluReadings:
    return NluReadings(
        [rasa_data.acts_of(parsed["intent"]["name"]) for parsed in parses],
        [frozenset(_pair(found["entity"], found["value"]) for found in parsed["entities"]) for parsed in parses],
        [parsed["milliseconds"] for parsed in parses],
    )


def _pair(slot: str, value: object) -> str:
    return f"{slot.lower()}={str(value).casefold()}"


@dataclass(frozen=True)
class Gold:
    """The domain-acts of each row, and its slot values as "slot=value"."""

    acts: list[NluLabels]
    entities: list[NluLabels]


def _gold(data_dir: Path, found: HeldOut) -> Gold:
    dialogues = multiwoz.read(data_dir / "multiwoz21", "test")
    said = [dialogues[row.dialogue_id][row.turn_index] for row in found.rows]
    return Gold(
        [rasa_data.domain_acts(row.labels) for row in found.rows],
        [
            frozenset(
                _pair(found.entity, found.value or turn.turn.text[found.start : found.end]) for found in rasa_data.entities_of(turn)
            )
            for turn in said
        ],
    )


def _add(sheet: Sheet, form: str, system: RasaSystem, reads: dict[tuple[str, str], NluReadings], gold: Gold) -> None:
    read = reads[form, system.name]
    now = [said == right for said, right in zip(read.acts, gold.acts, strict=True)]
    sheet.add(form, system.name, "intent_f1", metrics.micro_f1(gold.acts, read.acts, 100))
    sheet.add(form, system.name, "intent_accuracy", metrics.mean(now, 100))
    sheet.add(form, system.name, "entity_f1", metrics.micro_f1(gold.entities, read.entities, 100))
    plain = reads.get((form, system.base))
    if plain is None or system.name == system.base:
        return
    was = [said == right for said, right in zip(plain.acts, gold.acts, strict=True)]
    sheet.add(form, system.name, "fixed", metrics.mean([new and not old for old, new in zip(was, now, strict=True)], 100))
    sheet.add(form, system.name, "broken", metrics.mean([old and not new for old, new in zip(was, now, strict=True)], 100))
    if form == "indirect" and ("direct", system.base) in reads:
        people = reads["direct", system.base].acts
        gap = metrics.gap_recovered(gold.acts, plain.acts, people, read.acts, 100)
        if np.isnan(gap.value):
            sheet.add_unscored(form, system.name, ["gap_recovered"], f"{system.base} reads people's direct forms no better")
        else:
            sheet.add(form, system.name, "gap_recovered", gap)
    without = reads.get((form, system.without_rewriter))
    if system.mode is not None and without is not None:
        added = np.asarray(read.milliseconds) - np.asarray(without.milliseconds)
        for name, share in (("added_p50_ms", 0.5), ("added_p95_ms", 0.95)):
            sheet.add(form, system.name, name, percentile(added, share))


BENCHMARK = Benchmark(
    "rasa-nlu", RasaOptions, SYSTEMS | own_bot.SYSTEMS, (*FILES, ("multiwoz21", "val.json.zip", "val.json")), evaluate
)
