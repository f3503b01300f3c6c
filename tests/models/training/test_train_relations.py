"""Training of the reader of relations: it learns, goes on where it was stopped, and knows nothing of the held hands."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

import grice.models
from grice.models.data.multiwoz import Act, Utterance
from grice.models.dialogue import Turn
from grice.models.relations.inputs import KnownSpan, RelationTokens, turn_spans
from grice.models.training.relations.evaluate import auc, figures, judge
from grice.models.training.relations.faults import Elsewhere, TaskReply, faulty
from grice.models.training.relations.loss import LossWeights, step_loss, step_of
from grice.models.training.relations.network import LowerStates, RelationNetwork
from grice.models.training.relations.recipe import RelationRecipe, divide, shape_of
from grice.models.training.relations.released import as_heard, multiwoz_reply
from grice.models.training.relations.samples import Clash, RelationSample, TaughtResponse, written_sample
from grice.models.training.responses.written import read_contexts
from grice.models.training.sentence_trunk import SentenceTrunk
from grice.models.training.trainer import Objective, Schedule, Trainer

ENCODER = Path(grice.models.__file__).parent / "pretrained" / "sentence_encoder" / "tokenizer.json"


@pytest.fixture(scope="module")
def tokens() -> RelationTokens:
    return RelationTokens(Tokenizer.from_file(str(ENCODER)))


def small_network(tokens: RelationTokens, frozen: int = 1) -> RelationNetwork:
    torch.manual_seed(0)
    shape = replace(shape_of(tokens.tokenizer.get_vocab_size()), layers=2, width=64, heads=4, feed_forward=128)
    return RelationNetwork(SentenceTrunk(shape), frozen)


def samples() -> list[RelationSample]:
    """A response with another colour than the bot named is faulty."""
    colours = ("red", "green", "blue", "white")
    found = []
    for place in range(24):
        colour, other = random.Random(place).sample(colours, 2)
        spans = (KnownSpan("bot", 0, f"My boat is {colour}."), KnownSpan("user", 1, "Which one is yours?"))
        fine = TaughtResponse(f"The {colour} one, of course.", frozenset(), False)
        found.append(RelationSample("ours", "chat", spans, (fine, replace(fine, text=f"The {other} one, of course.", bad=True))))
    return found


def test_lower_states_are_kept_and_are_the_same(tokens: RelationTokens) -> None:
    network = small_network(tokens).eval()
    step = step_of(samples()[:3], tokens)
    kept = LowerStates(network)
    first = kept.of(step.samples, step.batch)
    again = kept.of(step.samples, step.batch)
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
    with torch.no_grad():
        assert torch.allclose(network(step.batch).bad, network(step.batch, first).bad, atol=1e-2)


def test_a_response_does_not_see_the_others(tokens: RelationTokens) -> None:
    network = small_network(tokens).eval()
    sample = samples()[0]
    with torch.no_grad():
        both = network(step_of([sample], tokens).batch).bad
        alone = [network(step_of([replace(sample, responses=(each,))], tokens).batch).bad for each in sample.responses]
    assert torch.allclose(both, torch.cat(alone), atol=1e-5)


def test_training_goes_on_where_it_was_stopped(tokens: RelationTokens, tmp_path: Path) -> None:
    network = small_network(tokens, frozen=0)
    given = samples()
    kept = LowerStates(network)

    def fit(epochs: int) -> float:
        objective = Objective(
            lambda epoch: [step_of(given[at : at + 8], tokens) for at in range(0, 24, 8)],
            lambda _, step: step_loss(network, step, LossWeights(labels=0.0, setting=0.0), kept),
            lambda _: (figures(judge(network, given, tokens, half=False))["auc"], {}),
            half=False,
        )
        return Trainer(
            network, tmp_path, Schedule(epochs, 1e-3, checkpoint_every=2, decay=False), objective, torch.device("cpu")
        ).fit()

    fit(1)
    steps = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"]
    assert steps == 3
    checkpoint = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    checkpoint["schedule"] = checkpoint["schedule"].replace("epochs=1", "epochs=2")
    torch.save(checkpoint, tmp_path / "checkpoint.pt")
    fit(2)
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 6


def test_minutes_end_training_early(tokens: RelationTokens, tmp_path: Path) -> None:
    network, given = small_network(tokens), samples()[:4]
    kept = LowerStates(network)
    objective = Objective(
        lambda epoch: [step_of(given, tokens)] * 4,
        lambda _, step: step_loss(network, step, LossWeights(), kept),
        lambda _: (0.0, {}),
        half=False,
    )
    schedule = Schedule(50, 1e-3, minutes=1e-9)
    Trainer(network, tmp_path, schedule, objective, torch.device("cpu")).fit()
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 1


def test_held_hands_are_not_learned_from_and_dev_stays_the_same() -> None:
    recipe = RelationRecipe()
    found = divide(recipe)
    assert not {sample.source for sample in (*found.train, *found.dev)} & {*recipe.held_hands, *recipe.calibration_hands}
    assert {sample.source for sample in found.calibration} == set(recipe.calibration_hands)
    assert set(found.held) == set(recipe.held_hands)
    assert not set(found.train) & set(found.dev)
    assert 0.02 < len(found.dev) / len(found.train) < 0.1


def test_a_written_clash_points_at_its_line() -> None:
    for contexts in read_contexts(names=("RA",)).values():
        for context in contexts:
            for response, written in zip(written_sample(context).responses, context.responses, strict=True):
                if response.clash is not None and written.evidence is not None:
                    span = written_sample(context).spans[response.clash.span]
                    assert written.evidence.words.lower() in span.text.lower()


def test_faults_are_put_into_replies() -> None:
    def reply(speaker: str, text: str, asks: str = "", tells: str = "") -> TaskReply:
        turn = Turn("user" if speaker == "user" else "bot", text)
        return TaskReply(turn, frozenset(filter(None, [asks])), frozenset(filter(None, [tells])))

    before = [
        reply("user", "A table for four at 19:30 by the river.", tells="table people"),
        reply("bot", "The Old Mill has a table for you by the river tonight."),
        reply("user", "Book it for 19:30 then."),
    ]
    last = reply("bot", "Booked at the Old Mill for 19:30.")
    asked = {"table people": [reply("bot", "For how many people shall the table be?", asks="table people")]}
    elsewhere = [reply("bot", "Your taxi will be a grey Volvo, and its driver calls when she arrives.")]
    spans = turn_spans([each.turn for each in before])
    found = {
        next(iter(each.labels)): each
        for seed in range(20)
        for each in faulty(last, before, spans, Elsewhere(elsewhere, asked, {}), random.Random(seed))
    }
    assert set(found) == {"!Par", "asked_again", "Red", "!Rel"}
    assert all(each.bad and each.text != last.turn.text for each in found.values())
    assert found["!Par"].clash is not None
    assert found["!Par"].clash.words == "19:30"


def test_another_name_is_put_where_a_speaker_said_one() -> None:
    said = turn_spans(
        [Turn("user", "Will it rain in new york?"), Turn("bot", "In New York it is foggy."), Turn("user", "And today?")]
    )
    reply = TaskReply(Turn("bot", "Rain is likely in New York, and 12 degrees."), values=(("city", "New York"), ("heat", "12")))
    values = {"city": ("Oakland", "new york"), "heat": ("30",)}
    found = [each for seed in range(20) for each in faulty(reply, (), said, Elsewhere((), {}, values), random.Random(seed))]
    (one,) = set(found)
    assert one.text == "Rain is likely in Oakland, and 12 degrees."
    assert (one.labels, one.clash) == ({"!Par", "!Sel"}, Clash(1, "New York", "Oakland"))


def test_some_task_dialogue_reads_as_a_speech_recogniser_writes_it() -> None:
    row = KnownSpan("fact", 0, "name: Old Mill")
    clash = Clash(1, "19:30", "Five o'clock")
    sample = RelationSample(
        "sgd",
        "task",
        (row, *turn_spans([Turn("user", "A table at 19:30, please.")])),
        (TaughtResponse("Booked: Five o'clock, Old Mill!", frozenset(("!Par",)), True, clash),),
    )
    heard = as_heard(sample)
    assert [span.text for span in heard.spans] == ["name: Old Mill", "a table at 19:30 please"]
    assert heard.responses[0].text == "booked five o'clock old mill"
    assert heard.responses[0].clash == Clash(1, "19:30", "five o'clock")
    assert heard.responses[0].labels == {"!Par"}


def test_a_reply_of_multiwoz_says_what_it_asks_for_alone() -> None:
    asks, both = Act("Hotel-Request", "Area", "?"), Act("Hotel-Inform", "Stars", "4")
    turn = Turn("bot", "Which area?")
    assert multiwoz_reply(Utterance(turn, (asks,))).asks == {"hotel area"}
    assert multiwoz_reply(Utterance(turn, (asks, both))).asks == frozenset()


def test_auc() -> None:
    assert auc([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == 0.75
    assert auc([0.5, 0.5], [True, False]) == 0.5
    assert auc([0.5], [True]) == 0.5
