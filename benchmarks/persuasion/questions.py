"""Multiple-choice questions on what the speaker of an utterance in a persuasion intends.

From the paper on intention detection in persuasive dialogues: utterances are joined as in its appendix C, and wrong options are
drawn as in its appendix D.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from grice.benchmarks.persuasion.annotations import AnnotatedDialogue, AnnotatedUtterance
from grice.models.errors import InputError
from grice.models.face_acts.descriptions import DESCRIPTIONS, IntentionDescription, Phrasing

DISTRACTORS = 3
LETTERS = "ABCD"
STOP = "."


@dataclass(frozen=True)
class IntentionQuestion:
    """What does the speaker of the last utterance intend?

    Attributes:
        dialogue_id, place: of its first utterance, 0 the first of the dialogue.
        joined: how many utterances in a row are read as one.
        history: all utterances before it, oldest first.
        utterance: what is asked about, joined.
        options: four descriptions of the same speaker.
        gold: the place of the right one.
    """

    dialogue_id: str
    place: int
    joined: int
    history: tuple[AnnotatedUtterance, ...]
    utterance: AnnotatedUtterance
    options: tuple[IntentionDescription, ...]
    gold: int

    @property
    def question_id(self) -> str:
        """Unique among the questions of one data set and wording."""
        return f"{self.dialogue_id}:{self.place}"

    @property
    def answer(self) -> IntentionDescription:
        """The right option."""
        return self.options[self.gold]


def questions_of(
    dialogues: Sequence[AnnotatedDialogue], wording: Phrasing = "new", with_rules: bool = True, seed: int = 0
) -> list[IntentionQuestion]:
    """A question for every utterance whose intention is known; consecutive ones with the same intention are one.

    Args:
        dialogues: their ids differ.
        wording: of the descriptions.
        with_rules: descriptions that may fit as well as the right one are no distractors (Table 10).
        seed: 0 or more; of the distractors and the order of the options. Each question has its own draw, so that it stays the same
            whatever others there are.

    Raises:
        InputError: the seed is negative.
    """
    if seed < 0:
        raise InputError("seed", seed, "0 or more")
    return [
        _question(dialogue, place, joined, intention, (wording, with_rules, seed))
        for dialogue in dialogues
        for place, joined, intention in _runs(dialogue, wording)
    ]


def _runs(dialogue: AnnotatedDialogue, wording: Phrasing) -> Iterator[tuple[int, int, IntentionDescription]]:
    """Place, length and intention of each longest run of utterances with one intention."""
    place = 0
    for intention, run in groupby(said.intention(wording) for said in dialogue.utterances):
        joined = len(list(run))
        if intention is not None:
            yield place, joined, intention
        place += joined


def _question(
    dialogue: AnnotatedDialogue, place: int, joined: int, intention: IntentionDescription, drawn: tuple[Phrasing, bool, int]
) -> IntentionQuestion:
    wording, with_rules, seed = drawn
    chance = random.Random(f"{seed}:{dialogue.dialogue_id}:{place}")
    options = [intention, *chance.sample(distractors(intention, wording, with_rules), DISTRACTORS)]
    chance.shuffle(options)
    said = dialogue.utterances[place : place + joined]
    whole = AnnotatedUtterance(intention.role, joined_text([each.text for each in said]), intention.face_act)
    history = dialogue.utterances[:place]
    return IntentionQuestion(dialogue.dialogue_id, place, joined, history, whole, tuple(options), options.index(intention))


def distractors(intention: IntentionDescription, wording: Phrasing, with_rules: bool = True) -> list[IntentionDescription]:
    """The descriptions that may stand beside the right one: same speaker, other face act; with rules, of none of its groups."""
    related = DESCRIPTIONS.related(intention) if with_rules else frozenset()
    return [
        each
        for each in DESCRIPTIONS.by_wording[wording]
        if each.role == intention.role and each.face_act != intention.face_act and each.id not in related
    ]


def joined_text(texts: Sequence[str]) -> str:
    """Utterances as one: each but the last ends in a full stop, which is added where it has none, even after "?" (appendix C)."""
    first = [text if text.endswith(STOP) else text + STOP for text in texts[:-1]]
    return " ".join([*first, *texts[-1:]])


def question_lines(questions: Sequence[IntentionQuestion]) -> Iterator[str]:
    """The questions as JSON lines."""
    for each in questions:
        yield json.dumps(
            {
                "question_id": each.question_id,
                "dialogue_id": each.dialogue_id,
                "face_act": each.utterance.face_act,
                "history": [{"role": said.role, "text": said.text} for said in each.history],
                "utterance": {"role": each.utterance.role, "text": each.utterance.text},
                "options": {
                    letter: {"id": option.id, "text": option.text} for letter, option in zip(LETTERS, each.options, strict=True)
                },
                "gold": LETTERS[each.gold],
            },
            ensure_ascii=False,
        )
