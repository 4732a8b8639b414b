"""Atoms drafted of the notes on stored handoffs: what a person missed once is worth asking for from then on."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from bench.errors import BenchError
from bench.field.feedback import Feedback, drafted_atom, feedback_path, read_feedback
from bench.field.stored import RunShelf, Shelf
from bench.keys import Atom
from bench.project import Project
from bench.transcripts.model import Transcript


@dataclass(frozen=True)
class NotedAtoms:
    """Atoms of notes, the notes of which none could be made with the reason, and how many are on other fixtures."""

    atoms: tuple[Atom, ...]
    refused: tuple[tuple[str, str], ...]
    elsewhere: int


def noted_atoms(shelf: Shelf, project: Project | None, fixture: str, transcript: Transcript) -> NotedAtoms:
    """The notes on the shelf's handoffs as atoms of the fixture with this transcript.

    Of a run only the notes on the fixture's own handoffs count. Raises BenchError where no note was ever made.
    """
    path = feedback_path(shelf, project)
    notes = read_feedback(path)
    if not notes:
        raise BenchError("holds no note; 'bench handoffs feedback' makes them", path=path)
    own = [n for n in notes if not isinstance(shelf, RunShelf) or shelf.fixture(n.handoff) == fixture]
    atoms: list[Atom] = []
    refused = []
    for note in own:
        try:
            atoms.append(drafted_atom(_here(note, shelf, transcript), transcript, f"f{len(atoms) + 1}"))
        except BenchError as error:
            refused.append((note.note, error.problem.message))
    return NotedAtoms(tuple(atoms), tuple(refused), len(notes) - len(own))


def _here(note: Feedback, shelf: Shelf, transcript: Transcript) -> Feedback:
    """The note with the messages that it names where the fixture has them; none of them where it has not.

    A note counts messages in the whole session before its handoff; a fixture may hold only what the model still saw.
    """
    if not note.messages:
        return note
    there = shelf.transcript(note.handoff).messages
    places = {message.text: i for i, message in enumerate(transcript.messages)}
    found = (places.get(there[i].text) for i in note.messages if i < len(there))
    return replace(note, messages=tuple(i for i in found if i is not None))
