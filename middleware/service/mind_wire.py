"""What is asked and answered over the wire about the minds of recommender and seeker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, Tag, model_validator

from grice.middleware.service.answers import Failures, HistoryCut, HistoryRead, SchemaVersion
from grice.middleware.service.schemas import SINGLE_OR_BATCH, Batch, Item, Text, Wire
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.minds.labels import MindRole
from grice.models.minds.recommendation_dialogue import MOST_ITEMS, RecommendationDialogue

Share = Annotated[float, Field(ge=0, le=1)]


class MindItem(Item):
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
        self.asked(self.dialogue(()))
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


MindBody = Annotated[Annotated[MindItem, Tag("single")] | Annotated[Batch[MindItem], Tag("batch")], SINGLE_OR_BATCH]


class WireTurnIntentions(Wire):
    """What one turn wants; what one side says in a row is one turn."""

    place: Annotated[int, Field(description="Of the turn in the dialogue, 0 the oldest.")]
    role: Annotated[MindRole, Field(description="Whose turn it is.")]
    coarse: Annotated[list[str], Field(description="Its coarse intentions: those that the fine ones imply.")]
    fine: Annotated[list[str], Field(description="Its fine intentions.")]
    probabilities: Annotated[dict[str, Share], Field(description="How likely each fine intention is among them, 0 to 1.")]


class WireItemAttitude(Wire):
    """What the seeker thinks of an item that they have had a turn to react to."""

    item: Annotated[str, Field(description="The item.")]
    place: Annotated[int, Field(description="Of the seeker's turn that shows it.")]
    suggested_by: Annotated[MindRole, Field(description="Who brought it up.")]
    seen: Annotated[Share, Field(description="How likely the seeker knows it already, 0 to 1.")]
    liked: Annotated[Share, Field(description="How likely the seeker likes it or accepts the suggestion, 0 to 1.")]
    likely_to_watch: Annotated[bool, Field(description="Whether that is more likely than not.")]


class WireNextStrategies(Wire):
    """What comes next."""

    role: Annotated[MindRole, Field(description="Whose turn is next.")]
    strategies: Annotated[list[str], Field(description="The most probable set of coarse intentions.")]
    probabilities: Annotated[dict[str, Share], Field(description="How likely each strategy is among them, 0 to 1.")]
    effective: Annotated[dict[str, bool], Field(description="Whether each is likely to work: people rather use it than not.")]


class MindResult(Wire):
    """What recommender and seeker have in mind after the last turn."""

    turns: Annotated[list[WireTurnIntentions], Field(description="The intentions of both, oldest turn first.")]
    attitudes: Annotated[list[WireItemAttitude], Field(description="The seeker's attitudes to items.")]
    next: Annotated[WireNextStrategies, Field(description="What comes next.")]
    history_read: HistoryRead
    history_cut: HistoryCut
    failures: Failures


class MindAnswer(MindResult):
    """What recommender and seeker of a single dialogue have in mind."""

    schema_version: SchemaVersion = 1
