"""Training the reader of meaning: a sentence encoder and a joint block, on menus that change from step to step."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import overload

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from grice.models.data import circa
from grice.models.errors import InputError
from grice.models.meaning.inputs import MeaningTokens
from grice.models.training import warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from, with_weights
from grice.models.training.meaning import released, samples
from grice.models.training.meaning.evaluate import figures, read_steps
from grice.models.training.meaning.loss import step_loss
from grice.models.training.meaning.network import MeaningNetwork
from grice.models.training.meaning.own_turns import read_own_menus
from grice.models.training.meaning.samples import MenuTurns
from grice.models.training.meaning.steps import Step, step_of
from grice.models.training.meaning.written import CALIBRATION_HANDS, HANDS, HELD_HANDS, WrittenBot, read_hands
from grice.models.training.processor import has_bf16
from grice.models.training.second_order_rounding import round_trunk
from grice.models.training.sentence_trunk import SHAPES, SentenceTrunk, load_trunk
from grice.models.training.trainer import Objective, Schedule, Trainer, choose_device

SOURCES = ("implicature", "circa", "sgd", "requests", "direct")


@dataclass(frozen=True)
class MeaningRecipe:
    """The shipped reader.

    Attributes:
        size: of the trunk: "small" (MiniLM) or "large" (mpnet).
        frozen: how many of its layers do not learn; they are rounded to four bits before the others learn. 0: all learn but the
            table of pieces. thaw: all learn, too, where training begins with a checkpoint, whatever that one's had.
        held_hands: hands that are not trained on at all. calibration_hands: nor these, which sureness is fitted on.
        dev: share of the other hands' bots that is kept to judge epochs by.
        share: of the written bots that are trained on, for a learning curve: whole bots, a larger share has all of a smaller one.
        steps: of the whole run, in place of the schedule's epochs; 0: as many as these have. The bots of a share are then repeated,
            each time varied anew, until they are as many as all are, so that a step has the same mixture whatever the share.
        hands: folder of the hands; "": ours.
        trunk: folder of the published weights of a large trunk.
        turns: of a menu in one step, at most.
        joint_rate: how many times as fast as the trunk the joint block learns.
        sources: released data that is learnt from beside the written bots, of `SOURCES`. items: a file of own turns; "": none.
    """

    size: str = "small"
    frozen: int = 0
    thaw: bool = False
    held_hands: tuple[str, ...] = HELD_HANDS
    calibration_hands: tuple[str, ...] = CALIBRATION_HANDS
    dev: float = 0.05
    share: float = 1.0
    steps: int = 0
    hands: str = ""
    trunk: str = "runs/all-mpnet-base-v2"
    turns: int = 40
    joint_rate: float = 3
    sources: tuple[str, ...] = SOURCES
    items: str = ""
    schedule: Schedule = Schedule(epochs=2, learning_rate=2e-4, warmup=0.05, checkpoint_every=100)
    seed: int = 0


SIZES = {
    "small": MeaningRecipe(),
    "large": MeaningRecipe(
        "large", frozen=6, turns=28, joint_rate=10, schedule=Schedule(epochs=1, learning_rate=5e-5, checkpoint_every=100)
    ),
}
"""The recipe of each size."""


@dataclass(frozen=True)
class Material:
    """Bots to train on, to judge epochs by, for calibration, and those of the hands that are held out.

    `whole` is how many bots there are to train on with a share of 1.
    """

    train: list[WrittenBot]
    dev: list[WrittenBot]
    calibration: list[WrittenBot]
    held: dict[str, list[WrittenBot]]
    whole: int


def divide_hands(recipe: MeaningRecipe) -> Material:
    """The written bots, divided. A bot's part, and the shares that it is in, follow from its own name."""
    hands = read_hands(Path(recipe.hands) if recipe.hands else HANDS)
    held = {name: bots for name, bots in hands.items() if name in recipe.held_hands}
    calibration = [bot for name in recipe.calibration_hands for bot in hands.get(name, [])]
    known = {*recipe.held_hands, *recipe.calibration_hands}
    others = [bot for name, bots in hands.items() if name not in known for bot in bots]
    dev = [bot for bot in others if samples.share_of(_name(bot)) < recipe.dev]
    train = [bot for bot in others if samples.share_of(_name(bot)) >= recipe.dev]
    learnt = [bot for bot in train if samples.share_of(f"curve {_name(bot)}") <= recipe.share]
    return Material(learnt, dev, calibration, held, len(train))


def train_meaning(
    data_dir: Path, out: Path, recipe: MeaningRecipe | None = None, device: str = "auto", start: Path | None = None
) -> dict[str, float]:
    """Train the reader into `out` (checkpoints, `model/`); goes on where a stopped run was.

    Args:
        data_dir: has the released data of `recipe.sources`; not looked at where there are none.
        start: the folder of a checkpoint to begin with; its size is kept.

    Returns figures on held-out hands, by `HAND/FIGURE`; see `figures`.

    Raises:
        DataNotFound, DataCorrupt: a data set or a trunk is missing or damaged. InputError: the size is unknown, the share none or
            so small that no bot is in it, or there are fewer than no steps.
    """
    recipe = recipe or MeaningRecipe()
    if recipe.size not in SHAPES:
        raise InputError("size", recipe.size, ", ".join(SHAPES))
    if not 0 < recipe.share <= 1:
        raise InputError("share", recipe.share, "above 0, up to 1")
    if recipe.steps < 0:
        raise InputError("steps", recipe.steps, "a whole number, 0 for as many as the epochs have")
    material = divide_hands(recipe)
    if not material.train:
        raise InputError("share", recipe.share, "a larger one: no written bot is in it")
    torch.manual_seed(recipe.seed)
    if start:
        begun = load_checkpoint(start, restore_thawed if recipe.thaw else restore)
        tokenizer, network = begun.tokenizer, begun.model
        recipe = replace(recipe, size=begun.facts["recipe"]["size"], frozen=network.frozen)
    else:
        folder = warm_start.folder() if recipe.size == "small" else Path(recipe.trunk)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        network = MeaningNetwork(load_trunk(recipe.size, folder), recipe.frozen, MeaningTokens(tokenizer).pad)
        round_trunk(network.trunk, ordinary_texts(recipe, MeaningTokens(tokenizer)), stop=recipe.frozen)
    tokens = MeaningTokens(tokenizer)
    dev = [step_of(samples.as_written(bot), tokens) for bot in material.dev]

    def batches(epoch: int) -> _Steps:
        return _Steps(menus_of_epoch(data_dir, material, recipe, epoch), tokens)

    def learned(_: nn.Module, step: Step) -> Tensor:
        return step_loss(network, step)

    def evaluate(_: nn.Module) -> tuple[float, dict[str, float]]:
        found = figures(read_steps(network, dev))
        return found.get("indirect", float(trainer.step)), found  # without bots to judge by, the last is kept

    objective = Objective(batches, learned, evaluate, half=has_bf16(), faster={"joint": recipe.joint_rate})
    schedule = replace(recipe.schedule, epochs=1) if recipe.steps else recipe.schedule
    trainer = Trainer(network, out, schedule, objective, choose_device(device))
    trainer.fit()
    network.eval()
    found = {
        f"{hand}/{name}": round(value, 2)
        for hand, bots in material.held.items()
        for name, value in figures(read_steps(network, [step_of(samples.as_written(bot), tokens) for bot in bots])).items()
    }
    facts: Facts = {
        "recipe": asdict(recipe),
        "bots": len(material.train),
        "turns": sum(len(bot.turns) for bot in material.train),
        "held_out": found,
    }
    save_checkpoint(out / "model", network, tokenizer, facts | started_from(start))
    return found


def ordinary_menus(recipe: MeaningRecipe, count: int = 200) -> list[MenuTurns]:
    """Bots that are trained on, each with its first two turns: what weights are rounded for."""
    bots, chance = divide_hands(recipe).train, random.Random(recipe.seed)
    menus = [samples.as_written(bot) for bot in chance.sample(bots, min(len(bots), count))]
    return [replace(menu, turns=menu.turns[:2]) for menu in menus]


def ordinary_texts(recipe: MeaningRecipe, tokens: MeaningTokens) -> list[tuple[int, ...]]:
    """The turns of `ordinary_menus` with their history, as pieces."""
    return [tokens.read_turn(dialogue).ids for menu in ordinary_menus(recipe) for dialogue, _ in menu.turns]


def restore(folder: Path, vocabulary: int, facts: Facts) -> MeaningNetwork:
    """The network of a checkpoint."""
    recipe = facts["recipe"]
    pad = MeaningTokens(Tokenizer.from_file(str(folder / "tokenizer.json"))).pad
    network = MeaningNetwork(SentenceTrunk(SHAPES[recipe["size"]]), recipe["frozen"], pad)
    return with_weights(network, folder)


def restore_thawed(folder: Path, vocabulary: int, facts: Facts) -> MeaningNetwork:
    """The network of a checkpoint, of which all layers learn."""
    return restore(folder, vocabulary, facts | {"recipe": facts["recipe"] | {"frozen": 0}})


class _Steps(Sequence[Step]):
    """Steps that are made when they are asked for: pieces of all menus at once would not fit."""

    def __init__(self, menus: Sequence[MenuTurns], tokens: MeaningTokens) -> None:
        self.menus, self.tokens = menus, tokens

    def __len__(self) -> int:
        return len(self.menus)

    @overload
    def __getitem__(self, place: int) -> Step: ...

    @overload
    def __getitem__(self, place: slice) -> _Steps: ...

    def __getitem__(self, place: int | slice) -> Step | _Steps:
        if isinstance(place, slice):
            return _Steps(self.menus[place], self.tokens)
        return step_of(self.menus[place], self.tokens)


def menus_of_epoch(data_dir: Path, material: Material, recipe: MeaningRecipe, epoch: int) -> list[MenuTurns]:
    """The menus of an epoch, a step each, in a random order; where the recipe says how many steps, those of the whole run.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """

    def read(count: int, number: int) -> list[MenuTurns]:
        return _menus(data_dir, material.train, count, recipe, random.Random(f"{recipe.seed} {number}"))

    if not recipe.steps:
        return read(len(material.train), epoch)
    menus: list[MenuTurns] = []
    for number in itertools.count():
        menus += read(material.whole, number)
        if len(menus) >= recipe.steps:
            break
    return menus[: recipe.steps]


def _menus(data_dir: Path, bots: Sequence[WrittenBot], count: int, recipe: MeaningRecipe, chance: random.Random) -> list[MenuTurns]:
    """The menus of one pass over the material, in a random order; `count` of them are written bots, repeated if need be."""
    menus = [samples.varied(bots[place % len(bots)], bots, chance) for place in range(count)]
    intents = [bot.schema.intents for bot in bots]
    if "implicature" in recipe.sources:
        menus += samples.implicature_menus(data_dir, samples.is_trained_intent, chance)
    if "circa" in recipe.sources:
        answers = [answer for answer in circa.read(data_dir) if samples.is_trained_question(answer.question)]
        menus += samples.circa_menus(answers, bots, chance)
    if "sgd" in recipe.sources:
        menus += released.sgd_menus(data_dir / "sgd", chance)
    if "requests" in recipe.sources:
        menus += released.request_menus(intents, chance)
    if "direct" in recipe.sources:
        menus += released.direct_menus(data_dir, intents, chance)
    if recipe.items:
        menus += read_own_menus(Path(recipe.items))
    chance.shuffle(menus)
    return [replace(menu, turns=tuple(chance.sample(menu.turns, min(len(menu.turns), recipe.turns)))) for menu in menus]


def calibration_menus(recipe: MeaningRecipe) -> list[MenuTurns]:
    """Bots of hands that were not trained on, each on its own menu and on a varied one.

    Where there are no such hands, the bots that epochs are judged by.
    """
    material, chance = divide_hands(recipe), random.Random(recipe.seed)
    bots = material.calibration or material.dev
    return [samples.as_written(bot) for bot in bots] + [samples.varied(bot, bots, chance) for bot in bots]


def _name(bot: WrittenBot) -> str:
    return f"{bot.hand}/{bot.domain}/{bot.service}"
