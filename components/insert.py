"""Puts the rewriter and the aligner into a Rasa model that is trained already, so that the same NLU can be run with and without.

    python -m grice.components.insert models/bot.tar.gz models/bot-with-grice.tar.gz --config '{"mode": "append"}'

The prediction graph becomes what `rasa train` makes of a pipeline with both components; what was trained stays as it is. Whoever
has the training data adds the components to `config.yml` instead.
"""

from __future__ import annotations

import argparse
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from grice.components.entity_aligner import EntityAligner
from grice.components.indirect_turn_rewriter import IndirectTurnRewriter
from grice.components.settings import read_settings

METADATA = "metadata.json"
CONVERTER = "nlu_message_converter"
BEHIND = ("RegexMessageHandler", "FallbackClassifier")
"""What the aligner stands in front of."""


def insert(model: Path, out: Path, config: dict[str, Any]) -> None:
    """Write `model` to `out` with both components; `config` is what `config.yml` would say of the rewriter.

    Raises:
        InvalidConfigException: a key or value of `config` is not allowed.
        ValueError: the model has no NLU, or has the rewriter already.
    """
    read_settings(IndirectTurnRewriter.__name__, config, IndirectTurnRewriter.keys)
    with tarfile.open(model) as source, tarfile.open(out, "w:gz") as target:
        for member in source.getmembers():
            content = source.extractfile(member)
            if content is not None and Path(member.name).name == METADATA and len(Path(member.name.lstrip("/")).parts) == 1:
                data = json.dumps(_with_components(json.load(content), config)).encode()
                member.size = len(data)
                content = io.BytesIO(data)
            target.addfile(member, content)


def _with_components(metadata: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    nodes = metadata["predict_schema"]["nodes"]
    last = metadata["nlu_target"]
    if last is None or CONVERTER not in nodes:
        raise ValueError("the model has no NLU")
    if any(node["uses"].endswith(f".{IndirectTurnRewriter.__name__}") for node in nodes.values()):
        raise ValueError("the model has the rewriter already")
    while (
        nodes[last]["uses"].rpartition(".")[2] in BEHIND
        and nodes[nodes[last]["needs"]["messages"]]["uses"].rpartition(".")[2] in BEHIND
    ):
        last = nodes[last]["needs"]["messages"]
    aligned = nodes[last]["needs"]["messages"]
    rewriter, aligner = f"run_{IndirectTurnRewriter.__name__}", f"run_{EntityAligner.__name__}"
    for node in nodes.values():
        if node["needs"].get("messages") == CONVERTER:
            node["needs"]["messages"] = rewriter
    nodes[last]["needs"]["messages"] = aligner
    nodes[rewriter] = _node(IndirectTurnRewriter, {"messages": CONVERTER, "tracker": "__tracker__"}, config)
    nodes[aligner] = _node(EntityAligner, {"messages": aligned}, {})
    return metadata


def _node(uses: type, needs: dict[str, str], config: dict[str, Any]) -> dict[str, Any]:
    return {
        "needs": needs,
        "uses": f"{uses.__module__}.{uses.__name__}",
        "constructor_name": "load",
        "fn": "process",
        "config": config,
        "eager": True,
        "is_target": False,
        "is_input": False,
        "resource": None,
    }


def main() -> None:
    """Insert the components as the command line says."""
    parser = argparse.ArgumentParser(description="Put Grice's components into a trained Rasa model.")
    parser.add_argument("model", type=Path, help="a model as `rasa train` writes it")
    parser.add_argument("out", type=Path, help="where the model with the components goes")
    parser.add_argument("--config", type=json.loads, default={}, metavar="JSON", help="the keys of IndirectTurnRewriter")
    given = parser.parse_args()
    insert(given.model, given.out, given.config)


if __name__ == "__main__":
    main()
