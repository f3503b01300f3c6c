"""`python -m grice.benchmarks.rectom.found_items`: how well items are found without a list, on the written talks.

Of the hands in `HELD_HANDS` nothing was read while the rules were written. Recall is over the items to which the seeker takes a
stand, precision over what is found: right is what the hand put in brackets, where one name contains the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from grice.benchmarks.rectom.own_items import same_name
from grice.models.dialogue import Dialogue, Turn
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.training.minds.written import HANDS, WrittenTalk, read_talks

HELD_HANDS = ("CI", "CK")


def rates(talks: Sequence[WrittenTalk]) -> tuple[float, float]:
    """Recall and precision in percent; there must be an item with an attitude, and one that is found."""
    wanted, found = [], []
    for talk in talks:
        turns = tuple(Turn("user" if turn.role == "seeker" else "bot", turn.text) for turn in talk.turns)
        named = RecommendationDialogue(Dialogue(turns)).found_items()
        marked = {mention.item for turn in talk.turns for mention in turn.mentions}
        wanted += [any(same_name(item, name) for name in named) for item in talk.attitudes]
        found += [any(same_name(item, name) for item in marked) for name in named]
    return 100 * sum(wanted) / len(wanted), 100 * sum(found) / len(found)


def main() -> None:
    """Print both by hand, and for the two groups of hands."""
    hands = read_talks(HANDS)
    groups = {name: [name] for name in hands}
    groups["held back"] = list(HELD_HANDS)
    groups["others"] = [name for name in hands if name not in HELD_HANDS]
    for group, names in groups.items():
        recall, precision = rates([talk for name in names for talk in hands[name]])
        print(f"{group:10} recall {recall:5.1f} %  precision {precision:5.1f} %")


if __name__ == "__main__":
    main()
