"""Does the reader of meaning know a bot's own examples? Asked when the bot is trained, so that nobody finds out by use."""

from __future__ import annotations

import logging
from collections import Counter

from grice.middleware.schemas.limits import spread
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import Predicts
from grice.models.schema import BotSchema

MOST_EXAMPLES = 40
"""So many are read, evenly spread."""
MOST_MISREAD = 0.2
"""If more of them are read as another intent, it is said."""

log = logging.getLogger(__name__)


def tell_misread(model: Predicts[MeaningQuestion, TurnAnalysis], schema: BotSchema, component: str) -> None:
    """Warn where many of the bot's own examples are read as another of its intents: it is outside what the reader knows."""
    examples = spread([(intent.name, text) for intent in schema.intents for text in intent.examples], MOST_EXAMPLES)
    if not examples:
        return
    analyses = model.predict([MeaningQuestion(Dialogue.of(text), schema) for _, text in examples])
    found = [analysis.meaning.possible[0] for analysis in analyses if analysis.meaning is not None]
    wrong = Counter(
        f"{own} as {best.name}"
        for (own, _), best in zip(examples, found, strict=False)
        if best.kind == "intent" and best.name != own
    )
    log.info("%s: %d of %d examples are read as their own intent", component, len(found) - wrong.total(), len(found))
    if wrong.total() > MOST_MISREAD * len(examples):
        most = ", ".join(f"{what} ({count})" for what, count in wrong.most_common(3))
        log.warning(
            "%s: %d of %d of the bot's own examples are read as another intent (%s): turns will be rewritten wrong, or seldom. "
            "Say in the intents' examples what tells them apart (`grice schema check` helps), or set `menu: false`.",
            component, wrong.total(), len(examples), most,
        )  # fmt: skip
