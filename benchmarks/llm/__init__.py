"""Language models in benchmarks: questions in, samples out, asked side by side or as a batch, paid once, and written down."""

from grice.benchmarks.core.options import LlmOptions, WindowedOptions
from grice.benchmarks.llm.answering import LlmTask, Sampling, answer_all
from grice.benchmarks.llm.folder import read_run, run_folders
from grice.benchmarks.llm.question import Ask, Question
from grice.benchmarks.llm.run import LlmRun
from grice.benchmarks.llm.sample import Exchange, Sample

__all__ = [
    "Ask",
    "Exchange",
    "LlmOptions",
    "LlmRun",
    "LlmTask",
    "Question",
    "Sample",
    "Sampling",
    "WindowedOptions",
    "answer_all",
    "read_run",
    "run_folders",
]
