"""POST /v1/mind"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.mind import MindResult
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import Failures, Text, WireItem, derived
from grice.middleware.service.capabilities.work import News, text_work
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.minds.model import HISTORY_TURNS
from grice.models.minds.recommendation_dialogue import MOST_ITEMS, RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.sentence_encoder.encoder import REMEMBERED

MOST_TOKENS = 230
"""That are read together."""
READ_AGAIN = 3
"""How often a turn is read, about: by itself and with those after it."""

_YEAR = re.compile(r"\(\d{4}\)")


class MindItem(WireItem):
    """A turn of a recommendation dialogue, the user's or the bot's."""

    seeker: Annotated[Speaker, Field(description="Who seeks a recommendation; the other gives them.")] = "user"
    speaker: Annotated[Speaker, Field(description="Who says `text`; `turns` say it themselves.")] = "user"
    about: Annotated[
        list[Text] | None,
        Field(
            max_length=MOST_ITEMS,
            description="Names of movies, or of other things, to tell the seeker's attitude to. Default: those that the turns "
            "name, as far as they are found.",
            json_schema_extra={"uniqueItems": True},
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
    remembered = REMEMBERED
    single = "What recommender and seeker of a single dialogue have in mind."

    def work(self, asked: RecommendationDialogue) -> int:
        """Each turn is read with those around it, and once more for each item."""
        turns = sum(text_work(turn.text, MOST_TOKENS) for turn in asked.dialogue.turns[-HISTORY_TURNS - 1 :])
        return READ_AGAIN * turns + MOST_TOKENS * self._items(asked)

    def cost(self, asked: RecommendationDialogue, news: News) -> float:
        turns = asked.dialogue.turns[-HISTORY_TURNS - 1 :]
        new = sum(text_work(turn.text, MOST_TOKENS) for turn in turns if news.add(turn.text))
        return len(turns) + READ_AGAIN * new + MOST_TOKENS * self._items(asked)

    def _items(self, asked: RecommendationDialogue) -> int:
        if asked.items is not None:
            return len(asked.items)
        return min(MOST_ITEMS, sum(len(_YEAR.findall(turn.text)) for turn in asked.dialogue.turns[-HISTORY_TURNS - 1 :]))

    def ask(self, item: MindItem, dialogue: Dialogue) -> RecommendationDialogue:
        return item.asked(dialogue)

    def shown(self, item: MindItem, result: MindReading) -> dict[str, Any]:
        fields: dict[str, Any] = encode(MindResult.of(result))
        return fields


OFFER = MindRoute
