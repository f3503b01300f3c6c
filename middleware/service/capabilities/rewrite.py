"""POST /v1/rewrite"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from grice.middleware.responses.softening import CheckedSoftener
from grice.middleware.service.batcher import Predict
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import Failures, HistoryCut, HistoryRead, TextCut, Wire, WireItem
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.results import Rewrite
from grice.models.text.template import TargetForm

_SPEAKERS: Mapping[TargetForm, Speaker] = {"direct": "user", "indirect": "bot"}
"""Whose turn a bare `text` is, by the form that is wanted."""
_QUEUES: Mapping[TargetForm, str] = {"direct": "rewriter", "indirect": "softener"}


class RewriteItem(WireItem):
    """A turn to rewrite."""

    form: Annotated[
        TargetForm, Field(description="`direct` to understand a user's turn, `indirect` to soften a bot's own reply.")
    ] = "direct"

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "user") -> Dialogue:
        """The dialogue; `text` is said by whom the form is for."""
        return super().dialogue(history, _SPEAKERS[self.form])


class WireRewrite(Wire):
    """A turn in another form."""

    text: Annotated[str, Field(description="The rewritten turn.")]
    confidence: Annotated[float, Field(description="Mean probability of its tokens, 0 to 1.")]
    tokens: Annotated[int, Field(description="How many tokens were generated, the end token included.")]
    finished: Annotated[bool, Field(description="False: it was stopped by the length limit.")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut


class RewriteResult(WireRewrite):
    """One rewrite."""

    refused: Annotated[
        str | None,
        Field(
            description="With form `indirect`: what the model wrote, where that is no longer what the bot said. `text` is then the "
            "turn as it came. Null where nothing was refused."
        ),
    ]
    failures: Failures


class RewriteRoute(Route[RewriteItem, Dialogue, Rewrite]):
    """Rewrites every turn. Nothing is kept.

    A direct form has neither gate nor guard: `/v1/turns` has both. A softer form is checked as responses are: a question stays one,
    the bot does not speak as its user, and no fact is added or lost. What fails that passes unchanged, with `refused`.
    """

    item = RewriteItem
    result = RewriteResult
    most_tokens = 112
    single = "A single rewrite."

    def predicts(self) -> Mapping[str, Predict[Dialogue, Rewrite]]:
        return {_QUEUES["direct"]: self.model.direct.predict, _QUEUES["indirect"]: CheckedSoftener(self.model.indirect).predict}

    def queue(self, item: RewriteItem) -> str:
        return _QUEUES[item.form]

    def shown(self, item: RewriteItem, result: Rewrite) -> dict[str, Any]:
        return {"refused": None, **super().shown(item, result)}


OFFER = RewriteRoute
