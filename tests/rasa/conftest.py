"""Small real bots, trained once a session: whoever needs one asks for the pipeline that its test is about."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

os.environ.update(
    OMP_NUM_THREADS="1",
    TF_NUM_INTRAOP_THREADS="1",
    TF_NUM_INTEROP_THREADS="1",
    TF_CPP_MIN_LOG_LEVEL="3",
    RASA_TELEMETRY_ENABLED="false",
    RASA_CACHE_DIRECTORY=tempfile.mkdtemp(prefix="rasa-cache-"),
    SQLALCHEMY_SILENCE_UBER_WARNING="1",
)

sys.path.append(str(Path(__file__).parents[1] / "fixtures"))  # for loopback_server, which the tests of the client use too

from bot_files import DOMAIN, NLU, RULES
from rasa.core.agent import Agent
from rasa.model_training import train
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.utils.io import write_yaml
from rasa.utils.log_utils import configure_structlog

Pipeline = Sequence[dict[str, Any]]
TrainBot = Callable[..., Path]
LoadAgent = Callable[[Pipeline], Agent]

NLU_PIPELINE: Pipeline = (
    {"name": "WhitespaceTokenizer"},
    {"name": "CountVectorsFeaturizer"},
    {"name": "LogisticRegressionClassifier"},
    {"name": "RegexEntityExtractor", "use_word_boundaries": True},
    {"name": "EntitySynonymMapper"},
)
RULES_ALONE: Pipeline = ({"name": "RulePolicy"},)
REWRITER = "grice.components.IndirectTurnRewriter"
SCORER = "grice.components.DirectnessScorer"
ALIGNER = "grice.components.EntityAligner"


def with_grice(**rewriter: Any) -> Pipeline:
    """The pipeline with the rewriter, which does without the bot's menu unless it is told otherwise, and the aligner."""
    return ({"name": REWRITER, **rewriter}, *NLU_PIPELINE, {"name": ALIGNER})


@pytest.fixture(scope="session")
def train_bot(tmp_path_factory: pytest.TempPathFactory) -> TrainBot:
    """Trains the bot of `bot_files` with a pipeline, once a session. With a form, or only its NLU; `more` goes into the domain."""
    trained: dict[str, Path] = {}

    def train_once(
        pipeline: Pipeline = NLU_PIPELINE,
        nlu_only: bool = False,
        force: bool = True,
        policies: Pipeline = RULES_ALONE,
        more: str = "",
    ) -> Path:
        key = json.dumps([pipeline, nlu_only, policies, more])
        if key not in trained or not force:
            folder = Path(tmp_path_factory.mktemp("bot"))
            config = {"recipe": "default.v1", "assistant_id": "test", "language": "en", "pipeline": list(pipeline)}
            write_yaml({**config, "policies": list(policies)}, folder / "config.yml", should_preserve_key_order=True)
            for name, content in (("domain", DOMAIN + more), ("nlu", NLU), ("rules", RULES)):
                (folder / f"{name}.yml").write_text(content, encoding="utf-8")
            files = [str(folder / "nlu.yml")] + ([] if nlu_only else [str(folder / "rules.yml")])
            result = train(
                domain=str(folder / "domain.yml"), config=str(folder / "config.yml"), training_files=files,
                output=str(folder), fixed_model_name="bot", force_training=force,
            )  # fmt: skip
            trained[key] = Path(result.model)
        return trained[key]

    return train_once


@pytest.fixture(scope="session")
def nlu_model_path(train_bot: TrainBot) -> Path:
    """A model that has an NLU and no components of ours."""
    return train_bot(nlu_only=True)


@pytest.fixture
def load_agent(train_bot: TrainBot) -> LoadAgent:
    """A fresh agent of the bot with a pipeline: nobody has talked to it yet."""
    return lambda pipeline: Agent.load(str(train_bot(pipeline)))


@pytest.fixture(scope="session", autouse=True)
def _quiet() -> None:
    """Rasa logs at debug level where nobody told it otherwise."""
    configure_structlog(logging.WARNING)


async def talk(agent: Agent, texts: Sequence[str], sender_id: str) -> tuple[list[str], DialogueStateTracker]:
    """What the bot answers to `texts`, and the conversation after it."""
    answers = []
    for text in texts:
        answers += [answer["text"] for answer in await agent.handle_text(text, sender_id=sender_id) or []]
    tracker = await agent.tracker_store.retrieve(sender_id)
    assert tracker is not None
    return answers, tracker
