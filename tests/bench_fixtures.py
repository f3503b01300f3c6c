"""A small invented data folder in the released formats, a command line for benchmarks, and tiny models."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from data_fixtures import write_direct, write_json
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from grice.benchmarks import command
from grice.models.data.split import part_of
from grice.models.template import SPECIAL_TOKENS, TAGS

DIALOGUES = 80
TOPICS = ("gardening", "sailing", "cooking", "chess")
RESULT_KEYS = {"benchmark", "task", "system", "metric", "value", "low", "high", "n", "unscored"}


def topic_of(number: int) -> str:
    """What dialogue `number` is about."""
    return TOPICS[number % len(TOPICS)]


def triple_of(number: int) -> tuple[str, str, str]:
    """The original, direct and indirect wording of the last user turn of dialogue `number`."""
    topic = topic_of(number)
    if number % 3:
        return f"I'd like a book on {topic}.", f"Find me a book on {topic}.", f"I wish I knew more of {topic}."
    return "Thanks, bye.", "Goodbye now.", "I wish you well."


def write_data(folder: Path) -> Path:
    """DIRECT's test file and MultiWOZ's val and test files, about a library. Returns `folder`."""
    rows = []
    for number in range(DIALOGUES):
        original, direct, indirect = triple_of(number)
        rows.append((str(number), f"LIB{number:04d}.json", "2", original, direct, indirect))
    write_direct(folder, rows)
    for split in ("test", "val"):
        logs = {
            f"{'LIB' if split == 'test' else 'VAL'}{number:04d}.json": {"goal": {}, "log": _log(number)}
            for number in range(DIALOGUES)
        }
        write_json(folder / "multiwoz21" / f"{split}.json.zip", logs)
    return folder


def _log(number: int) -> list[dict[str, Any]]:
    original, direct, _ = triple_of(number)
    topic = topic_of(number)
    acts = {"Library-Request": [["Topic", topic]]} if number % 3 else {"general-bye": [["none", "none"]]}
    tokens = (direct if number % 2 else original).replace(".", " .").replace(",", " ,").split()
    spans = [["Library-Request", "Topic", topic, tokens.index(topic), tokens.index(topic)]] if number % 3 else []
    return [
        {"text": "Hello there .", "dialog_act": {"general-greet": [["none", "none"]]}},
        {"text": "What may I do for you ?", "dialog_act": {"general-reqmore": [["none", "none"]]}},
        {"text": " ".join(tokens), "dialog_act": acts, "span_info": spans},
    ]


def held_out_numbers() -> list[int]:
    """The dialogues of our own test part."""
    return [number for number in range(DIALOGUES) if part_of(f"LIB{number:04d}") == "test"]


def bench(*arguments: str) -> int:
    """`grice bench …`, without the process around it."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(list(arguments)))


def check_shape(path: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The results in a written file by task, system and metric, after checking that the file has the agreed shape."""
    content = json.loads(path.read_text(encoding="utf-8"))
    assert set(content) == {"run", "results"}
    assert {"benchmark", "command", "split", "seed", "limit", "n", "git", "data", "models", "versions"} <= set(content["run"])
    assert all(len(checksum) == 64 for checksum in (*content["run"]["data"].values(), *content["run"]["models"].values()))
    for result in content["results"]:
        assert set(result) == RESULT_KEYS
        assert (result["value"] is None) == (result["n"] == 0)
        if result["low"] is not None:
            assert result["low"] <= result["high"]
    results = {(result["task"], result["system"], result["metric"]): result for result in content["results"]}
    assert len(results) == len(content["results"])
    return results


def word_pieces() -> Tokenizer:
    """A tokenizer in the shape of the shipped ones, for the words of the data above."""
    words = {word for number in range(DIALOGUES) for text in triple_of(number) for word in text.lower().replace(".", " .").split()}
    letters = {piece for letter in "abcdefghijklmnopqrstuvwxyz'?," for piece in (letter, f"##{letter}")}
    order = [*SPECIAL_TOKENS, *TAGS, *sorted(words | letters)]
    tokenizer = Tokenizer(models.WordPiece({piece: place for place, piece in enumerate(order)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens([*SPECIAL_TOKENS, *TAGS])
    return tokenizer


def tiny_bart(vocabulary_size: int) -> Any:
    """A `BartForConditionalGeneration` of random weights, spread enough to generate different tokens."""
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(
        vocab_size=vocabulary_size,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=96,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        init_std=0.4,
    )
    return BartForConditionalGeneration(config).eval()


def write_checkpoint(folder: Path) -> Path:
    """A tiny rewriter with random weights, as `grice train rewriter` writes it. Returns `folder`."""
    import torch

    from grice.models.training.rewriter import save

    torch.manual_seed(5)
    tokenizer = word_pieces()
    save(
        tiny_bart(tokenizer.get_vocab_size()),
        tokenizer,
        folder,
        {"recipe": "small", "layout": {"history_turns": 2, "max_tokens": 64}},
    )
    return folder


def write_directness_checkpoint(folder: Path) -> Path:
    """A directness scorer of one layer with random weights, as `grice train directness` writes it. Returns `folder`."""
    from dataclasses import asdict

    import torch

    from grice.models.template import SourceFormat
    from grice.models.training.directness import DirectnessRecipe, empty_model

    torch.manual_seed(6)
    tokenizer = word_pieces()
    recipe = DirectnessRecipe(layout=SourceFormat(2, 64, with_form=False), layers=1)
    folder.mkdir(parents=True)
    torch.save(empty_model(tokenizer.get_vocab_size(), recipe).state_dict(), folder / "model.pt")
    tokenizer.save(str(folder / "tokenizer.json"))
    facts = {"recipe": asdict(recipe), "calibration": {"slope": 1.0, "offset": 0.0}}
    (folder / "training.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder
