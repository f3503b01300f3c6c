"""Language models in benchmarks: questions in, samples out, asked side by side or as a batch, paid once, and written down."""

from grice.benchmarks.core.benchmark import LLM_OPTIONS
from grice.benchmarks.llm.answering import answer_all
from grice.benchmarks.llm.chat import Sampling
from grice.benchmarks.llm.folder import read_run, run_folders
from grice.benchmarks.llm.prompts import hashed
from grice.benchmarks.llm.question import Ask, Question
from grice.benchmarks.llm.run import LlmRun
from grice.benchmarks.llm.sample import Exchange, Sample

__all__ = [
    "LLM_OPTIONS",
    "Ask",
    "Exchange",
    "LlmRun",
    "Question",
    "Sample",
    "Sampling",
    "answer_all",
    "hashed",
    "read_run",
    "run_folders",
]
