"""What every gateway asks: does the user's last turn have to be said anew, and what does the reply do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import InstanceOf
from starlette.concurrency import run_in_threadpool

from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.events.event import MAX_NAME
from grice.middleware.gateways.rows import LONGEST, Row, asks_last, is_plain, may_change, said_anew, turns_of
from grice.middleware.service.capabilities.responses import ResponseItem
from grice.middleware.service.capabilities.turns import TurnItem
from grice.middleware.service.capabilities.wire import WireTurn
from grice.middleware.service.engine import Engine
from grice.middleware.settings import Mode
from grice.middleware.stores.dialogue_id import dialogue_id_of
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.behaviors.definitions import shows_undesired
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Turn, check_text
from grice.models.errors import InputError
from grice.models.results import Behavior
from grice.models.schema import BotSchema

GatewayAction = Literal["none", "rewritten", "blocked"]


@dataclass(frozen=True)
class GatewayPolicy:
    """What a gateway wants done.

    Attributes:
        mode: what a rewritten turn becomes: the rewrite alone, or after the original.
        longest: characters of a turn that may be rewritten.
        block: from which probability of a behaviour on a reply is blocked; none: no reply ever is.
        counted: whether a reply counts in rates and alarms.
        channel, bot_version: whose reply it is, for rates and alarms.
        judged: whether a judge may be asked, where one is set.
        menu: what the bot can understand, or the name under which that is stored; None: turns are rewritten without one.
        event_id: the reply's name; None, or one that cannot be a name: it gets a new one.
        session: the name of its conversation for alarms and where scores go, whose turns are not kept; "": it has none.
    """

    mode: Mode = "append"
    longest: int = LONGEST
    block: Mapping[Behavior, float] = field(default_factory=dict)
    counted: bool = True
    channel: str | None = None
    bot_version: str | None = None
    judged: bool = False
    menu: BotSchema | str | None = None
    event_id: str | None = None
    session: str = ""


class GatewayTurn(TurnItem):
    """A user turn whose menu is read already."""

    menu: InstanceOf[BotSchema] | None = None

    def own_schema(self) -> BotSchema | None:
        return self.menu


class GatewayReply(ResponseItem):
    """A reply of a session that has a name, but is not kept."""

    session: str = ""

    def told_dialogue(self) -> str:
        return self.session


@dataclass(frozen=True)
class CheckedCall:
    """What came of it.

    Attributes:
        action: `rewritten`: the last of `messages` is; `blocked`: the reply should not be given.
        messages: the rows as they came, but for the last where it was rewritten.
        scores: of a user turn its `directness`, of a reply its behaviours, 0 to 1; None where it was not scored.
        shown: the behaviours that a reply shows.
        alarming: whether somebody should look at the reply.
        reason: why, in a word or a sentence; of a user turn as the pipeline says it.
        rewrite: the direct form of the turn, where it was rewritten.
    """

    action: GatewayAction
    messages: Sequence[Row]
    scores: Mapping[str, float | None] = field(default_factory=dict)
    shown: tuple[Behavior, ...] = ()
    alarming: bool = False
    reason: str = ""
    rewrite: str = ""


async def check(engine: Engine, messages: Sequence[Row], reply: str | None, policy: GatewayPolicy) -> CheckedCall:
    """The last user turn, where there is no reply yet; otherwise the reply to `messages`.

    Raises:
        GriceError, Refused: it could not be looked at.
    """
    return await _check_turn(engine, messages, policy) if reply is None else await _check_reply(engine, messages, reply, policy)


async def _check_turn(engine: Engine, messages: Sequence[Row], policy: GatewayPolicy) -> CheckedCall:
    if not asks_last(messages) or not may_change(messages[-1]):
        return CheckedCall("none", messages, reason="no_user_turn")
    turns = turns_of(messages)
    if not is_plain(turns[-1].text, policy.longest):
        return CheckedCall("none", messages, reason="not_plain")
    route = engine.route(TURNS)
    wire, menu = _wire(turns), policy.menu
    item = GatewayTurn(turns=wire, schema_id=menu) if isinstance(menu, str) else GatewayTurn(turns=wire, menu=menu)
    (found,) = await route.find([item], run_in_threadpool)
    route.count([found])
    analysis: TurnAnalysis = found.result
    scores = {"directness": None if analysis.directness is None else analysis.directness.score}
    if analysis.decision != "rewrite" or analysis.rewrite is None:
        return CheckedCall("none", messages, scores, reason=analysis.reason if analysis.decision == "pass" else "clarify")
    rewrite = analysis.rewrite.text
    changed = [*messages[:-1], said_anew(messages[-1], rewrite, policy.mode)]
    return CheckedCall("rewritten", changed, scores, reason=analysis.reason, rewrite=rewrite)


async def _check_reply(engine: Engine, messages: Sequence[Row], reply: str, policy: GatewayPolicy) -> CheckedCall:
    try:
        check_text(reply[:MAX_TEXT_CHARACTERS])
    except InputError:
        return CheckedCall("none", messages, reason="not_text")
    turns = [*turns_of(messages), Turn("bot", reply[:MAX_TEXT_CHARACTERS])]
    item = GatewayReply(
        turns=_wire(turns),
        event_id=policy.event_id if policy.event_id and _is_name(policy.event_id) else None,
        session=dialogue_id_of(policy.session) if policy.session else "",
        counted=policy.counted,
        judged=policy.judged,
        channel=policy.channel,
        bot_version=policy.bot_version,
    )
    (row,) = await engine.route(RESPONSES).answer([item], run_in_threadpool)
    scores: dict[str, float | None] = row["probabilities"] or {}
    crossed = [f"{label} {score:.2f}" for label, score in scores.items() if _crosses(score, policy.block.get(label))]  # type: ignore[call-overload]
    reason = f"the reply shows {', '.join(crossed)}" if crossed else ("failed" if row["failures"] else "")
    shown = tuple(row["shown"])
    alarming = row["relations"]["alarm"] if row["relations"] else shows_undesired(shown)
    return CheckedCall("blocked" if crossed else "none", messages, scores, shown, alarming, reason)


def _crosses(score: float | None, threshold: float | None) -> bool:
    return score is not None and threshold is not None and score >= threshold


def _is_name(text: str) -> bool:
    return len(text) <= MAX_NAME and text.isprintable()


def _wire(turns: Sequence[Turn]) -> list[Any]:
    return [WireTurn(speaker=turn.speaker, text=turn.text) for turn in turns]
