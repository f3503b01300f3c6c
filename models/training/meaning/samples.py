"""What the reader of meaning learns from: menus, each with turns and what they mean. One menu with its turns is one step."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grice.models.data import circa, implicature
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.menu import REPLIES
from grice.models.meaning.results import TurnKind
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.written import SlotMention, WrittenBot, WrittenTurn

Meaning = tuple[str, str]
"""Kind and name of a meaning: ("intent", NAME) or ("act", NAME)."""

NOTHING: Meaning = ("act", "none")

LISTED_REPLIES: dict[str, tuple[tuple[str, str], ...]] = {
    "yes": (
        ("affirm", "says yes to what the bot asked"),
        ("confirm", "agrees or confirms"),
        ("accept", "takes the offer"),
        ("yes", ""),
        ("accept_offer", "the user accepts what the assistant proposes"),
        ("agree", "user answers the question with yes"),
        ("positive_reply", "positive answer to the pending question"),
        ("say_yes", "The customer says yes."),
        ("go_ahead", "wants the bot to do what it proposed"),
    ),
    "no": (
        ("deny", "says no to what the bot asked"),
        ("decline", "turns the offer down"),
        ("reject", "refuses or denies"),
        ("no", ""),
        ("decline_offer", "the user does not want what the assistant proposes"),
        ("disagree", "user answers the question with no"),
        ("negative_reply", "negative answer to the pending question"),
        ("say_no", "The customer says no."),
        ("do_not_do_it", "does not want what the bot proposed"),
    ),
    "yes-but": (
        ("agree_with_condition", "says yes, but only under a condition or with a change"),
        ("conditional_yes", "accepts with a reservation"),
    ),
    "no-but": (
        ("something_else", "turns it down and wants another one instead"),
        ("ask_for_alternative", "does not take the offer, asks for something different"),
    ),
    "not-yet": (
        ("not_sure", "cannot decide yet"),
        ("undecided", "has to think about it or ask somebody"),
        ("unsure", "does not know yet, wants to decide later"),
        ("maybe_later", "needs time before answering"),
        ("hesitate", "user cannot say yes or no at the moment"),
    ),
    "any": (
        ("no_preference", "does not mind which"),
        ("dont_care", "any of them will do"),
        ("anything_goes", "leaves the choice to the bot"),
    ),
    "courtesy": (
        ("small_talk", "greetings, thanks, goodbyes and chat that ask for nothing"),
        ("chitchat", "the user is just being polite"),
    ),
}
"""Wordings under which bots list replies among their intents."""

_LISTED_AS = {"yes-but": "yes", "no-but": "no"}


@dataclass(frozen=True)
class Target:
    """What a turn means.

    Attributes:
        meaning: on its menu; None: nobody knows. mentions: of slots; None: nobody knows.
        kind, changes: as a written turn has them; kind may be None. option: which is chosen, from 1; 0: none.
        judged: shares of judges, by class of Circa.
        compared: the turn that this one is a form of, and its place among the forms, the most direct first; None: it has no others.
        plain: what a careful person would say in its place. misread: what a hasty reader makes of it. "": not known.
    """

    meaning: Meaning | None
    mentions: dict[str, SlotMention] | None = field(default_factory=dict)
    kind: TurnKind | None = None
    changes: bool | None = None
    option: int = 0
    judged: tuple[float, ...] = ()
    compared: tuple[str, int] | None = None
    plain: str = ""
    misread: str = ""


@dataclass(frozen=True)
class MenuTurns:
    """A menu and turns to read against it. `source` is the hand or the data set."""

    source: str
    schema: BotSchema
    turns: tuple[tuple[Dialogue, Target], ...]


def share_of(text: str) -> float:
    """A number from 0 to 1 that follows from a text alone: for splits that a subset of the data does not change."""
    return int(hashlib.sha256(f"meaning:{text}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def is_trained_intent(name: str) -> bool:
    """Whether an intent of the implicature sets, `SET/INTENT`, may be trained on: four of five may."""
    return share_of(name) < 0.8


def is_trained_question(question: str) -> bool:
    """Whether answers to a question of Circa may be trained on."""
    return share_of(question) < 0.85


def as_written(bot: WrittenBot) -> MenuTurns:
    """A bot's own menu and its turns as they are: what is evaluated."""
    return MenuTurns(bot.hand, bot.schema, tuple((_dialogue(turn, turn.text), target_of(turn)) for turn in bot.turns))


def target_of(turn: WrittenTurn) -> Target:
    """What a written turn means on its bot's own menu."""
    plain, misread = (turn.direct, turn.wrong) if turn.kind == "indirect" else ("", "")
    return Target(_meaning(turn), turn.mentions, turn.kind, turn.changes, turn.option, plain=plain, misread=misread)


def varied(bot: WrittenBot, others: Sequence[WrittenBot], rng: random.Random) -> MenuTurns:
    """A bot's turns on a menu that differs from its own: intents left out, strange ones added, replies listed, examples given."""
    taken, given = _give_examples(bot, rng) if rng.random() < 0.3 else (set(), {})
    intents = [_reworded(intent, given.get(intent.name, ()), rng) for intent in bot.schema.intents]
    gone: set[str] = set()
    if len(intents) > 5 and rng.random() < 0.35:
        gone = {intent.name for intent in rng.sample(intents, rng.choice((1, 1, 2)))}
    names = {intent.name for intent in intents}
    strange = [other for other in rng.choice(others).schema.intents if other.name not in names] if rng.random() < 0.3 else []
    listed = list_replies(names, rng) if rng.random() < 0.5 else {}
    replies = list(listed.values())
    strange = [other for other in strange if other.name not in {reply.name for reply in replies}]
    kept = [intent for intent in intents if intent.name not in gone] + rng.sample(strange, min(len(strange), rng.randint(1, 4)))
    schema = BotSchema(tuple(kept + replies), bot.schema.slots)
    turns = []
    for turn in bot.turns:
        if id(turn) in taken:
            continue
        target = target_of(turn)
        target = dataclasses.replace(target, meaning=on_menu(target.meaning, gone, listed))
        turns.append((_dialogue(turn, _retold(turn, rng)), target))
    return MenuTurns(bot.hand, schema, tuple(turns))


def _meaning(turn: WrittenTurn) -> Meaning:
    if turn.meaning:
        return ("act" if turn.meaning in REPLIES else "intent", turn.meaning)
    if turn.kind == "courtesy":
        return ("act", "courtesy")
    return NOTHING if turn.kind == "out_of_scope" else ("act", "answer")


def list_replies(taken: Collection[str], rng: random.Random) -> dict[str, IntentSpec]:
    """Replies that a bot lists among its intents, by what they are: yes, no, and now and then others; no name that is `taken`."""
    rare = {"not-yet": 0.6, "any": 0.6, "yes-but": 0.25, "no-but": 0.25, "courtesy": 0.2}
    acts = ("yes", "no", *(act for act, often in rare.items() if rng.random() < often))
    drawn = {act: IntentSpec(*rng.choice(LISTED_REPLIES[act])) for act in acts}
    return {act: intent for act, intent in drawn.items() if intent.name not in taken}


def on_menu(meaning: Meaning | None, gone: Collection[str], listed: Mapping[str, IntentSpec]) -> Meaning | None:
    """A meaning on a menu that lacks the intents `gone` and lists replies among its intents."""
    if meaning is None:
        return None
    kind, name = meaning
    if kind == "intent":
        return NOTHING if name in gone else meaning
    reply = listed.get(name) or listed.get(_LISTED_AS.get(name, ""))
    return ("intent", reply.name) if reply else meaning


def _dialogue(turn: WrittenTurn, text: str) -> Dialogue:
    return Dialogue((*turn.history, Turn("user", text)))


def _retold(turn: WrittenTurn, rng: random.Random) -> str:
    """The turn, now and then its direct form, or as people type."""
    draw = rng.random()
    if draw < 0.1 and turn.kind in ("indirect", "direct") and not any(mention.words for mention in turn.mentions.values()):
        return turn.direct
    if draw < 0.2:
        return typed(turn.text)
    return turn.text


def typed(text: str) -> str:
    """A text without capitals and punctuation at its end."""
    return text.lower().rstrip(".!").replace("'", "") or text


def _reworded(intent: IntentSpec, examples: Sequence[str], rng: random.Random) -> IntentSpec:
    description = "" if examples and rng.random() < 0.4 else intent.description
    return IntentSpec(intent.name, description, tuple(dict.fromkeys(examples)))


def _give_examples(bot: WrittenBot, rng: random.Random) -> tuple[set[int], dict[str, list[str]]]:
    """Turns that become examples of their intents, and what the examples say: mostly direct forms, as bots have them."""
    taken: set[int] = set()
    given: dict[str, list[str]] = defaultdict(list)
    names = {intent.name for intent in bot.schema.intents}
    by_intent: dict[str, list[WrittenTurn]] = defaultdict(list)
    for turn in bot.turns:
        if turn.meaning in names:
            by_intent[turn.meaning].append(turn)
    for name, turns in by_intent.items():
        for turn in rng.sample(turns, rng.randint(0, len(turns) // 2)):
            taken.add(id(turn))
            given[name].append(turn.direct if rng.random() < 0.75 else turn.text)
    return taken, given


def implicature_menus(
    data_dir: Path, wanted: Callable[[str], bool], rng: random.Random, turns_each: int = 24
) -> Iterator[MenuTurns]:
    """Menus of intents of one set with indirect utterances, half as many direct ones, and utterances whose intent is not listed.

    `wanted` says which intents may be used, by `SET/INTENT`.
    """
    for intent_set in implicature.INTENT_SETS:
        indirect, direct = utterances_by_intent(data_dir, intent_set, wanted)
        left = {intent: rng.sample(texts, len(texts)) for intent, texts in indirect.items()}
        while sum(map(len, left.values())) > turns_each:
            there = [intent for intent, texts in left.items() if texts]
            menu = rng.sample(there, min(len(there), rng.choice((8, 10, 12, 20, 30))))
            schema = BotSchema(tuple(_with_examples(intent, direct[intent], rng) for intent in menu))
            turns = []
            for place in range(turns_each):
                intent = menu[place % len(menu)]
                if left[intent]:
                    turns.append(_utterance(left[intent].pop(), ("intent", intent), "indirect"))
            for _ in range(turns_each // 2):
                intent = rng.choice(menu)
                turns.append(_utterance(rng.choice(direct[intent]), ("intent", intent), "direct"))
            absent = sorted(set(indirect) - set(menu))
            for intent in rng.sample(absent, min(len(absent), 3)):
                turns.append(_utterance(rng.choice(direct[intent]), NOTHING, None))
            yield MenuTurns(f"implicature/{intent_set}", schema, tuple(turns))


def utterances_by_intent(
    data_dir: Path, intent_set: implicature.IntentSet, wanted: Callable[[str], bool]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Indirect utterances, and direct ones of the train part, of the wanted intents."""
    indirect: dict[str, list[str]] = defaultdict(list)
    direct: dict[str, list[str]] = defaultdict(list)
    for each in implicature.read(data_dir, intent_set):
        if wanted(f"{intent_set}/{each.intent}"):
            name = _key(each.intent)
            if each.part == "indirect":
                indirect[name].append(each.text)
            elif each.part == "train":
                direct[name].append(each.text)
    return dict(indirect), {intent: direct[intent] for intent in indirect}


def circa_menus(
    answers: Sequence[circa.JudgedAnswer], bots: Sequence[WrittenBot], rng: random.Random, turns_each: int = 40
) -> Iterator[MenuTurns]:
    """Answers to yes/no questions, beside intents of a bot that they have nothing to do with."""
    order = rng.sample(list(answers), len(answers))
    for start in range(0, len(order) - turns_each + 1, turns_each):
        intents = rng.choice(bots).schema.intents
        few = rng.sample(intents, rng.randint(1, min(4, len(intents))))
        listed = list_replies([intent.name for intent in few], rng) if rng.random() < 0.5 else {}
        turns = [circa_turn(answer) for answer in order[start : start + turns_each]]
        yield MenuTurns("circa", BotSchema((*few, *listed.values())), tuple(replied(turn, listed) for turn in turns))


def replied(turn: tuple[Dialogue, Target], listed: Mapping[str, IntentSpec]) -> tuple[Dialogue, Target]:
    """The turn where replies are listed among the intents."""
    dialogue, target = turn
    return dialogue, dataclasses.replace(target, meaning=on_menu(target.meaning, (), listed))


_REPLY_OF = {"Yes": "yes", "No": "no", "Yes, subject to some conditions": "yes-but"}


def circa_turn(answer: circa.JudgedAnswer) -> tuple[Dialogue, Target]:
    """The question as the bot's turn, the answer as the user's; the situation stands before them."""
    dialogue = Dialogue((Turn("bot", answer.context), Turn("bot", answer.question), Turn("user", answer.answer)))
    reply = _REPLY_OF.get(answer.strict)
    return dialogue, Target(("act", reply) if reply else None, None, judged=answer.shares)


def _key(intent: str) -> str:
    """The intent's name in one style: its sets write `card_arrival` and `What is the…` alike."""
    return re.sub(r"\W+", "_", intent).strip("_")


def _with_examples(intent: str, direct: Sequence[str], rng: random.Random) -> IntentSpec:
    count = rng.choice((0, 0, 1, 3, 6))
    return IntentSpec(intent, "", tuple(dict.fromkeys(rng.sample(list(direct), min(count, len(direct))))))


def _utterance(text: str, meaning: Meaning, kind: TurnKind | None) -> tuple[Dialogue, Target]:
    return Dialogue.of(text), Target(meaning, None, kind)
