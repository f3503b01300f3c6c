"""POST /v1/mind"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.mind import MindResult
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import Failures, Text, WireItem, derived
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.minds.recommendation_dialogue import MOST_ITEMS, RecommendationDialogue
from grice.models.minds.results import MindReading


class MindItem(WireItem):
    """A turn of a recommendation dialogue, the user's or the bot's."""

    seeker: Annotated[Speaker, Field(description="Who seeks a recommendation; the other gives them.")] = "user"
    speaker: Annotated[Speaker, Field(description="Who says `text`; `turns` say it themselves.")] = "user"
    about: Annotated[
        list[Text] | None,
        Field(
            max_length=MOST_ITEMS,
            description="Names of movies, or of other things, to tell the seeker's attitude to. Default: those that the turns name "
            "with a year in parentheses.",
        ),
    ] = None

    @model_validator(mode="after")
    def _can_be_read(self) -> MindItem:
        self.asked(Dialogue.of("Hello."))
        return self

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "user") -> Dialogue:
        """The dialogue; `text` is said by `speaker` of the item."""
        return super().dialogue(history, self.speaker)

    def asked(self, dialogue: Dialogue) -> RecommendationDialogue:
        """What the model is asked.

        Raises:
            InputError: an item comes twice.
        """
        return RecommendationDialogue(dialogue, None if self.about is None else tuple(self.about), self.seeker)


class MindRoute(Route[MindItem, RecommendationDialogue, MindReading]):
    """Finds the intentions of each turn, the seeker's attitude to each item, and the strategies that come next.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept.
    """

    item = MindItem
    result = derived(MindResult, failures=(Failures, ...))
    single = "What recommender and seeker of a single dialogue have in mind."

    def ask(self, item: MindItem, dialogue: Dialogue) -> RecommendationDialogue:
        return item.asked(dialogue)

    def shown(self, item: MindItem, result: MindReading) -> dict[str, Any]:
        fields: dict[str, Any] = encode(MindResult.of(result))
        return fields


OFFER = MindRoute
