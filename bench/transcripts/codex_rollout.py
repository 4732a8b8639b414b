"""The lines of a Codex rollout played through: who spoke, what each answer used, what was compacted and rolled back.

Every text stands in the file twice, as an item and as an event. Items are the conversation; events only tell what an
item does not: counts, who typed, what was undone. A file that holds events alone is read from them.
"""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass, field

from bench.transcripts.codex_items import (
    OPENINGS,
    Counter,
    Item,
    RolloutLine,
    call_of,
    is_call,
    is_output,
    result_of,
    spoken,
    thought,
)
from bench.transcripts.conversation import Conversation, Turn
from bench.transcripts.model import Author, Block, Compaction, Role, Text, Thinking
from bench.transcripts.origin import authored
from bench.transcripts.values import dict_of, dicts_of, number_of, text_of

META = "session_meta"
ABORTED = "aborted"


@dataclass
class Rollout:
    """What the lines have told so far."""

    conversation: Conversation = field(default_factory=Conversation)
    records: Tally[str] = field(default_factory=Tally)
    meta: Item | None = None
    """The first session_meta: a resumed file repeats it, a forked one also holds that of the session it came from."""
    other_meta: str | None = None
    model: str | None = None
    cwd: str | None = None
    users: int = 0
    answers: int = 0
    calls: set[str] = field(default_factory=set)
    items: int = 0
    typed: set[str] = field(default_factory=set)
    """Texts that an event calls the user's."""
    undone: list[list[Turn]] = field(default_factory=list)
    """Turns that were rolled back, by rollback."""
    _heard: list[tuple[Item, str | None, int]] = field(default_factory=list)
    """Events that stand in for items, while no item was seen."""
    _counter: Counter = field(default_factory=Counter)
    _answer: Turn | None = None
    """The newest answer whose tokens are not counted yet."""
    _over: bool = True
    """The next item of the model begins another answer."""
    _said: dict[tuple[str, tuple[str, ...]], list[int]] = field(default_factory=dict)
    """Keys of what users and developers said, by role and text."""
    _key: int = 0

    def take(self, number: int, line: RolloutLine) -> None:
        """One line of the file."""
        self._key += 1
        kind, payload, time = text_of(line.type), line.payload, text_of(line.timestamp)
        if not isinstance(payload, Item):
            self._take_bare(number, line, kind)
            return
        inner = text_of(payload.type)
        self.records[f"{kind}:{inner}" if inner and kind in ("response_item", "event_msg") else kind or "(none)"] += 1
        match kind:
            case "session_meta":
                self._take_meta(payload)
            case "turn_context":
                self.model, self.cwd = text_of(payload.model) or self.model, text_of(payload.cwd) or self.cwd
            case "response_item":
                self._take_item(payload, time, number)
            case "event_msg":
                self._take_event(payload, time, number)
            case "compacted":
                self._take_compaction(payload, time, number)

    def finish(self) -> None:
        """The end of the file: what only the whole of it tells."""
        if not self.items:
            for event, time, number in self._heard:
                self._key += 1
                self._replay(event, time, number)
        if self.typed:
            for turn in (*self.conversation.turns, *(t for turns in self.undone for t in turns)):
                if turn.author == "person" and not self.typed & set(_texts(turn.blocks)):
                    turn.author, turn.origin = "harness", "injected"

    def _take_bare(self, number: int, line: RolloutLine, kind: str | None) -> None:
        """A line without a payload: an item itself, or the head of such a file."""
        self.records[kind or text_of(line.record_type) or "(none)"] += 1
        if kind is not None:
            self._take_item(line, text_of(line.timestamp), number)
        elif text_of(line.id):
            self._take_meta(line)

    def _take_meta(self, meta: Item) -> None:
        id_ = text_of(meta.id) or text_of(meta.session_id)
        if self.meta is None:
            self.meta = meta
            self.cwd = text_of(meta.cwd)
        elif id_ and id_ != (text_of(self.meta.id) or text_of(self.meta.session_id)):
            self.other_meta = id_

    def _take_item(self, item: Item, time: str | None, number: int) -> None:
        self.items += 1
        self._heard.clear()
        if item.type == "message" and item.role == "assistant":
            self.answers += 1
            self._grow(spoken(item.content), item, time, number)
        elif item.type == "message":
            self._speak(item, time, number)
        elif item.type == "reasoning":
            self._grow([thought(item)], item, time, number)
        elif is_call(item):
            use = call_of(item, self._key)
            self.calls.add(use.id)
            self._grow([use], item, time, number)
        elif is_output(item):
            self._over = True
            self.conversation.answer(result_of(item), self._key, id_=text_of(item.id), time=time, line=number)
        elif item.type == "agent_message":
            self._add("user", "harness", spoken(item.content), item, time, number).origin = "agent-message"

    def _take_event(self, event: Item, time: str | None, number: int) -> None:
        match event.type:
            case "token_count":
                self._count(event.info)
            case "user_message":
                self.typed.update(filter(None, [text_of(event.message)]))
            case "turn_aborted" if self._answer is not None:
                self._answer.stop_reason, self._over = ABORTED, True
            case "thread_rolled_back":
                self._roll_back(number_of(event.num_turns) or 0)
        if not self.items and event.type in ("user_message", "agent_message", "agent_reasoning"):
            self._heard.append((event, time, number))

    def _replay(self, event: Item, time: str | None, number: int) -> None:
        text = text_of(event.message) or text_of(event.text) or ""
        if event.type == "user_message":
            self.users += 1
            author, origin = self._author([Text(text)])
            self._add("user", author, [Text(text)], event, time, number).origin = origin
        else:
            self.answers += event.type == "agent_message"
            self._grow([Text(text) if event.type == "agent_message" else Thinking(text)], event, time, number)

    def _speak(self, item: Item, time: str | None, number: int) -> None:
        blocks = spoken(item.content)
        if item.role == "user":
            self.users += 1
            author, origin = self._author(blocks)
            self._add("user", author, blocks, item, time, number).origin = origin
        else:
            self._add("system", "harness", blocks, item, time, number).origin = text_of(item.role)
        self._said.setdefault((str(item.role), _texts(blocks)), []).append(self._key)

    def _author(self, blocks: list[Block]) -> tuple[Author, str | None]:
        author, origin = authored(tuple(blocks), openings=OPENINGS)
        if author == "person" and self.meta is not None and "subagent" in dict_of(self.meta.source):
            return "assistant", "subagent-prompt"
        return author, origin

    def _add(self, role: Role, author: Author, blocks: list[Block], item: Item, time: str | None, number: int) -> Turn:
        turn = Turn(role=role, author=author, blocks=blocks, key=self._key, id=text_of(item.id), time=time, line=number)
        turn.record_ids = [turn.id] if turn.id else []
        turns, thinking = self.conversation.turns, self._answer
        if role != "assistant" and thinking is not None and turns[-1] is thinking and _only_thinks(thinking):
            # what arrives before the model has said anything is known to the answer
            return self.conversation.insert(len(turns) - 1, turn)
        self._over = True
        return self.conversation.add(turn)

    def _grow(self, blocks: list[Block], item: Item, time: str | None, number: int) -> None:
        """More of an answer: of the newest, until its tokens are counted, a result came or someone else spoke."""
        if self._answer is not None and not self._over:
            self.conversation.grow(self._answer, blocks, text_of(item.id))
            return
        self._answer = self._add("assistant", "assistant", blocks, item, time, number)
        self._answer.model, self._over = self.model, False

    def _count(self, info: object) -> None:
        left = self._counter.left(info)
        usage = self._counter.taken(info)
        if left is not None and self._answer is None:
            self.conversation.measured(left)
        if usage is not None and self._answer is not None:
            self._answer.usage, self._answer, self._over = usage, None, True

    def _take_compaction(self, compacted: Item, time: str | None, number: int) -> None:
        self._answer, self._over = None, True
        history = [h for h in dicts_of(compacted.replacement_history) if h.get("type") == "message"]
        names = Tally((str(h.get("role")), _texts(spoken(h.get("content")))) for h in history)
        kept = [key for name, times in names.items() for key in self._said.get(name, [])[-times:]]
        point = Compaction(
            at=0, summary=text_of(compacted.message), tokens_before=self._counter.context, time=time, line=number
        )
        self.conversation.compact(point, self._key, kept=kept)

    def _roll_back(self, turns: int) -> None:
        """The newest `turns` prompts and all behind each are undone."""
        prompts = [i for i, turn in enumerate(self.conversation.turns) if self._is_prompt(turn)]
        if turns > 0 and prompts:
            off = self.conversation.cut(prompts[max(len(prompts) - turns, 0)])
            self.undone.append(off)
            gone = {turn.key for turn in off}
            self._said = {name: [k for k in keys if k not in gone] for name, keys in self._said.items()}
            self._answer, self._over = None, True

    def _is_prompt(self, turn: Turn) -> bool:
        sent = turn.author in ("person", "assistant") or not self.typed.isdisjoint(_texts(turn.blocks))
        return turn.role == "user" and sent


def _texts(blocks: list[Block]) -> tuple[str, ...]:
    return tuple(b.text for b in blocks if isinstance(b, Text))


def _only_thinks(turn: Turn) -> bool:
    return all(isinstance(b, Thinking) for b in turn.blocks)
