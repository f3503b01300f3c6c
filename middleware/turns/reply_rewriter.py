"""What a turn replies to the bot, said plainly, where nothing is known of what the bot can do.

Yes, no, not yet and the like are on every bot's menu, so they can be read without one: the turn is read against a menu on which any
request stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.turns.menu_rewriter import MenuRewriter
from grice.models.dialogue import Dialogue
from grice.models.meaning.menu import ANY_REQUEST, REPLIES
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor
from grice.models.results import Rewrite, Share

INDIRECT_FROM = 0.3
"""From this likelihood on a turn that is read without a menu is taken for indirect. Then 623 of 668 direct turns of hands H, P, QJ
and QO pass as direct, of dialogues about no town (by the scorer of directness alone 308), and 128 of 2,627 indirect ones (50); the
command is `python -m grice.benchmarks.direct.second_look`."""
REPLY_FROM = 0.6
"""How likely a reply has to be right to be told, 0 to 1; one with a condition a little less. On hands H, P, QJ and QO 11.4 % of the
indirect turns are rewritten then, 90.0 % of them rightly, and 0.0 % of the direct and courtesy turns are changed; the command is
`python -m grice.benchmarks.meaning.without_menu --hands H P QJ QO`."""
NEVER = 1.0
"""The share from which on the user would be asked what was meant: without a menu there is nothing to choose from."""


@dataclass(frozen=True)
class TurnReply:
    """What is made of one turn.

    Attributes:
        indirect: how far it means what it does not say, 0 to 1.
        act: what it does most likely; "": it asks for something.
        rewrite: what it replies to the bot, in so many words; None where it is direct, or no reply, or that is not sure.
    """

    indirect: Share
    act: str
    rewrite: Rewrite | None

    @property
    def is_direct(self) -> bool:
        """Whether the turn is to stay as it is."""
        return self.indirect < INDIRECT_FROM


class ReplyRewriter:
    """Reads turns without a menu, and says replies plainly.

    Args:
        reader: reads meanings. reply_from: how likely a reply has to be right to be told, 0 to 1.
    """

    def __init__(self, reader: MeaningPredictor, reply_from: float = REPLY_FROM) -> None:
        self._reader = reader
        self._rewriter = MenuRewriter(reader, INDIRECT_FROM, reply_from, NEVER)

    def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnReply]:
        """One result a dialogue's last turn, in order."""
        questions = [MeaningQuestion(dialogue, ANY_REQUEST) for dialogue in dialogues]
        return [self._reply(*pair) for pair in zip(questions, self._reader.predict(questions), strict=True)]

    def _reply(self, question: MeaningQuestion, meaning: TurnMeaning) -> TurnReply:
        best = meaning.possible[0]
        act = best.name if best.kind == "act" else ""
        text = self._rewriter.rewrite(question, meaning).text if act in REPLIES else ""
        return TurnReply(meaning.indirect, act, Rewrite(text, meaning.confidence, 0) if text else None)
