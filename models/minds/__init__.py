"""What recommender and seeker of a recommendation dialogue have in mind.

In the order of the way: `recommendation_dialogue`, `item_names`, `wording`, `reactions`, `sentence_heads` and `joint_encoder`,
`model`, `results`; `questions` are RecToM's, and `labels` what both are found among.
"""

from grice.models.minds.labels import ATTITUDES, COARSE, FINE, MIND_ROLES, Attitude, MindRole, coarse_of
from grice.models.minds.model import MindModel, MindTracker, load_mind_model
from grice.models.minds.questions import TASKS, MindQuestion, Option, RoleTurn, Task
from grice.models.minds.recommendation_dialogue import MOST_ITEMS, RecommendationDialogue
from grice.models.minds.results import ItemAttitude, MindReading, NextStrategies, TurnIntentions

__all__ = [
    "ATTITUDES",
    "COARSE",
    "FINE",
    "MIND_ROLES",
    "MOST_ITEMS",
    "TASKS",
    "Attitude",
    "ItemAttitude",
    "MindModel",
    "MindQuestion",
    "MindReading",
    "MindRole",
    "MindTracker",
    "NextStrategies",
    "Option",
    "RecommendationDialogue",
    "RoleTurn",
    "Task",
    "TurnIntentions",
    "coarse_of",
    "load_mind_model",
]
