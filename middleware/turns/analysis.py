"""What the pipeline says of a user turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grice.middleware.turns.clarification import Clarification
from grice.models.meaning.results import TurnMeaning
from grice.models.results import Directness, Rewrite

Decision = Literal["pass", "rewrite", "clarify"]
Stage = Literal["directness", "rewriter", "guard", "store", "nlu", "service", "monitor", "judge", "slots", "intentions", "meaning"]
Reason = Literal[
    "direct",  # pass: direct enough
    "courtesy",  # pass: nothing but a greeting, thanks or a goodbye
    "indirect",  # rewrite: not direct enough, and the rewrite can be trusted
    "unchanged",  # pass: the rewriter gave the turn back as it was
    "refused",  # pass or clarify: the guard refused the rewrite
    "uncertain",  # pass or clarify: the rewriter was not confident; with a menu: no sentence was read as what the turn means
    "unknown",  # pass or clarify: the reader does not know what the turn means; without a menu: it is about nothing that is known
    "not_on_menu",  # pass: with a menu: it means nothing that is on it
    "out_of_scope",  # pass: no turn that the models can read: another language or script, code, a command, too long a text
    "failed",  # pass: a stage failed or was late
    "not_text",  # pass: the text cannot be analysed (blank, too long, not valid Unicode)
]


@dataclass(frozen=True)
class Finding:
    """Why the guard does not support a rewrite.

    Attributes:
        kind: `added` (in neither the turn nor its history), `dropped` (the user gave it, the rewrite lost it) or `negation` (turned
            around: denied or affirmed, a time on its other side, a number or place in another's part).
        what: number, time, date, price, name, quoted, topic (something to ask for, such as a train), negation, agreement (a yes for
            a hesitation or a condition) or meaning (the reader of meaning does not take the turn for it).
        value: the value as it is written.
    """

    kind: Literal["added", "dropped", "negation"]
    what: Literal["number", "time", "date", "price", "name", "quoted", "topic", "negation", "agreement", "meaning"]
    value: str


@dataclass(frozen=True)
class StageFailure:
    """A stage that failed: which, the error's class name, and its message."""

    stage: Stage
    error: str
    message: str


@dataclass(frozen=True)
class TurnAnalysis:
    """A user turn after the pipeline.

    Attributes:
        original: the turn as it came.
        text: what the NLU should read, in the mode of the settings; the original unless `decision` is `rewrite`.
        decision, reason: what was decided, and why.
        directness: None where it was not scored.
        rewrite: None where none was made; kept also when it was not trusted.
        meaning: what the turn means of the bot's menu; None where no menu was given.
        findings: what the guard found against the rewrite.
        failures: stages that failed; the turn passed unchanged then.
        clarification: what to ask the user; with a menu always there where `decision` is `clarify`, else None.
    """

    original: str
    text: str
    decision: Decision
    reason: Reason
    directness: Directness | None = None
    rewrite: Rewrite | None = None
    findings: tuple[Finding, ...] = ()
    failures: tuple[StageFailure, ...] = ()
    meaning: TurnMeaning | None = None
    clarification: Clarification | None = None
