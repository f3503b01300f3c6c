"""A large language model as a judge of behaviours: the prompt of Finch, Paek & Choi 2023, one behaviour a question."""

from grice.middleware.judge.decision import JudgeDecision, read_decision
from grice.middleware.judge.llm_judge import LlmJudge, open_judge
from grice.middleware.judge.prompt import judge_messages

__all__ = ["JudgeDecision", "LlmJudge", "judge_messages", "open_judge", "read_decision"]
