"""What Rasa does not tell a component that it trains: the domain, and the pipeline that messages will go through.

A training graph lacks what is not trained, and has the domain for policies only. A plugin of Rasa sees graphs as they are made.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

import pluggy
from rasa.engine.graph import GraphSchema, SchemaNode
from rasa.plugin import plugin_manager
from rasa.shared.core.domain import Domain

NAME = "grice"
NO_DOMAIN = Domain.empty()
"""What a component is trained with where only the NLU is trained."""
_hook = pluggy.HookimplMarker("rasa")

log = logging.getLogger(__name__)


class TrainingGraph(threading.local):
    """Rasa's plugin. Its hooks are called where components have been imported already, since the pipeline names them."""

    def __init__(self) -> None:
        self._predict: dict[str, SchemaNode] = {}

    @property
    def prediction(self) -> GraphSchema:
        """The graph that messages will go through in the model that this thread trains; without nodes if there is none."""
        return GraphSchema(self._predict)

    @_hook
    def modify_default_recipe_graph_train_nodes(self, train_nodes: dict[str, SchemaNode]) -> None:
        """Give the domain to components with `takes_domain`. With their nodes it is called only where there are policies, too."""
        for node in train_nodes.values():
            if getattr(node.uses, "takes_domain", False):
                node.needs["domain"] = "domain_provider"

    @_hook
    def modify_default_recipe_graph_predict_nodes(self, predict_nodes: dict[str, SchemaNode]) -> None:
        """Keep the nodes, to which Rasa adds those of the pipeline."""
        self._predict = predict_nodes


def _registered() -> TrainingGraph:
    graph, manager = TrainingGraph(), plugin_manager()
    known: Any = manager.get_plugin(NAME)
    if known is not None:
        return known  # type: ignore[no-any-return]
    try:
        manager.register(graph, NAME)
    except pluggy.PluginValidationError:  # another Rasa, with other hooks: what it would have shown is checked when a bot is loaded
        log.info("this Rasa shows a component in training neither the domain nor the whole pipeline; they are checked at its start")
    return graph


TRAINING_GRAPH = _registered()
