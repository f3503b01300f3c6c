"""Puts the components into a Rasa model that is trained already, so that the same NLU can be run with and without.

    python -m grice.components.insert models/bot.tar.gz models/bot-with-grice.tar.gz --config '{"mode": "append"}'
    python -m grice.components.insert models/bot.tar.gz OUT.tar.gz --data data/nlu.yml --resolver '{}'

The prediction graph becomes what `rasa train` makes of a pipeline with rewriter and aligner; what was trained stays as it is. With
`--data`, the NLU's training data, the rewriter has the bot's menu, and `--resolver` puts a `MeaningResolver` in, too. Whoever
trains the bot adds the components to `config.yml` instead.
"""

from __future__ import annotations

import argparse
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rasa.shared.nlu.training_data.loading import load_data

from grice.components.bot_menu import TRAINING, training_content
from grice.components.entity_aligner import EntityAligner
from grice.components.indirect_turn_rewriter import IndirectTurnRewriter
from grice.components.meaning_resolver import MeaningResolver

METADATA = "metadata.json"
CONVERTER = "nlu_message_converter"
BEHIND = ("RegexMessageHandler", "FallbackClassifier")
"""What the aligner stands in front of."""


MENU = "grice_menu"
"""The resource of the bot's menu in the model."""


@dataclass(frozen=True)
class Inserted:
    """What is put in.

    Attributes:
        rewriter: what `config.yml` would say of the rewriter. resolver: of a `MeaningResolver`; None: there shall be none.
        data: the NLU's training data, a file or a folder; None: the rewriter does without the bot's menu.

    Raises:
        InvalidConfigException: a key or value is not allowed.
        ValueError: a resolver without data.
    """

    rewriter: Mapping[str, Any] = field(default_factory=dict)
    resolver: Mapping[str, Any] | None = None
    data: Path | None = None

    def __post_init__(self) -> None:
        IndirectTurnRewriter.check(self.rewriter)
        if self.resolver is not None:
            MeaningResolver.check(self.resolver)
            if self.data is None:
                raise ValueError("a resolver reads the bot's menu: give the training data, too (--data)")


def insert(model: Path, out: Path, inserted: Inserted) -> None:
    """Write `model` to `out` with the components.

    Raises:
        ValueError: the model has no NLU, or has the rewriter already.
    """
    with tarfile.open(model) as source, tarfile.open(out, "w:gz") as target:
        for member in source.getmembers():
            content = source.extractfile(member)
            if content is not None and Path(member.name).name == METADATA and len(Path(member.name.lstrip("/")).parts) == 1:
                data = json.dumps(_with_components(json.load(content), inserted)).encode()
                member.size = len(data)
                content = io.BytesIO(data)
            target.addfile(member, content)
        if inserted.data is not None:
            _add_menu(target, inserted.data)


def _add_menu(target: tarfile.TarFile, data: Path) -> None:
    content = training_content(load_data(str(data)))
    text = json.dumps(content, ensure_ascii=False).encode()
    member = tarfile.TarInfo(f"components/{MENU}/{TRAINING}")
    member.size = len(text)
    folder = tarfile.TarInfo(f"components/{MENU}")
    folder.type, folder.mode = tarfile.DIRTYPE, 0o755
    target.addfile(folder)
    target.addfile(member, io.BytesIO(text))


def _with_components(metadata: dict[str, Any], inserted: Inserted) -> dict[str, Any]:
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
    rewriter = f"run_{IndirectTurnRewriter.__name__}"
    for node in nodes.values():
        if node["needs"].get("messages") == CONVERTER:
            node["needs"]["messages"] = rewriter
    menu = None if inserted.data is None else {"name": MENU, "output_fingerprint": MENU}
    nodes[rewriter] = _node(IndirectTurnRewriter, CONVERTER, {"menu": menu is not None, **inserted.rewriter}, menu)
    behind: list[tuple[type, Mapping[str, Any]]] = [(EntityAligner, {})]
    behind += [] if inserted.resolver is None else [(MeaningResolver, inserted.resolver)]
    for uses, config in behind:
        nodes[f"run_{uses.__name__}"] = _node(uses, nodes[last]["needs"]["messages"], config, menu)
        nodes[last]["needs"]["messages"] = f"run_{uses.__name__}"
    return metadata


def _node(uses: type, messages: str, config: Mapping[str, Any], resource: Mapping[str, Any] | None) -> dict[str, Any]:
    needs = {"messages": messages, **({} if uses is EntityAligner else {"tracker": "__tracker__"})}
    return {
        "needs": needs,
        "uses": f"{uses.__module__}.{uses.__name__}",
        "constructor_name": "load",
        "fn": "process",
        "config": dict(config),
        "eager": True,
        "is_target": False,
        "is_input": False,
        "resource": None if uses is EntityAligner else resource,
    }


def main() -> None:
    """Insert the components as the command line says."""
    parser = argparse.ArgumentParser(description="Put Grice's components into a trained Rasa model.")
    parser.add_argument("model", type=Path, help="a model as `rasa train` writes it")
    parser.add_argument("out", type=Path, help="where the model with the components goes")
    parser.add_argument("--config", type=json.loads, default={}, metavar="JSON", help="the keys of IndirectTurnRewriter")
    parser.add_argument(
        "--data", type=Path, metavar="NLU", help="the NLU's training data, a file or folder: the menu is read from it"
    )
    parser.add_argument("--resolver", type=json.loads, metavar="JSON", help="put a MeaningResolver in, too, with these keys")
    given = parser.parse_args()
    insert(given.model, given.out, Inserted(given.config, given.resolver, given.data))


if __name__ == "__main__":
    main()
