"""What the service answers. The answer to a single item also carries `schema_version`, as does the answer to `items`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from grice.middleware.service.schemas import Wire, WireTurn
from grice.middleware.turns.analysis import Decision, Reason, Stage, StageFailure

SchemaVersion = Annotated[Literal[1], Field(description="Version of the shape of requests and answers.")]

ModelRole = Literal["directness", "rewriter", "softener", "behaviors", "slots", "intentions", "mind"]

HistoryRead = Annotated[int, Field(description="Turns of history that the model read.")]
HistoryCut = Annotated[int, Field(description="Older turns that did not fit and were left out.")]
TextCut = Annotated[bool, Field(description="The end of the turn itself did not fit and was left out.")]


class WireFailure(Wire):
    """A stage that failed; the answer was made without it."""

    stage: Annotated[Stage, Field(description="Which stage.")]
    error: Annotated[str, Field(description="The class of the error.")]
    message: Annotated[str, Field(description="What happened.")]


Failures = Annotated[
    list[WireFailure],
    Field(description="Stages that failed; `store`: the history could not be read or kept; `nlu`: the NLU server."),
]


def wire_failures(failures: Iterable[StageFailure]) -> list[WireFailure]:
    """Failures as they travel."""
    return [WireFailure(**vars(failure)) for failure in failures]


class WireDirectness(Wire):
    """How plainly a turn says what is wanted."""

    score: Annotated[float, Field(description="0 (indirect) to 1 (direct).")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut


class WireRewrite(Wire):
    """A turn in another form."""

    text: Annotated[str, Field(description="The rewritten turn.")]
    confidence: Annotated[float, Field(description="Mean probability of its tokens, 0 to 1.")]
    tokens: Annotated[int, Field(description="How many tokens were generated, the end token included.")]
    finished: Annotated[bool, Field(description="False: it was stopped by the length limit.")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut


class DirectnessResult(WireDirectness):
    """The score of one turn."""

    failures: Failures


class DirectnessAnswer(DirectnessResult):
    """The score of a single turn."""

    schema_version: SchemaVersion = 1


class RewriteResult(WireRewrite):
    """One rewrite."""

    failures: Failures


class RewriteAnswer(RewriteResult):
    """A single rewrite."""

    schema_version: SchemaVersion = 1


class WireFinding(Wire):
    """Why the guard does not support a rewrite."""

    kind: Annotated[Literal["added", "dropped", "negation"], Field(description="Brought in, lost, or flipped by the rewrite.")]
    what: Annotated[
        Literal["number", "time", "date", "price", "name", "quoted", "negation"], Field(description="What kind of value.")
    ]
    value: Annotated[str, Field(description="The value as it is written.")]


class TurnResult(Wire):
    """A user turn after the pipeline: give `text` to the NLU."""

    dialogue_id: Annotated[str | None, Field(description="The dialogue that the turn was kept in.")]
    original: Annotated[str, Field(description="The turn as it came.")]
    text: Annotated[str, Field(description="What the NLU should read; the original unless `decision` is `rewrite`.")]
    decision: Annotated[Decision, Field(description="`clarify`: no rewrite can be trusted, ask the user.")]
    reason: Annotated[Reason, Field(description="Why.")]
    directness: Annotated[WireDirectness | None, Field(description="Null where it was not scored.")]
    rewrite: Annotated[WireRewrite | None, Field(description="Null where none was made; there also when it was not trusted.")]
    findings: Annotated[list[WireFinding], Field(description="What the guard found against the rewrite.")]
    failures: Failures


class TurnAnswer(TurnResult):
    """A single user turn after the pipeline."""

    schema_version: SchemaVersion = 1


AnyResult = TypeVar("AnyResult", bound=Wire)


class BatchAnswer(Wire, Generic[AnyResult]):
    """The answers to `items`, in their order."""

    items: Annotated[list[AnyResult], Field(description="One answer an item.")]
    schema_version: SchemaVersion = 1


class EventResult(Wire):
    """What became of one event."""

    event_id: Annotated[str, Field(description="Its name.")]
    kept: Annotated[bool, Field(description="False: its turn was there already.")]


class EventAnswer(EventResult):
    """What became of a single event."""

    schema_version: SchemaVersion = 1


class KeptDialogue(Wire):
    """A dialogue as it is kept."""

    dialogue_id: Annotated[str, Field(description="Its name.")]
    turns: Annotated[list[WireTurn], Field(description="The turns that are kept, oldest first.")]
    schema_version: SchemaVersion = 1


class WireModel(Wire):
    """A loaded model."""

    role: Annotated[ModelRole, Field(description="What it does here.")]
    name: Annotated[str, Field(description="Its name.")]
    version: Annotated[str, Field(description="Its version.")]
    provider: Annotated[str, Field(description="The execution provider that was chosen.")]
    sha256: Annotated[dict[str, str], Field(description="Checksums of its files.")]


class Models(Wire):
    """The loaded models."""

    models: Annotated[list[WireModel], Field(description="One entry a role.")]
    schema_version: SchemaVersion = 1


class Live(Wire):
    """The process answers."""

    status: Literal["live"] = "live"


class StoreState(Wire):
    """The dialogue store."""

    kind: Annotated[str, Field(description="`memory` or `redis`.")]
    reachable: Annotated[bool, Field(description="False: dialogues are analysed without their history.")]


class Ready(Wire):
    """The service can be used."""

    status: Annotated[
        Literal["ready", "degraded"], Field(description="`degraded`: usable, but the dialogue store is not reachable.")
    ]
    store: StoreState
    providers: Annotated[dict[str, str], Field(description="The execution provider chosen for each model.")]
