"""Training the heads on RecToM: always by dialogue, with one recipe for all five."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from tqdm import tqdm

from grice.models.data import rectom
from grice.models.manifest import write_manifest
from grice.models.minds.joint_encoder import JointEncoder, reading_of
from grice.models.minds.model import MindMembers
from grice.models.minds.questions import ATTITUDE, TASKS, MindQuestion, QuestionKind, answer, head_of
from grice.models.minds.sentence_heads import HEADS, MindHeads, MindInputs, SetHead, inputs_of, network_inputs
from grice.models.runtime.heads import Floats, halved
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.training.cross_validation import FoldPlaces, describe, judge_folds, write_folds
from grice.models.training.minds import chats as movie_chats
from grice.models.training.minds.joint_encoder import JointRecipe, train_joint_encoder
from grice.models.training.minds.sets import sets_of, wanted
from grice.models.training.set_networks import SetRecipe, fit_networks

FOLDS_FILE = "rectom_folds.json"
TEACHING: tuple[QuestionKind, ...] = ("fine-intention", "prediction", "belief")
"""Kinds of questions that heads are fitted to; the answers to the others follow from these."""
MOST_VECTORS = 6000
"""Vectors that the axes are found from."""


@dataclass(frozen=True)
class MindRecipe:
    """The shipped heads.

    Attributes:
        head: how each is fitted.
        axes: principal axes of the vectors, for all heads.
        reader: how the joint encoder beside them is fine-tuned; None: there is none. Manifests and stored folds call it so.
        written: attitudes from chats that we wrote, the first in the file, that the heads learn from, too: about as many as RecToM
            has, more made them worse. The joint encoder has a share of its own (`JointRecipe.written`).
        folds: of the cross-validation.
    """

    head: SetRecipe = field(default_factory=SetRecipe)
    axes: int = 32
    reader: JointRecipe | None = field(default_factory=JointRecipe)
    written: int = 1275
    folds: int = 5
    seed: int = 0


@dataclass(frozen=True)
class MindExample:
    """A question with what is read for it."""

    question: MindQuestion
    inputs: MindInputs


def read_examples(data_dir: Path, encoder: SentenceEncoder) -> list[MindExample]:
    """All questions of the ten files; what is read for one is shared by those that are about the same.

    Raises:
        DataError: the data cannot be read.
    """
    questions = [question for each in rectom.read(data_dir).values() for question in each]
    known: dict[tuple[Any, ...], MindInputs] = {}
    for question in tqdm(sorted(questions, key=lambda each: each.dialogue_id), desc="reading", mininterval=5):
        if _matter(question) not in known:
            known[_matter(question)] = inputs_of(encoder, question)
    return [MindExample(question, known[_matter(question)]) for question in questions]


def written_examples(encoder: SentenceEncoder, count: int) -> list[MindExample]:
    """How a seeker stands to movies in chats that we wrote, the first `count` attitudes."""
    return [MindExample(question, inputs_of(encoder, question)) for question in movie_chats.written()[:count]]


def _matter(question: MindQuestion) -> tuple[Any, ...]:
    about = question.about if head_of(question) == ATTITUDE else ""
    return head_of(question), question.dialogue_id, question.place, len(question.turns), about


def taught_by(examples: Sequence[MindExample]) -> list[MindExample]:
    """Those whose questions teach."""
    return [example for example in examples if example.question.kind in TEACHING]


def fit(examples: Sequence[MindExample], recipe: MindRecipe) -> MindHeads:
    """The five heads from these examples alone."""
    taught = taught_by(examples)
    vectors = np.concatenate([np.concatenate([each.inputs.part_vectors, each.inputs.vectors]) for each in taught])
    vectors = np.unique(vectors[np.abs(vectors).any(1)], axis=0)
    chosen = np.random.default_rng(recipe.seed).permutation(len(vectors))[:MOST_VECTORS]
    found = PCA(min(recipe.axes, len(chosen)), random_state=recipe.seed).fit(vectors[np.sort(chosen)])
    axes = halved(found.components_.T)
    bar = tqdm(HEADS, desc="heads", leave=False)
    heads = {name: _head(name, [each for each in taught if head_of(each.question) == name], axes, recipe) for name in bar}
    return MindHeads(axes, heads)


def _head(name: str, examples: Sequence[MindExample], axes: Floats, recipe: MindRecipe) -> SetHead:
    questions = [example.question for example in examples]
    sets, right = sets_of(questions), wanted(name, questions)
    read = [network_inputs(example.inputs, axes) for example in examples]
    networks = fit_networks([parts for parts, _ in read], np.stack([whole for _, whole in read]), right, recipe.head, recipe.seed)
    return SetHead(sets, right.members.numpy(), networks)


def train_mind(
    data_dir: Path,
    out: Path,
    recipe: MindRecipe | None = None,
    encoder: SentenceEncoder | None = None,
    start: Path | None = None,
) -> Path:
    """Train on all of RecToM in `data_dir` into `out/model`; returns that folder. A stopped run goes on with its joint encoder.

    Args:
        start: the folder of a checkpoint that the joint encoder begins with, in place of MiniLM.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or MindRecipe(), encoder or load_sentence_encoder()
    examples = read_examples(data_dir, encoder)
    heads = fit([*examples, *written_examples(encoder, recipe.written)], recipe)
    folder = out / "model"
    folder.mkdir(parents=True, exist_ok=True)
    heads.save(folder / "heads.npz")
    if recipe.reader:
        shutil.copytree(_joint(examples, out / "reader", recipe.reader, start), folder, dirs_exist_ok=True)
    dialogues = len({example.question.dialogue_id for example in examples})
    write_manifest(
        folder,
        {
            "name": "mind",
            "version": "1",
            "task": "mind",
            "settings": {"encoder": encoder.identity, "sets": heads.sets, "reader": recipe.reader is not None},
            "training": {
                "data": f"RecToM, all {len(examples)} questions on {dialogues} dialogues",
                "own_data": f"{len(movie_chats.written())} attitudes in chats of our own",
                "recipe": asdict(recipe),
            },
        },
    )
    return folder


def cross_validate(data_dir: Path, out: Path, recipe: MindRecipe | None = None, encoder: SentenceEncoder | None = None) -> Path:
    """Answer every question by heads that saw nothing of its dialogue, into `out/rectom_folds.json`; returns its path.

    A fold that is done is kept in `out/folds/`, so a stopped run goes on.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or MindRecipe(), encoder or load_sentence_encoder()
    about = describe(recipe, encoder)
    examples, written = read_examples(data_dir, encoder), written_examples(encoder, recipe.written)

    def judge(seen: FoldPlaces, unseen: FoldPlaces, folder: Path) -> dict[str, dict[str, str]]:
        taught = [examples[at] for at in seen]
        heads, joint = fit([*taught, *written], recipe), None
        if recipe.reader:
            files = _joint(taught, folder, recipe.reader)
            joint = JointEncoder(files.joinpath, {name: head.sets for name, head in heads.heads.items()}, Runtime(encoder.provider))
        return _predictions(MindMembers(encoder, heads, joint), [examples[at] for at in unseen])

    judged = judge_folds([example.question.dialogue_id for example in examples], recipe, about, out, judge)
    parts = {task: {name: each for fold in judged.found for name, each in fold[task].items()} for task in TASKS}
    return write_folds(out / FOLDS_FILE, about, judged, {"predictions": parts})


def _predictions(members: MindMembers, examples: Sequence[MindExample]) -> dict[str, dict[str, str]]:
    """The letters chosen, by task and question."""
    predictions: dict[str, dict[str, str]] = {task: {} for task in TASKS}
    for example in examples:
        found = members.probabilities(head_of(example.question), example.inputs, reading_of(example.question))
        predictions[example.question.task][example.question.question_id] = "".join(sorted(answer(example.question, found)))
    return predictions


def _joint(examples: Sequence[MindExample], out: Path, recipe: JointRecipe, start: Path | None = None) -> Path:
    return train_joint_encoder([*(example.question for example in taught_by(examples)), *movie_chats.written()], out, recipe, start)
