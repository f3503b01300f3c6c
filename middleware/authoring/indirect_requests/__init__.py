"""Indirect requests for the values of slots: judged, generated, and written as test data (Mannekote et al. 2024)."""

from grice.middleware.authoring.indirect_requests.bot_slot import BotSlot, default_bot_slots, mapping_text, read_mapping
from grice.middleware.authoring.indirect_requests.criteria import (
    Candidate,
    Criteria,
    Request,
    Writer,
    direct_request,
    question_of,
    unambiguous_value,
)
from grice.middleware.authoring.indirect_requests.encoder import Thesaurus
from grice.middleware.authoring.indirect_requests.generation import (
    REFUSALS,
    CandidateJudges,
    Generated,
    Generation,
    GenerationSettings,
    generate,
)
from grice.middleware.authoring.indirect_requests.llm_criteria import LlmCriteria
from grice.middleware.authoring.indirect_requests.llm_writer import Decoding, LlmWriter, writing_settings
from grice.middleware.authoring.indirect_requests.local_criteria import LocalCriteria
from grice.middleware.authoring.indirect_requests.offline_writer import OfflineWriter
from grice.middleware.authoring.indirect_requests.output import item_lines, nlu_text, stories_text
from grice.middleware.authoring.indirect_requests.rasa_domain import RasaDomain, read_domain
from grice.middleware.authoring.indirect_requests.request_slot import MAX_VALUES, RequestSlot
from grice.middleware.authoring.indirect_requests.sources import bot_slots, slots_of_domain, slots_of_schema
from grice.middleware.authoring.indirect_requests.strategies import StrategyLabeller

__all__ = [
    "MAX_VALUES",
    "REFUSALS",
    "BotSlot",
    "Candidate",
    "CandidateJudges",
    "Criteria",
    "Decoding",
    "Generated",
    "Generation",
    "GenerationSettings",
    "LlmCriteria",
    "LlmWriter",
    "LocalCriteria",
    "OfflineWriter",
    "RasaDomain",
    "Request",
    "RequestSlot",
    "StrategyLabeller",
    "Thesaurus",
    "Writer",
    "bot_slots",
    "default_bot_slots",
    "direct_request",
    "generate",
    "item_lines",
    "mapping_text",
    "nlu_text",
    "question_of",
    "read_domain",
    "read_mapping",
    "slots_of_domain",
    "slots_of_schema",
    "stories_text",
    "unambiguous_value",
    "writing_settings",
]
