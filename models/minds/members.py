"""What the heads on sentences and the fine-tuned reader say together of one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.models.data.rectom import MindQuestion, RoleTurn
from grice.models.minds.answers import Probabilities, head_of, inputs_of
from grice.models.minds.attitude_inputs import attitude_inputs
from grice.models.minds.heads import ATTITUDE, MindHeads, intention_head, next_head
from grice.models.minds.inputs import MindInputs, intention_inputs, next_inputs
from grice.models.minds.joint_encoder import JointReader, mixed
from grice.models.minds.joint_inputs import Reading, attitude_reading, intention_reading, reading_of
from grice.models.minds.labels import Role
from grice.models.sentence_encoder.encoder import SentenceEncoder


@dataclass(frozen=True)
class MindMembers:
    """Probabilities of sets of labels.

    Attributes:
        reader: None: the heads answer alone.
    """

    encoder: SentenceEncoder
    heads: MindHeads
    reader: JointReader | None

    def of_turn(self, turns: Sequence[RoleTurn], place: int) -> Probabilities:
        """For the fine intentions of the turn at `place`."""
        inputs = intention_inputs(self.encoder, turns, place)
        return self.probabilities(intention_head(turns[place].role), inputs, intention_reading(turns, place))

    def of_item(self, turns: Sequence[RoleTurn], item: str) -> Probabilities:
        """For how the seeker stands to `item` after these turns."""
        return self.probabilities(ATTITUDE, attitude_inputs(self.encoder, turns, item), attitude_reading(turns, item))

    def of_next(self, turns: Sequence[RoleTurn], role: Role) -> Probabilities:
        """For the coarse intentions of the next turn, by `role`."""
        return self.probabilities(next_head(role), next_inputs(self.encoder, turns, role), None)

    def of_question(self, question: MindQuestion) -> Probabilities:
        """For what a question asks about."""
        return self.probabilities(head_of(question), inputs_of(self.encoder, question), reading_of(question))

    def probabilities(self, head: str, inputs: MindInputs, reading: Reading | None) -> Probabilities:
        """Of a head, from what both members read; where there is no reading, the heads answer alone."""
        found = self.heads.probabilities(head, inputs)
        if self.reader is None or reading is None:
            return found
        return mixed(found, dict(zip(self.heads.heads[head].sets, map(float, self.reader.shares(head, reading)), strict=True)))
