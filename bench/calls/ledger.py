"""Money and answers of a run as its journal tells them, shared by all processes that work on it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from bench.calls.guard import Guard, Overbill, Verdict
from bench.calls.journal import Attempted, Batched, Event, Finished, Graded, Handing, Journal, Started
from bench.models.protocol import Count, Reply
from bench.rows import GRADED, CallRow

ID_DIGITS = 16
"""Of a reply's sha256 in the ids of its calls."""


class Ledger:
    """The one door to journal and spend guard: each change is judged, written and applied under the file's lock.

    `grades`: it is a grader's, whose own it is to spend what forks keep for grading.
    """

    def __init__(
        self, journal: Journal, budget_usd: float | None, now: Callable[[], str], *, grades: bool = False
    ) -> None:
        self.guard = Guard(budget_usd)
        self.answered: dict[str, Finished] = {}
        """Reply -> the call that brought it."""
        self.in_flight: dict[str, Started] = {}
        """Calls started and not ended, of all processes, dead ones too."""
        self.own: set[str] = set()
        """Of these, the ones of this process."""
        self._left: set[str] = set()
        """Of these, the ones that stay in flight when it ends: nothing comes of waiting for them."""
        self.calls_of: dict[str, int] = {}
        """Reply -> calls made for it so far."""
        self.batch_of: dict[str, str] = {}
        """Call in flight -> the batch that it was handed in with."""
        self.handing_of: dict[str, Handing] = {}
        """Call in flight -> when and under which name it was about to be handed in."""
        self._handed_in: dict[str, str] = {}
        """Reply -> the call for it that stands in a batch, or may."""
        self._journal = journal
        self._now = now
        self._grades = grades
        self._host = socket.gethostname()
        self.refresh()
        self.guard.overbilled.clear()  # an overbilling stops the run it happens in, not the next
        self.guard.kept_usd = 0.0  # what earlier runs left to be graded is known by the grades that are missing

    def refresh(self) -> None:
        """Take in what other processes have done."""
        with self._journal.locked() as events:
            self._apply(events)

    def start(
        self,
        reply_sha256: str,
        cells: Sequence[str],
        group: str,
        worst_usd: float | None,
        *,
        grading_worst_usd: float | None = None,
        grading_usd: float | None = None,
    ) -> tuple[Verdict, str | None]:
        """Reserve and announce a call; its id where it may start, else None and why.

        `grading_…`: the worst case, and the expected cost, of grading what it brings.
        """
        with self._journal.locked() as events:
            self._apply(events)
            own = bool(self.own - self._left)
            verdict = self.guard.judge(worst_usd, own_in_flight=own, grading_usd=grading_worst_usd or 0.0)
            if verdict.answer != "start":
                return verdict, None
            call_id = f"{reply_sha256[:ID_DIGITS]}-{self.calls_of.get(reply_sha256, 0) + 1}"
            started = Started(
                call_id=call_id,
                reply_sha256=reply_sha256,
                cells=tuple(cells),
                group=group,
                worst_usd=worst_usd,
                grading_worst_usd=grading_worst_usd or None,
                grading_usd=grading_usd or None,
                at=self._now(),
                pid=os.getpid(),
                host=self._host,
            )
            self._write(started)
            self.own.add(call_id)
            return verdict, call_id

    def handing(self, mark: str, calls: tuple[str, ...]) -> Handing:
        """Calls are about to be handed in as a batch."""
        event = Handing(mark=mark, calls=calls, at=self._now())
        with self._journal.locked() as events:
            self._apply(events)
            self._write(event)
        return event

    def sent(self, batch_id: str, calls: tuple[str, ...]) -> None:
        """Calls were handed in as a batch; `sync` puts that on the disk."""
        with self._journal.locked() as events:
            self._apply(events)
            self._write(Batched(batch_id=batch_id, calls=calls, at=self._now()))

    def sync(self) -> None:
        """Put what was written on the disk. Safe from any thread."""
        self._journal.sync()

    def handed_in(self, reply_sha256: str) -> Started | None:
        """The call for a reply that stands in a batch, or may stand in one, and has not ended."""
        return self.in_flight.get(self._handed_in.get(reply_sha256, ""))

    def adopt(self, call_id: str) -> None:
        """A call in flight that an earlier process started is waited for by this one."""
        self.own.add(call_id)

    def leave(self, call_id: str) -> None:
        """A call of this process stays with the server, for the next start: it keeps its reservation."""
        self._left.add(call_id)

    def attempt(self, call: CallRow) -> Overbill | None:
        """A call ended without an answer; returns its overbilling, if any."""
        return self._end(
            Attempted(
                call_id=call.call_id,
                outcome=call.outcome,
                usd=call.usd_api,
                possibly_usd=call.possibly_billed_usd,
                at=self._now(),
            )
        )

    def finish(
        self,
        call: CallRow,
        reply: Reply,
        count: Count,
        reply_sha256: str,
        context_sha256: str,
        reply_bytes: int | None = None,
    ) -> tuple[Finished, Overbill | None]:
        """A call was answered: the event as it stands in the journal (the reply without its text), and overbilling.

        `reply_bytes`: of the file that holds the text.
        """
        event = Finished(
            call=call,
            reply=replace(reply, text=""),
            count=count,
            reply_sha256=reply_sha256,
            context_sha256=context_sha256,
            reply_bytes=reply_bytes,
            at=self._now(),
        )
        return event, self._end(event)

    def graded(self, call: CallRow) -> Overbill | None:
        """A grader's call was answered; returns its overbilling, if any."""
        return self._end(Graded(call_id=call.call_id, usd=call.usd_api, at=self._now()))

    def abandoned(self, group: str) -> list[Started]:
        """Calls of the group that its earlier owners left in flight. Only for who holds the group's lock."""
        self.refresh()
        return [s for s in self.in_flight.values() if s.group == group and s.call_id not in self.own]

    def _end(self, event: Attempted | Finished | Graded) -> Overbill | None:
        with self._journal.locked() as events:
            self._apply(events)
            over = self._write(event)
            self.own.discard(_call_id(event))
            return over

    def _write(self, event: Event) -> Overbill | None:
        self._journal.append(event)
        return self._fold(event)

    def _apply(self, events: Sequence[Event]) -> None:
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> Overbill | None:
        match event:
            case Started():
                self.in_flight[event.call_id] = event
                self.calls_of[event.reply_sha256] = self.calls_of.get(event.reply_sha256, 0) + 1
                grading_usd = 0.0 if self._grades else event.grading_worst_usd or 0.0
                self.guard.reserve(event.call_id, event.worst_usd, grading_usd)
                return None
            case Handing():
                self.handing_of.update(dict.fromkeys(event.calls, event))
                known = (self.in_flight[call_id] for call_id in event.calls if call_id in self.in_flight)
                self._handed_in.update((s.reply_sha256, s.call_id) for s in known)
                return None
            case Batched():
                self.batch_of.update(dict.fromkeys(event.calls, event.batch_id))
                return None
            case Attempted():
                self.in_flight.pop(event.call_id, None)
                return self.guard.settle(event.call_id, billed_usd=event.usd, possibly_usd=event.possibly_usd)
            case Graded():
                self.in_flight.pop(event.call_id, None)
                self.guard.keep(-(event.usd or 0.0))
                return self.guard.settle(event.call_id, billed_usd=event.usd)
            case Finished():
                started = self.in_flight.pop(event.call.call_id, None)
                self.answered[event.reply_sha256] = event
                if started is not None and event.call.outcome in GRADED and not self._grades:
                    self.guard.keep(started.grading_usd or 0.0)
                return self.guard.settle(event.call.call_id, billed_usd=event.call.usd_api)


def _call_id(event: Attempted | Finished | Graded) -> str:
    return event.call.call_id if isinstance(event, Finished) else event.call_id
