"""Vectors of pieces that are shipped once: out of one graph, and where they lie in another's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from grice.models.runtime.session import read_graph
from grice.models.runtime.word_table import WORDS


def give_vectors(path: Path, table: str) -> None:
    """Make a graph read the vectors of pieces, as the input `words` (batch, length, width), in place of their ids.

    Args:
        table: the module of the embeddings (`TokenTable` in its small form), which leaves the file.

    Raises:
        ValueError: the graph has no such embeddings.
    """
    model = onnx.load(str(path), load_external_data=False)  # weights that lie beside the graph stay there
    graph = model.graph
    found = {each.name: each for each in graph.initializer}
    if f"{table}.table" not in found:
        raise ValueError(f"{path}: no embeddings {table}")
    width = found[f"{table}.table"].dims[1]
    looked_up = [node for node in graph.node if node.name.startswith(f"/{table}/")]
    vectors, (ids,) = looked_up[-1].output[0], {name for node in looked_up for name in node.input if name == "ids"}
    kept = [node for node in graph.node if node not in looked_up]
    for node in kept:
        for place, name in enumerate(node.input):
            if name in (vectors, ids):
                node.input[place] = WORDS
    given = [each for each in graph.input if each.name != ids]
    axes = next(each for each in graph.input if each.name == ids).type.tensor_type.shape.dim
    shape = [*(axis.dim_param for axis in axes), width]
    left = [each for each in graph.initializer if not each.name.startswith(f"{table}.")]
    for part, content in (
        (graph.node, kept),
        (graph.input, [helper.make_tensor_value_info(WORDS, TensorProto.FLOAT, shape), *given]),
        (graph.initializer, left),
    ):
        del part[:]
        part.extend(content)
    path.write_bytes(model.SerializeToString())


def places_of(packed: Path, table: str, projection: str = "") -> dict[str, Any]:
    """Where `read_word_table` finds the vectors in a packed graph.

    Args:
        table: the module of the embeddings. projection: the output layer that they are made from (see `share_table`); "": none.
    """
    content = read_graph(packed)
    tensors = {each.name: each for each in onnx.load_from_string(content).graph.initializer}

    def at(name: str) -> int:
        return content.index(tensors[name].raw_data)

    if not projection:
        pieces, width = tensors[f"{table}.table"].dims
        return {"pieces": pieces, "width": width, "steps_at": at(f"{table}.table"), "scales_at": at(f"{table}.scale")}
    pieces, blocks, long = tensors[f"{projection}.weight_Q8"].dims
    return {
        "pieces": pieces,
        "width": blocks * long,
        "blocks": blocks,
        "steps_at": at(f"{projection}.weight_Q8"),
        "factors_at": at(f"{table}.factors"),
        "differences_at": at(f"{table}.differences"),
        "scales_at": at(f"{table}.scale"),
    }
