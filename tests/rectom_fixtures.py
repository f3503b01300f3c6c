"""Invented dialogues and questions about films on gardening, in the format of RecToM's released files, with all their quirks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data_fixtures import write_json

from grice.models.data.rectom import FILES, FOLDER, Task

DIALOGUES = 6
TURNS = 4
QUESTIONS = {task: 2 * DIALOGUES if task in ("belief", "desire") else DIALOGUES for task in FILES}

COARSE = {
    "recommender": (
        "A wish, or seeks feedback",
        "Responds to a turn",
        "Provides a recommendation",
        "Explains a recommendation",
        "Greetings",
    ),
    "seeker": ("Give feedback on a film", "Add more information on taste", "Asks for a recommendation", "Greetings"),
}
FINE = {
    "recommender": (
        *("It requests for taste.", "It is clarifying.", "It is on other feedback.", "It answers.", "By showing it directly."),
        *("By inquiring.", "It is non-personalized.", "It is on past preference.", "It is suggestive.", "Greetings."),
    ),
    "seeker": (
        *(
            "It is the first query.",
            "It is a subsequent query.",
            "It restates.",
            "It is a new query.",
            "It is a specific preference.",
        ),
        *("It answers.", "On personal opinions.", "The seeker has seen it.", "The seeker likes it.", "The seeker dislikes it."),
        *(
            "To know more.",
            "With critiques.",
            "It adds further constraints.",
            "It does not indicate.",
            "For a similar one.",
            "Greetings.",
        ),
    ),
}
BELIEFS = (
    "Proposed by the other, not seen yet, not accepted.",
    "Proposed by the other, not seen yet, accepted.",
    "Proposed by the other, already seen, not accepted.",
    "Proposed by the other, already seen, accepted.",
    "Proposed by the seeker, not seen yet, liked.",
    "Proposed by the seeker, already seen, does not seem to like it.",
    "Proposed by the seeker, already seen, liked.",
)


def contents() -> dict[Task, list[dict[str, Any]]]:
    """What the ten files hold: `DIALOGUES` dialogues, in each the seeker speaks first."""
    found: dict[Task, list[dict[str, Any]]] = {task: [] for task in FILES}
    for number in range(DIALOGUES):
        _add_intentions(found, number)
        _add_strategies(found, number)
        _add_films(found, number)
    return found


def write_rectom(folder: Path, content: dict[Task, list[dict[str, Any]]] | None = None) -> Path:
    """The ten files in `folder/rectom/`. Returns `folder`."""
    for task, entries in (contents() if content is None else content).items():
        write_json(folder / FOLDER / FILES[task], entries)
    return folder


def said(number: int) -> list[str]:
    """The turns of a dialogue, in which film `number` is suggested."""
    return [
        "Hello, is there a film  on beans?",
        f"Hi! Have you seen Bean {number} (1999)  ?",
        "No, I will. I liked Leek (2001)",
        "Leek (2001) is fine. Bye!",
    ]


def _head(number: int, turns: int, question: str) -> dict[str, Any]:
    lines = [f"{'RECOMMENDER' if place % 2 else 'SEEKER'} says: {text}" for place, text in enumerate(said(number)[:turns])]
    context = "\n".join(lines)
    return {"dialogue_id": str(100 + number), "utterance_pos": turns, "utterance_context": context, "question": question}


def _listed(texts: tuple[str, ...], between: str) -> list[str]:
    return [f"{chr(ord('A') + place)}:{between}{text}" for place, text in enumerate(texts)]


def _lettered(texts: tuple[str, ...]) -> dict[str, str]:
    return {chr(ord("A") + place): text for place, text in enumerate(texts)}


def _add_intentions(found: dict[Task, list[dict[str, Any]]], number: int) -> None:
    """The turns asked about are the first two; the recommender's even dialogues have it last, the others have a reply after it."""
    turns = said(number)
    asked = 'What is the intention expressed by the {} in the "{}" given the dialogue history?'
    recommender = _head(number, 2 + number % 2, asked.format("Recommender", turns[1]))
    seeker = _head(number, 2, asked.format("Seeker", turns[0]))
    found["coarse-intention-recommender"].append(
        {**recommender, "choice": _listed(COARSE["recommender"], " "), "answer_coarse": ["E", "C"] if number % 3 else ["C"]}
    )
    found["fine-intention-recommender"].append(
        {
            **recommender,
            "choice": _listed(FINE["recommender"], ""),
            "answer_coarse": ["OTH", "Recommend"] if number % 3 else ["Recommend"],
            "answer_fine": ["J", "F"] if number % 3 else ["F"],
        }
    )
    found["coarse-intention-seeker"].append({**seeker, "choices": _listed(COARSE["seeker"], " "), "answer_coarse": ["D", "C"]})
    found["fine-intention-seeker"].append(
        {**seeker, "choices": _listed(FINE["seeker"], ""), "answer_coarse": ["OTH", "AskForRec"], "answer_fine": ["P", "A"]}
    )


def _add_strategies(found: dict[Task, list[dict[str, Any]]], number: int) -> None:
    """A strategy is effective in every third dialogue. A is no for the recommender and yes for the seeker."""
    is_effective = number % 3 == 0
    for role, turns, answer in (("recommender", 1, "C"), ("seeker", 2, "A")):
        prediction: Task = "prediction-recommender" if role == "recommender" else "prediction-seeker"
        judgement: Task = "judgement-recommender" if role == "recommender" else "judgement-seeker"
        head = _head(number, turns, f"What strategy will {role.upper()} use next?")
        found[prediction].append({**head, "choices": _listed(COARSE[role], " "), "answer": [answer]})
        strategy = COARSE[role][ord(answer) - ord("A") if is_effective else -1]
        question = f'{role.capitalize()} will adopt "{strategy}" strategy to promote communication, Is this strategy effective?'
        choices = ("no", "yes") if role == "recommender" else ("yes", "no")
        gold = "A" if (role == "seeker") == is_effective else "B"
        found[judgement].append({**_head(number, turns, question), "choices": _lettered(choices), "answer": [gold]})


def _add_films(found: dict[Task, list[dict[str, Any]]], number: int) -> None:
    """Two questions at the same place of a dialogue."""
    for film, belief, desire in ((f"Bean {number} (1999) ", "B", "A"), ("Leek (2001)", "G", "A" if number else "B")):
        belief_head = _head(number, 3, f"How does the recommender believe the seeker's attitude about the {film}?")
        desire_head = _head(number, 3, f"Is the seeker likely to watch the {film}?")
        found["belief"].append({**belief_head, "choices": _lettered(BELIEFS), "answer": [belief]})
        found["desire"].append({**desire_head, "choices": _lettered(("yes", "no")), "answer": [desire]})
