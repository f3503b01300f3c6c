"""Persuasions in which the persuader reproaches the persuadee, written by a language model, and who else finds a reproach in them.

The study is that of the paper on intention detection in persuasive dialogues, section 4.2: hpos- of the persuader is where language
models are blind. Settings, storyline and strategies are those of its appendix H, in our words. There people picked the critical
utterances; here the writer marks them.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.llm import Ask, LlmRun, LlmTask, Question, WindowedOptions, answer_all
from grice.benchmarks.persuasion import llm as persuasion_llm
from grice.benchmarks.persuasion.annotations import AnnotatedDialogue, AnnotatedUtterance
from grice.benchmarks.persuasion.llm import NAMES
from grice.benchmarks.persuasion.predictions import Predictor
from grice.benchmarks.persuasion.questions import IntentionQuestion
from grice.middleware.llm import Message
from grice.models.dialogue import plain_text
from grice.models.errors import InputError
from grice.models.face_acts.descriptions import DESCRIPTIONS
from grice.models.results import FACE_ACTS, FaceAct, PersuasionRole

CRITICIZES = "er-criticizes"
CHOICES = (CRITICIZES, "er-motivates", "er-states-preference", "er-asks-amount")
"""What a judge chooses from: a reproach, and what GPT-4 took reproaches for (the paper's Table 6)."""
CRITICAL: FaceAct = "hpos-"
MARK = "[critical]"
FEWEST_UTTERANCES = 4

PATTERNS: Mapping[str, str] = {
    "spending": (
        "the persuader harshly attacks how the persuadee spends money: for instance that they waste it on coffee, sweets or fast "
        "food day by day (say the word waste), or, if they already support another charity, that this money had better go to Save "
        "the Children and is no excuse"
    ),
    "inaction": (
        "the persuader harshly attacks the persuadee for standing by: for instance that who gives nothing lets poor children "
        "suffer or die, that it is hard to see why anyone would not save a life, or that the persuadee is far better off than they"
    ),
}
"""How the persuader criticizes (the paper, section 4.2.1)."""
HESITATIONS = (
    "money is short this month",
    "they are saving for something",
    "they already support a local charity",
    "they doubt that large organisations use money well",
    "they would sooner keep the small reward of the task",
)
OPENINGS = ("The persuader begins in a friendly way.", "The persuader comes to the point at once.")

TEMPLATE = f"""\
You write scenes for the stage. Write one, a chat between two people.

# Setting
At least twenty messages, short ones as in a chat, with three sentences at most. Two crowd workers who do not know each
other chat without names for a reward of 2 dollars each. One has the role of the persuader, the other one that of the
persuadee. They talk about Save the Children, a charity that was founded in Britain in 1919 and works for children all over
the world. The persuader wants the persuadee to give to it. In the end each of them decides how much of the reward to give,
from 0 to 2 dollars.

# Story
1. The persuader says hello, brings up Save the Children, and asks what the persuadee knows or thinks of it. {{opening}}
2. The persuader asks for a donation. The persuadee does not want to give, because {{hesitation}}, and says no.
3. Now {{pattern}}. This happens in three messages or more.
4. The persuadee holds out for several messages, the persuader does not let go, and in the end the persuadee gives half a
dollar.

# What they may do
The persuader: argue with facts about what a donation does; appeal to feelings with stories, pity, anger or guilt; ask
questions that are none; be ironic and say the opposite of what is meant.
The persuadee: refuse in a few words; refuse to give more; name an amount; confirm an amount; answer at length, without a
subject of their own, why they would not give.

# Form
One message a line, "{NAMES["persuader"]}: " or "{NAMES["persuadee"]}: " before it, and nothing else. Where the persuader
criticizes the persuadee as in step 3, write "{NAMES["persuader"]} {MARK}: " before the message."""

_LINE = re.compile(rf"({'|'.join(NAMES.values())})( {re.escape(MARK)})?: (.+)")
_ROLES: Mapping[str, PersuasionRole] = {name: role for role, name in NAMES.items()}

Written = Sequence[tuple[PersuasionRole, str, bool]]
"""PersuasionRole and text of each message, and whether it is marked as critical."""


def prompts() -> dict[str, str]:
    """All prompts, which differ in pattern, hesitation and opening, by an id; the patterns take turns."""
    found = {}
    cases = itertools.product(enumerate(HESITATIONS), enumerate(OPENINGS), PATTERNS.items())
    for (number, hesitation), (order, opening), (name, pattern) in cases:
        found[f"{name}-{number}{order}"] = TEMPLATE.format(opening=opening, hesitation=hesitation, pattern=pattern)
    return found


def written(reply: str) -> Written | None:
    """The messages in a reply; None where it has too few, or none of the persuader's is marked."""
    matches = [_LINE.fullmatch(line.strip()) for line in reply.splitlines()]
    said = [(_ROLES[match[1]], plain_text(match[3]), bool(match[2])) for match in matches if match]
    is_critical = any(mark and role == "persuader" for role, _, mark in said)
    return said if len(said) >= FEWEST_UTTERANCES and is_critical else None


def generated(model: str, count: int, options: WindowedOptions) -> tuple[LlmRun, list[AnnotatedDialogue]]:
    """`count` dialogues by `model`, as far as its replies can be read; marked messages have the face act hpos-, others none.

    Raises:
        InputError: there are not so many prompts.
        GriceError: as `answer_all`.
    """
    known = prompts()
    if not 1 <= count <= len(known):
        raise InputError("dialogues", count, f"1 to {len(known)}, one a prompt")
    questions = [Question(name, name, None, partial(_write, prompt), prompt) for name, prompt in list(known.items())[:count]]
    run = answer_all(questions, model, options, LlmTask("persuasion critical-dialogues", {"benchmark": "persuasion"}))
    return run, [marked_dialogue(sample.sample_id, sample.prediction) for sample in run.samples if sample.prediction]


def _write(prompt: str, ask: Ask) -> Written | None:
    return written(ask([Message("user", prompt)]))


def marked_dialogue(name: str, said: Written) -> AnnotatedDialogue:
    """The dialogue that a model wrote; the persuader's marked messages have the face act `CRITICAL`."""
    utterances = (AnnotatedUtterance(role, text, CRITICAL if mark and role == "persuader" else None) for role, text, mark in said)
    return AnnotatedDialogue(name, tuple(utterances))


def critical_questions(dialogues: Sequence[AnnotatedDialogue], seed: int = 0) -> list[IntentionQuestion]:
    """What does the persuader intend with each marked message? The options are `CHOICES`, in an order of their own."""
    descriptions = {each.id: each for each in DESCRIPTIONS.by_wording["new"]}
    found = []
    for dialogue in dialogues:
        for place, said in enumerate(dialogue.utterances):
            if said.face_act == CRITICAL:
                order = list(CHOICES)
                random.Random(f"{seed}:{dialogue.dialogue_id}:{place}").shuffle(order)
                options = tuple(descriptions[each] for each in order)
                history = dialogue.utterances[:place]
                found.append(IntentionQuestion(dialogue.dialogue_id, place, 1, history, said, options, order.index(CRITICIZES)))
    return found


@dataclass(frozen=True)
class MessageFinding:
    """What is found in a message that was to be critical.

    Attributes:
        judge: the id of the description that the judge chose; None where it has no answer that can be read, or there is no judge.
        detector: the face act that our detector finds most probable; None where there is no detector.
    """

    question: IntentionQuestion
    judge: str | None
    detector: FaceAct | None


def findings(
    questions: Sequence[IntentionQuestion], judge: str | None, predictor: Predictor | None, options: WindowedOptions
) -> tuple[LlmRun | None, list[MessageFinding]]:
    """Ask the language model `judge`, with a reason first, and the detector about each question.

    Raises:
        GriceError: as `answer_all`.
    """
    run = persuasion_llm.ask_all("openai-cot", judge, "critical-utterances", questions, options) if judge else None
    places = persuasion_llm.places(run) if run else [None] * len(questions)
    chosen = [None if place is None else each.options[place].id for each, place in zip(questions, places, strict=True)]
    acts: list[FaceAct | None] = [None] * len(questions)
    if predictor:
        acts = [FACE_ACTS[place] for place in np.argmax(predictor.probabilities(questions), axis=1)]
    return run, [MessageFinding(*each) for each in zip(questions, chosen, acts, strict=True)]


def agreement(found: Sequence[MessageFinding]) -> Table:
    """How often each pair of judge's and detector's findings occurs, in the layout of the paper's Table 7."""
    counts = Counter((each.judge or "no answer", _column(each.detector)) for each in found)
    columns = [column for column in (CRITICAL, "another face act", "not asked") if any(key[1] == column for key in counts)]
    rows: list[tuple[Cell, ...]] = [
        (judge, *(counts[judge, column] for column in columns), sum(counts[judge, column] for column in columns))
        for judge in (*CHOICES, "no answer")
    ]
    return Table(f"{len(found)} messages that were to be critical", ("judge \\ detector", *columns, "all"), tuple(rows))


def _column(face_act: FaceAct | None) -> str:
    return "not asked" if face_act is None else CRITICAL if face_act == CRITICAL else "another face act"


def finding_lines(dialogues: Sequence[AnnotatedDialogue], found: Sequence[MessageFinding]) -> Iterator[str]:
    """The dialogues as JSON lines in the format of annotated persuasions, each critical message with what was found in it."""
    by_place = {(each.question.dialogue_id, each.question.place): each for each in found}
    for dialogue in dialogues:
        utterances = []
        for place, said in enumerate(dialogue.utterances):
            entry: dict[str, Any] = {"role": said.role, "text": said.text, "face_act": said.face_act}
            if finding := by_place.get((dialogue.dialogue_id, place)):
                entry |= {"judge": finding.judge, "detector": finding.detector}
            utterances.append(entry)
        yield json.dumps({"dialogue_id": dialogue.dialogue_id, "utterances": utterances}, ensure_ascii=False)
