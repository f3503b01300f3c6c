"""The auxiliary networks of the behaviour monitor: fitted to other data than ABC-Eval, and then left as they are.

These are judged breakdowns, contradictions and attribution, and responses of people: as they are, or spoilt by rule, irrelevant (a
response from elsewhere), redundant (said again), or contradicting (an earlier statement of the bot or of its partner, negated or
with another number). Nothing of ABC-Eval is among them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grice.models.behaviors.heads import network_inputs
from grice.models.behaviors.inputs import read_inputs
from grice.models.data import begin, dbdc3, persuasion_for_good, prosecco
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.runtime.heads import Networks
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.text.wording import Wording, sentences
from grice.models.training import corpora
from grice.models.training.behaviors.members import BehaviorRecipe
from grice.models.training.heads import fit_networks

AuxiliaryLabel = Literal["breakdown", "irrelevant", "redundant", "self-contradiction", "partner-contradiction", "attributable"]
AUXILIARY_LABELS: tuple[AuxiliaryLabel, ...] = get_args(AuxiliaryLabel)

SPOILT_BY: tuple[AuxiliaryLabel, ...] = ("irrelevant", "redundant", "self-contradiction", "partner-contradiction")
SHORTEST_HISTORY = 3
LONGEST_HISTORY = 24

_PRONOUNS = {"i": "you", "i'm": "you're", "i've": "you've", "my": "your", "mine": "yours", "me": "you", "am": "are"} | {
    "you": "I",
    "you're": "I'm",
    "you've": "I've",
    "your": "my",
    "yours": "mine",
}
_NEGATABLE = (
    {"am": "am not", "is": "isn't", "are": "aren't", "was": "wasn't", "can": "can't", "will": "won't", "would": "wouldn't"}
    | {"have": "don't have", "like": "don't like", "love": "hate", "want": "don't want", "need": "don't need", "i'm": "I'm not"}
    | {"know": "don't know", "think": "don't think", "live": "don't live", "work": "don't work", "you're": "you're not"}
)
_NEGATED = {"not": "", "never": "always", "don't": "do", "isn't": "is", "aren't": "are", "can't": "can", "won't": "will"} | {
    "cannot": "can",
    "didn't": "did",
    "wasn't": "was",
    "haven't": "have",
    "wouldn't": "would",
    "doesn't": "does",
    "no": "some",
}
_WORD = re.compile(r"[A-Za-z']+|\d+")


def train_auxiliary(data_dir: Path, out: Path, recipe: BehaviorRecipe, encoder: SentenceEncoder) -> Networks:
    """Networks whose labels are `AUXILIARY_LABELS`; kept in `out/auxiliary.npz` for the next call with the same recipe and encoder.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    path = out / "auxiliary.npz"
    parts = {"recipe": asdict(recipe.auxiliary), "spoilt": recipe.spoilt, "seed": recipe.seed}
    about = json.dumps({**parts, "encoder": encoder.identity, "precision": encoder.precision}, sort_keys=True)
    if path.is_file():
        with np.load(path) as stored:
            if str(stored["about"]) == about:
                return Networks(**{each.name: stored[each.name] for each in fields(Networks)})
    examples = read_examples(data_dir, recipe.spoilt, recipe.seed)
    bar = tqdm(examples, desc="reading other data", mininterval=5)
    table = np.stack([network_inputs(read_inputs(encoder, example.dialogue)) for example in bar])
    networks = fit_networks(table, shares(examples), recipe.auxiliary, recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {**vars(networks), "about": about}
    np.savez(path, **arrays)
    return networks


def shares(examples: list[AuxiliaryExample]) -> NDArray[np.float64]:
    """Shape (examples, labels); NaN where a label is not known."""
    return np.array([[example.shares.get(label, np.nan) for label in AUXILIARY_LABELS] for example in examples])


@dataclass(frozen=True)
class AuxiliaryExample:
    """A response with its dialogue, and what is known of it: shares from 0 to 1, by label; what is not known is left out."""

    dialogue: Dialogue
    shares: Mapping[AuxiliaryLabel, float]


def read_examples(data_dir: Path, spoilt: int, seed: int) -> list[AuxiliaryExample]:
    """All examples; of those spoilt by rule, and the unspoilt beside them, `spoilt` for each corpus.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    chance = random.Random(seed)
    people: list[Sequence[Sequence[Turn]]] = [
        [dialogue.with_bot(chance.choice(("persuader", "persuadee"))) for dialogue in persuasion_for_good.read(data_dir)],
        corpora.sgd_dialogues(data_dir),
        corpora.multiwoz_dialogues(data_dir),
    ]
    made = [example for corpus in people for example in spoilt_responses(corpus, spoilt, chance)]
    return [*_breakdowns(data_dir), *_contradictions(data_dir), *_attributions(data_dir), *made]


def _breakdowns(data_dir: Path) -> Iterator[AuxiliaryExample]:
    for judged in dbdc3.read(data_dir):
        for place, said in enumerate(judged.turns):
            if said.votes and not said.silent:
                share = (said.votes.breakdown + said.votes.possible / 2) / said.votes.annotators
                turns = tuple(each.turn for each in judged.turns[: place + 1])
                yield AuxiliaryExample(Dialogue(turns), {"breakdown": share})


def _contradictions(data_dir: Path) -> Iterator[AuxiliaryExample]:
    for pair in prosecco.read(data_dir):
        turns = Turn("bot", pair.first), Turn("user", "I see.")
        yield AuxiliaryExample(Dialogue.of(pair.second, turns, "bot"), {"self-contradiction": float(pair.contradictory)})


def _attributions(data_dir: Path) -> Iterator[AuxiliaryExample]:
    for record in begin.read(data_dir):
        turns = Turn("bot", record.knowledge), Turn("user", record.message)
        shares: dict[AuxiliaryLabel, float] = {"attributable": float(record.attribution == "fully attributable")}
        yield AuxiliaryExample(Dialogue.of(record.response, turns, "bot"), shares)


def spoilt_responses(dialogues: Sequence[Sequence[Turn]], most: int, chance: random.Random) -> Iterator[AuxiliaryExample]:
    """`most` of the bot's responses, drawn at random: half of them as they were, the others spoilt in one of four ways."""
    places = [
        (number, place)
        for number, turns in enumerate(dialogues)
        for place, turn in enumerate(turns)
        if turn.speaker == "bot" and place >= SHORTEST_HISTORY
    ]
    responses = [dialogues[number][place].text for number, place in places]
    for number, place in chance.sample(places, min(most, len(places))):
        history, response = dialogues[number][max(0, place - LONGEST_HISTORY) : place], dialogues[number][place].text
        shares: dict[AuxiliaryLabel, float] = dict.fromkeys(SPOILT_BY, 0.0)
        if chance.random() < 0.5:
            way = chance.choice(SPOILT_BY)
            spoilt = _spoil(way, history, response, responses, chance)
            if spoilt and spoilt != response:
                response, shares[way] = spoilt, 1.0
        yield AuxiliaryExample(Dialogue.of(response, history, "bot"), shares)


def _spoil(
    way: AuxiliaryLabel, history: Sequence[Turn], response: str, responses: Sequence[str], chance: random.Random
) -> str | None:
    if way == "irrelevant":
        return chance.choice(responses)
    said = _sentences(history, "user" if way == "partner-contradiction" else "bot")
    if not said:
        return None
    if way == "redundant":
        again = chance.choice(said)
        return again if chance.random() < 0.5 else f"{response} {again}"
    statements = [each for each in said if not Wording.of(each).question]
    opposites = [opposite for each in statements if (opposite := contradicted(each, chance))]
    if not opposites:
        return None
    opposite = chance.choice(opposites)
    return with_persons_swapped(opposite) if way == "partner-contradiction" else opposite


def _sentences(history: Sequence[Turn], speaker: Speaker) -> list[str]:
    return [part for turn in history if turn.speaker == speaker for part in sentences(turn.text, 6)]


def contradicted(statement: str, chance: random.Random) -> str | None:
    """The statement with one word negated, a negation taken back, or another number; None where no rule applies."""
    found = [match for match in _WORD.finditer(statement) if _opposite(match[0], chance) is not None]
    if not found:
        return None
    negated = [match for match in found if match[0].lower() in _NEGATED]
    match = chance.choice(negated or found)
    opposite = _opposite(match[0], chance) or ""
    return " ".join((statement[: match.start()] + opposite + statement[match.end() :]).split())


def _opposite(word: str, chance: random.Random) -> str | None:
    if word.isdigit():
        return str(int(word) + chance.randint(1, 9))
    return _NEGATED.get(word.lower(), _NEGATABLE.get(word.lower()))


def with_persons_swapped(statement: str) -> str:
    """The statement as the other speaker would say it: "I" for "you", "my" for "your"."""
    return _WORD.sub(lambda match: _PRONOUNS.get(match[0].lower(), match[0]), statement)
