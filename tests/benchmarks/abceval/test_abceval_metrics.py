"""McNemar's test and ABC-Eval's metrics, against values computed by hand and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from grice.benchmarks.abceval.metrics import METRICS, RATES, macro, measure
from grice.benchmarks.abceval.outputs import Output, Outputs
from grice.benchmarks.abceval.significance import against, compared, marks
from grice.benchmarks.stats.mcnemar import Flags, mcnemar
from grice.models.results import Behavior


def flags(text: str) -> Flags:
    """ "10 1" as an array: 1 is yes."""
    return np.array([letter == "1" for letter in text if letter != " "])


def both(first: str, second: str) -> Flags:
    """What is said of each response, for the first and for the second annotator."""
    return np.stack([flags(first), flags(second)], axis=1)


def output(text: str) -> Output:
    """A model's decisions, "?" where it has none."""
    said = flags(text.replace("?", "0"))
    return Output(np.stack([said, said], axis=1), np.array([letter != "?" for letter in text if letter != " "]))


@pytest.mark.parametrize(
    ("only_one", "only_other", "p"),
    [
        (0, 0, 1.0),
        (5, 0, 2 / 2**5),
        (0, 6, 2 / 2**6),
        (9, 1, 2 * (1 + 10) / 2**10),
        (3, 9, 2 * (1 + 12 + 66 + 220) / 2**12),
        (4, 4, 1.0),
    ],
)
def test_mcnemars_exact_p_value(only_one: int, only_other: int, p: float) -> None:
    one = flags("1" * only_one + "0" * only_other + "1" * 7 + "0" * 3)
    other = flags("0" * only_one + "1" * only_other + "1" * 7 + "0" * 3)
    assert mcnemar(one, other) == pytest.approx(p)
    assert mcnemar(other, one) == pytest.approx(p)


def test_metrics_by_hand() -> None:
    said, truth = both("1100 0000", "1100 0000"), both("1010 0000", "1111 0000")
    expected = {
        "f1_pos": 100 * (2 / 4 + 4 / 6) / 2,
        "f1_neg": 100 * (10 / 12 + 8 / 10) / 2,
        "accuracy": 100 * (6 / 8 + 6 / 8) / 2,
        "precision": 100 * (1 / 2 + 2 / 2) / 2,
        "recall": 100 * (1 / 2 + 2 / 4) / 2,
        "precision_neg": 100 * (5 / 6 + 4 / 6) / 2,
        "recall_neg": 100 * (5 / 6 + 4 / 4) / 2,
        "positives": 2,
    }
    assert set(expected) == set(METRICS)
    for metric, value in expected.items():
        assert measure(metric, said, truth).value == pytest.approx(value), metric


def test_metrics_are_scikit_learns() -> None:
    random = np.random.default_rng(3)
    said, truth = random.random((60, 1)) < 0.3, random.random((60, 2)) < 0.4
    pairs = [(truth[:, column], said[:, 0]) for column in (0, 1)]
    groups = {"": 1, "_neg": 0}
    for ending, positive in groups.items():
        scores = np.mean(
            [precision_recall_fscore_support(*pair, average="binary", pos_label=positive)[:3] for pair in pairs], axis=0
        )
        names = (f"precision{ending}", f"recall{ending}", "f1_neg" if ending else "f1_pos")
        found = [measure(name, np.repeat(said, 2, axis=1), truth).value for name in names]
        assert found == pytest.approx(100 * scores)
    accuracy = np.mean([accuracy_score(*pair) for pair in pairs])
    assert measure("accuracy", np.repeat(said, 2, axis=1), truth).value == pytest.approx(100 * accuracy)


def test_people_are_measured_against_each_other_and_half_a_positive_is_none() -> None:
    truth = both("1110 0", "1001 1")
    people = truth[:, ::-1]
    assert measure("f1_pos", people, truth).value == pytest.approx(100 * 2 * 1 / 6)
    assert measure("accuracy", people, truth).value == pytest.approx(100 * 1 / 5)
    assert measure("positives", both("1110 0", "1001 0"), truth).value == 2


def test_what_nothing_divides_is_not_defined() -> None:
    yes, truth = both("11", "11"), both("10", "01")
    assert np.isnan(measure("precision_neg", yes, truth).value)
    assert measure("f1_neg", yes, truth).value == 0
    assert np.isnan(measure("recall", yes, both("00", "11")).value)
    no = both("00", "00")
    assert np.isnan(measure("f1_pos", no, no).value)


def test_the_macro_average_takes_each_behaviour_over_its_own_responses() -> None:
    one, other = (both("1100", "1100"), both("1010", "1110")), (both("1011", "1011"), both("1000", "0111"))
    everything, some = np.ones(4, bool), flags("1101")
    for metric in RATES:
        parts = [measure(metric, *one).value, measure(metric, other[0][some], other[1][some]).value]
        found = macro(metric, [one, other], [everything, some]).value
        assert found == pytest.approx(np.mean(parts), nan_ok=True), metric


def test_systems_are_compared_where_both_have_a_decision() -> None:
    truth = both("1111 1111", "1111 0000")
    found = compared(output("1111 11?0"), output("0000 01?1"), truth)
    assert (found.accuracy, found.other_accuracy) == pytest.approx((100 * (6 / 7 + 5 / 7) / 2, 100 * (2 / 7 + 1 / 7) / 2))
    assert found.p_values == pytest.approx((2 * (1 + 6) / 2**6, 2 * (1 + 6) / 2**6))
    assert found.significant == 0


def test_marks_stand_where_the_paper_has_them() -> None:
    truth = both("1" * 12, "1" * 6 + "0" * 6)
    good: Outputs = {"Emp": output("1" * 12)}
    poor: Outputs = {"Emp": output("0" * 12)}
    human: Outputs = {"Emp": Output(truth[:, ::-1], np.ones(12, bool))}
    # Where the first annotator is the truth, `good` is right 12 times, `poor` never and the other annotator 6 times; where the
    # second is, all are right 6 times, `good` and the other annotator the same 6 times.
    found = marks("Emp", {"human": human, "chatgpt": poor, "specialized": good}, truth)
    assert found == {"human": "⋆", "specialized": "†"}
    assert marks("Emp", {"human": human, "chatgpt": poor, "specialized": {}}, truth) == {"human": "⋆"}
    assert marks("Emp", {"human": good, "chatgpt": good, "specialized": {}}, truth) == {"human": ""}
    assert marks("Emp", {"human": human, "chatgpt": good, "specialized": good}, truth)["chatgpt"] == ""


def test_only_common_behaviours_and_responses_are_compared() -> None:
    truth: dict[Behavior, NDArray[np.bool_]] = {"Emp": both("10", "11"), "Red": both("00", "01")}
    ours: Outputs = {"Emp": output("1?"), "Red": output("?1")}
    theirs: dict[str, Outputs] = {"them": {"Emp": output("10"), "Red": output("0?")}, "others": {"Red": output("00")}}
    assert [(label, name) for label, name, _ in against(ours, theirs, truth)] == [("Emp", "them"), ("Red", "others")]
