"""What is asked about a response, and what is found: how likely it is faulty, in which way, and the words on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.relations.labels import SETTINGS, RelationLabel, Setting
from grice.models.relations.rows import text_rows
from grice.models.results import Behavior, Share

QuotedKind = Literal["document", "fact", "policy", "user", "bot", "response"]
EvidenceSupport = Literal["supported", "contradicted", "not found", "no evidence"]


@dataclass(frozen=True)
class RelationQuestion:
    """A response with what the bot should know.

    Attributes:
        dialogue: It ends in the bot's response.
        documents: What the bot was given to answer from.
        facts: Rows of results of tools or of a database, fields to values. Values are kept as texts (`text_rows`): true is "yes",
            false is "no", and a null field is left out.
        policy: What the bot has to keep to.
        setting: "chat", "task" or "assistant"; None: found from the dialogue.

    Raises:
        InputError: the setting is unknown, or a value of `facts` is neither text, number, true, false nor null.
    """

    dialogue: Dialogue
    documents: tuple[str, ...] = ()
    facts: tuple[Mapping[str, str], ...] = ()
    policy: tuple[str, ...] = ()
    setting: Setting | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", text_rows(self.facts))
        if self.setting is not None and self.setting not in SETTINGS:
            raise InputError("setting", self.setting, ", ".join(SETTINGS))

    @property
    def has_evidence(self) -> bool:
        """Whether anything is known that sentences can be held against."""
        return bool(self.documents or any(self.facts) or self.policy)


@dataclass(frozen=True)
class QuotedSpan:
    """Words, letter for letter.

    Attributes:
        kind: Of what they are a part.
        place: Of the turn in the dialogue, or of the document, row or policy in its list, from 0.
        sentence: Which of its sentences they are in, from 0.
        start: Where they begin in it, in characters. Of a row in "field: value; field: value".
        end: Where they end.
        text: The words.
    """

    kind: QuotedKind
    place: int
    sentence: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class RelationFinding:
    """One thing that is wrong, or good, in a response.

    Attributes:
        label: Its name.
        probability: How likely the response shows it.
        about: What it contradicts, repeats, ignores, asks again or is cold to: a turn of the bot for `!Sel`, a document, row or
            policy for `!Fac` and `unsupported` where there is one, the user's last turn for `Ign` and `unanswered`, a turn of
            the user for others. Of `user_frustration` all of the user's turn before the response. None where nothing of the kind
            is there.
        words: The response's own words; None for `user_frustration`, which is not about the response.
        rule: Whether it was found by comparing words or values, not by the model.
    """

    label: RelationLabel
    probability: Share
    about: QuotedSpan | None
    words: QuotedSpan | None
    rule: bool = False


@dataclass(frozen=True)
class QuotedPair:
    """Words on both sides.

    Attributes:
        about: As in a finding.
        words: The response's own words.
    """

    about: QuotedSpan | None
    words: QuotedSpan | None


@dataclass(frozen=True)
class SentenceSupport:
    """Whether what the bot was given bears out a sentence of the response.

    Attributes:
        words: The sentence.
        support: "no evidence" where the bot was given nothing.
        by: What supports or contradicts it.
    """

    words: QuotedSpan
    support: EvidenceSupport
    by: QuotedSpan | None = None


@dataclass(frozen=True)
class ResponseRelations:
    """What was found of a response.

    Attributes:
        bad: How likely anything is wrong with it.
        alarm: Whether that is worth an alarm under the budget of its setting.
        setting: As given, or as found.
        labels: For each label, how likely the response shows it; null for `!Fac` where the bot was given nothing. Of
            `user_frustration` how likely the user's turn before the response shows it; null where that was not read, or is not
            the first response to it. It is part of neither `bad` nor `alarm`.
        about: What it most likely clashes with, if it does, whichever fault that is; null where nothing was said or given.
        findings: The labels that it shows, the likeliest first, and after them `user_frustration` where the user's turn shows it.
        sentences: Of each sentence, whether it is borne out.
        quotes: Of behaviours, the words on both sides, if the response shows them. The monitor keeps those of behaviours that are
            shown or uncertain.
    """

    bad: Share
    alarm: bool
    setting: Setting
    labels: Mapping[RelationLabel, Share | None]
    about: QuotedSpan | None
    findings: tuple[RelationFinding, ...]
    sentences: tuple[SentenceSupport, ...]
    quotes: Mapping[Behavior, QuotedPair] = field(default_factory=dict)
