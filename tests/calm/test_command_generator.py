"""Our components in front of Rasa Pro's command generator (CALM).

Rasa Pro installs without a licence, but its server and command line do not start without one. So no server runs here, and nothing
is trained: the real recipe makes the graph of a `config.yml`, and the tests call the graph's components in its order. Base classes,
the prompt, the parsing of commands and what flow retrieval asks are Rasa Pro's own. Scripted are the answer of the language model
and the index of flows.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", RASA_TELEMETRY_ENABLED="false", LITELLM_LOCAL_MODEL_COST_MAP="True")

import pytest

pytest.importorskip("rasa.dialogue_understanding", reason="Rasa Pro is not installed: `make test-calm` installs it")

from rasa.core.config.configuration import Configuration
from rasa.dialogue_understanding.generator import CompactLLMCommandGenerator
from rasa.engine.graph import ExecutionContext, GraphSchema, SchemaNode
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.local_model_storage import LocalModelStorage
from rasa.engine.storage.resource import Resource
from rasa.nlu.classifiers.regex_message_handler import RegexMessageHandler
from rasa.shared.core.domain import Domain
from rasa.shared.core.events import BotUttered, UserUttered
from rasa.shared.core.flows import FlowsList
from rasa.shared.core.flows.yaml_flows_io import YAMLFlowsReader
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import COMMANDS, TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData
from rasa.shared.utils.yaml import read_yaml

REWRITER = {"name": "grice.components.IndirectTurnRewriter", "mode": "append"}
SCORER = {"name": "grice.components.DirectnessScorer"}
GENERATOR = {"name": "ScriptedGenerator"}
ALIGNER = {"name": "grice.components.EntityAligner"}
INDIRECT = "I am on a tight budget."
QUESTION = "What price range would you like?"
FLOWS = """
flows:
  find_restaurant:
    description: finds a restaurant
    steps: [{action: action_listen}]
"""
prompts: list[str] = []
queries: list[str] = []


class Flows:
    """An index of flows that notes what it is asked, and finds all."""

    async def asimilarity_search_with_score(self, query: str, k: int) -> list[Any]:
        queries.append(query)
        return [(SimpleNamespace(text="finds a restaurant", metadata={"flow_id": "find_restaurant"}), 1.0)]


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.COMMAND_GENERATOR, is_trainable=True)
class ScriptedGenerator(CompactLLMCommandGenerator):
    """Rasa Pro's, whose language model says what it is told."""

    async def invoke_llm(self, llm_input: Any) -> Any:
        prompts.append(llm_input.prompt)
        return "start flow find_restaurant"


@pytest.fixture(autouse=True)
def _begin() -> None:
    Configuration.initialise_empty()
    prompts.clear()
    queries.clear()


def schemas(*pipeline: dict[str, Any]) -> tuple[GraphSchema, GraphSchema]:
    """The graphs for training and for prediction that the recipe makes of a pipeline."""
    config = {"recipe": "default.v1", "language": "en", "pipeline": [dict(each) for each in pipeline], "policies": []}
    made = DefaultV1Recipe().graph_config_for_recipe(config, {})
    return made.train_schema, made.predict_schema


def chain(schema: GraphSchema) -> list[SchemaNode]:
    """The nodes of a prediction graph that a message goes through, but for Rasa's own first and last."""
    follows = {node.needs["messages"]: name for name, node in schema.nodes.items() if "messages" in node.needs}
    found, name = [], "nlu_message_converter"
    while name in follows:
        name = follows[name]
        found.append(schema.nodes[name])
    return [node for node in found if node.uses is not RegexMessageHandler]


def trained(storage: LocalModelStorage, schema: GraphSchema, kind: str) -> Any:
    """The component of that class, made and trained as a node of the training graph."""
    node = next(node for node in schema.nodes.values() if node.uses.__name__ == kind)
    component = node.uses.create(node.config, storage, Resource(kind), ExecutionContext(schema))
    component.train(TrainingData())
    return component


@pytest.fixture
def storage(tmp_path: Path) -> LocalModelStorage:
    return LocalModelStorage.create(tmp_path)


def tracker() -> DialogueStateTracker:
    said = [UserUttered("Where can we eat?"), BotUttered(QUESTION)]
    return DialogueStateTracker.from_events("ann", said, domain=Domain.empty())


def process(storage: LocalModelStorage, text: str, *pipeline: dict[str, Any]) -> Message:
    """A message after all components of the prediction graph, each given what the graph gives it."""
    _, schema = schemas(*pipeline)
    flows: FlowsList = YAMLFlowsReader.read_from_string(FLOWS)
    given = {"tracker": tracker(), "flows": flows, "domain": Domain.empty()}
    messages = [Message({TEXT: text})]

    async def run() -> None:
        nonlocal messages
        for node in chain(schema):
            make = getattr(node.uses, "create" if issubclass(node.uses, CompactLLMCommandGenerator) else node.constructor_name)
            component = make(node.config, storage, node.resource or Resource("none"), ExecutionContext(schema))
            if isinstance(component, CompactLLMCommandGenerator):
                component.flow_retrieval.vector_store = Flows()
            more = {name: value for name, value in given.items() if name in node.needs}
            result = component.process(messages, **more)
            messages = await result if inspect.isawaitable(result) else result

    asyncio.run(run())
    (message,) = messages
    return message


def test_components_are_chained_in_front_of_the_generator_and_are_given_the_tracker() -> None:
    _, schema = schemas(SCORER, REWRITER, GENERATOR, ALIGNER)
    nodes = chain(schema)
    names = [node.uses.__name__ for node in nodes]
    assert names == ["DirectnessScorer", "IndirectTurnRewriter", "ScriptedGenerator", "EntityAligner"]
    assert "tracker" in nodes[names.index("IndirectTurnRewriter")].needs
    assert {"tracker", "flows"} <= set(nodes[names.index("ScriptedGenerator")].needs)


def test_prompt_and_flow_retrieval_read_the_rewrite_and_the_conversation_keeps_what_was_said(storage: LocalModelStorage) -> None:
    message = process(storage, INDIRECT, REWRITER, GENERATOR, ALIGNER)
    record = message.get("grice")
    rewrite = record["text"].removeprefix(f"{INDIRECT} ")
    assert record["decision"] == "rewrite"
    assert rewrite not in ("", INDIRECT)
    assert queries == [f"{INDIRECT} {rewrite}"]
    (prompt,) = prompts
    assert f"{INDIRECT} {rewrite}" in prompt
    assert QUESTION in prompt
    assert message.get(TEXT) == INDIRECT
    assert message.get(COMMANDS) == [{"command": "start flow", "flow": "find_restaurant"}]


def test_a_direct_turn_reaches_the_generator_as_it_is(storage: LocalModelStorage) -> None:
    said = "Please find me a cheap restaurant in the north."
    message = process(storage, said, REWRITER, GENERATOR, ALIGNER)
    assert message.get("grice")["decision"] == "pass"
    assert queries == [said]
    assert message.get(TEXT) == said


def test_training_takes_the_pipeline_of_the_documentation(storage: LocalModelStorage) -> None:
    page = (Path(__file__).parents[2] / "docs" / "frameworks.md").read_text(encoding="utf-8").partition("## Rasa Pro (CALM)")[2]
    shown = read_yaml(page.split("```yaml\n")[1].partition("```")[0])["pipeline"]
    assert shown == [REWRITER, {"name": "CompactLLMCommandGenerator"}, ALIGNER]
    schema, _ = schemas(*shown)
    trained(storage, schema, "IndirectTurnRewriter")
    trained(storage, schema, "EntityAligner")


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ((REWRITER, ALIGNER, GENERATOR), "EntityAligner is listed before ScriptedGenerator"),
        ((GENERATOR, REWRITER, ALIGNER), "it is listed after ScriptedGenerator"),
        (({**REWRITER, "mode": "blend"}, GENERATOR, ALIGNER), "got 'blend'"),
        ((REWRITER, GENERATOR), "no EntityAligner follows it"),
    ],
)
def test_an_order_in_which_it_would_do_nothing_is_refused(
    pipeline: tuple[dict[str, Any], ...], message: str, storage: LocalModelStorage
) -> None:
    schema, _ = schemas(*pipeline)
    with pytest.raises(InvalidConfigException, match=message):
        trained(storage, schema, "IndirectTurnRewriter")
