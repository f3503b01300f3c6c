"""What recommender and seeker of a recommendation dialogue have in mind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.models.minds.labels import MindRole
from grice.models.minds.model import MindModel, load_mind_model
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.results import Share


@dataclass(frozen=True)
class WireTurnIntentions:
    """What one turn wants; what one side says in a row is one turn.

    Attributes:
        place: Of the turn in the dialogue, 0 the oldest.
        role: Whose turn it is.
        coarse: Its coarse intentions: those that the fine ones imply.
        fine: Its fine intentions.
        probabilities: How likely each fine intention is among them, 0 to 1.
    """

    place: int
    role: MindRole
    coarse: tuple[str, ...]
    fine: tuple[str, ...]
    probabilities: Mapping[str, Share]


@dataclass(frozen=True)
class WireItemAttitude:
    """What the seeker thinks of an item that they have had a turn to react to.

    Attributes:
        item: The item.
        place: Of the seeker's turn that shows it.
        suggested_by: Who brought it up.
        seen: How likely the seeker knows it already, 0 to 1.
        liked: How likely the seeker likes it or accepts the suggestion, 0 to 1.
        likely_to_watch: Whether that is more likely than not.
    """

    item: str
    place: int
    suggested_by: MindRole
    seen: Share
    liked: Share
    likely_to_watch: bool


@dataclass(frozen=True)
class WireNextStrategies:
    """What comes next.

    Attributes:
        role: Whose turn is next.
        strategies: The most probable set of coarse intentions.
        probabilities: How likely each strategy is among them, 0 to 1.
        effective: Whether each is likely to work: people rather use it than not.
    """

    role: MindRole
    strategies: tuple[str, ...]
    probabilities: Mapping[str, Share]
    effective: Mapping[str, bool]


@dataclass(frozen=True)
class MindResult:
    """What recommender and seeker have in mind after the last turn.

    Attributes:
        turns: The intentions of both, oldest turn first.
        attitudes: The seeker's attitudes to items.
        next: What comes next.
        history_read: Turns of history that the model read.
        history_cut: Older turns that did not fit and were left out.
    """

    turns: tuple[WireTurnIntentions, ...]
    attitudes: tuple[WireItemAttitude, ...]
    next: WireNextStrategies
    history_read: int
    history_cut: int

    @classmethod
    def of(cls, found: MindReading) -> MindResult:
        """What the model found, as it travels."""
        following = found.next
        return cls(
            tuple(WireTurnIntentions(each.place, each.role, each.coarse, each.fine, each.probabilities) for each in found.turns),
            tuple(
                WireItemAttitude(each.item, each.place, each.attitude.suggested_by, each.seen, each.liked, each.likely_to_watch)
                for each in found.items
            ),
            WireNextStrategies(
                following.role,
                following.labels,
                following.probabilities,
                {strategy: following.effective(strategy) for strategy in following.probabilities},
            ),
            found.history_read,
            found.history_cut,
        )


def _load(wanted: Loading) -> MindModel:
    return load_mind_model(wanted.model, runtime=wanted.pipeline.runtime)


def _encode(asked: RecommendationDialogue) -> dict[str, object]:
    about = {} if asked.items is None else {"about": list(asked.items)}
    return {**encode_dialogue(asked.dialogue), "seeker": asked.seeker, **about}


MIND = Capability[RecommendationDialogue, MindResult](
    name="mind",
    result=MindResult,
    load=_load,
    summary="What recommender and seeker of a recommendation dialogue have in mind",
    operation="read_minds",
    title="mind model",
    model="mind",
    switch="mind",
    without="do not read minds in recommendation dialogues",
    asks=RecommendationDialogue,
    encode=_encode,
    wire="grice.middleware.service.capabilities.mind",
)
