"""The trunk of the reader of meaning in CTranslate2, whose converter knows neither ours nor MPNet."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.benchmarks.stats.metrics import Array


class CTranslate2Trunk:
    """A `SentenceTrunk` in CTranslate2.

    Args:
        quantization: "int8" or "float32".
    """

    def __init__(self, trunk: Any, threads: int, quantization: str) -> None:
        import ctranslate2

        with tempfile.TemporaryDirectory(prefix="grice-ctranslate2-") as folder:
            _write(trunk, Path(folder), quantization)
            self._encoder: Any = ctranslate2.Encoder(
                folder, device="cpu", compute_type=quantization, inter_threads=1, intra_threads=threads
            )

    def read(self, turn: NDArray[np.int64]) -> Array:
        """States (1, pieces, width) of the pieces (1, pieces) of a turn."""
        places = [list(range(turn.shape[1]))]  # its table of kinds of tokens is our table of places
        return np.asarray(self._encoder.forward_batch(turn.tolist(), token_type_ids=places).last_hidden_state)


def _write(trunk: Any, folder: Path, quantization: str) -> None:
    from ctranslate2.converters import utils
    from ctranslate2.specs import common_spec, transformer_spec

    from grice.models.training.sentence_trunk import FARTHEST

    shape = trunk.shape
    encoder = transformer_spec.TransformerEncoderSpec(
        shape.layers,
        shape.heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
        layernorm_embedding=True,
        relative_attention_bias=True,
    )
    encoder.scale_embeddings = False
    words, places = encoder.embeddings
    words.weight, places.weight = _values(trunk.words.weight), _values(trunk.positions.weight[shape.first_position :])
    _set_norm(encoder.layernorm_embedding, trunk.norm)
    for spec, layer in zip(encoder.layer, trunk.layers, strict=True):
        attention, inputs = spec.self_attention, [common_spec.LinearSpec() for _ in range(3)]
        for part, linear in zip(inputs, (layer.query, layer.key, layer.value), strict=True):
            _set_linear(part, linear)
        utils.fuse_linear(attention.linear[0], inputs)
        _set_linear(attention.linear[1], layer.out)
        _set_norm(attention.layer_norm, layer.attention_norm)
        attention.relative_attention_bias = _values(trunk.distances.weight)
        attention.relative_attention_max_distance = np.int32(FARTHEST)
        _set_linear(spec.ffn.linear_0, layer.wide)
        _set_linear(spec.ffn.linear_1, layer.narrow)
        _set_norm(spec.ffn.layer_norm, layer.norm)
    model = transformer_spec.TransformerEncoderModelSpec(encoder)
    model.register_vocabulary([str(number) for number in range(shape.vocabulary)])
    model.config.unk_token, model.config.layer_norm_epsilon = "0", shape.epsilon
    model.validate()
    model.optimize(quantization=quantization)
    model.save(str(folder))


def _set_linear(spec: Any, linear: Any) -> None:
    spec.weight, spec.bias = _values(linear.weight), _values(linear.bias)


def _set_norm(spec: Any, norm: Any) -> None:
    spec.gamma, spec.beta = _values(norm.weight), _values(norm.bias)


def _values(tensor: Any) -> Array:
    found: Array = tensor.detach().numpy().copy()  # they are rounded in place
    return found
