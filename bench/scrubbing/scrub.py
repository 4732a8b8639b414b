"""A session with its secrets and the traces of people and places replaced, the same value by the same placeholder.

Two walks over its texts: the first learns what there is to take out (a password is known for one where it is assigned,
a user where a home folder is named), the second replaces it wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bench.scrubbing import personal
from bench.scrubbing.asked import names_told
from bench.scrubbing.placeholders import ANY, Placeholders
from bench.scrubbing.secrets import secrets_in
from bench.scrubbing.shapes import START
from bench.scrubbing.texts import Where, mended
from bench.transcripts.model import Transcript

LONG = 16
"""Characters of a secret that no word holds by chance."""


@dataclass(frozen=True)
class Replaced:
    """How often something of one kind was replaced in one place; never what it was."""

    where: Where
    kind: str
    count: int


@dataclass(frozen=True)
class Scrubbed:
    """A session as it may be written, what was replaced where, and the texts that stood beside it."""

    transcript: Transcript
    replaced: tuple[Replaced, ...]
    beside: dict[str, str]


def report_csv(replaced: Iterable[Replaced]) -> str:
    """What was replaced where as CSV: message index (or 'system', 'tools', 'summary', …), kind, count."""
    return "where,kind,count\n" + "".join(f"{r.where},{r.kind},{r.count}\n" for r in replaced)


def totals(replaced: Iterable[Replaced]) -> dict[str, int]:
    """Kind -> how often it was replaced, over all places; most often first."""
    counts: Counter[str] = Counter()
    for r in replaced:
        counts[r.kind] += r.count
    return dict(counts.most_common())


def scrub(transcript: Transcript, beside: Mapping[str, str] | None = None) -> Scrubbed:
    """The transcript and the texts `beside` it (name -> text) without secrets, and traces of people and places.

    What is replaced: keys, tokens and passwords (`secrets.py`), users, hosts, e-mail addresses, git remotes and IP
    addresses (`personal.py`). Commit hashes, uuids, checksums and images stay. Scrubbing twice changes nothing more.
    """
    learnt = _Learnt()
    mended(transcript, learnt.learn)
    learnt.names.update(dict.fromkeys(names_told(transcript)))
    for name, text in (beside or {}).items():
        learnt.learn(name, text)
    replacing = _Replacing(learnt)
    after = mended(transcript, replacing.mend)
    texts = {name: replacing.mend(name, text) for name, text in (beside or {}).items()}
    places = sorted(
        replacing.counts,
        key=lambda key: (isinstance(key[0], str), key[0] if isinstance(key[0], int) else 0, str(key[0]), key[1]),
    )
    return Scrubbed(after, tuple(Replaced(where, kind, replacing.counts[where, kind]) for where, kind in places), texts)


class _Learnt:
    """What the texts of a session give away."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.grown: set[str] = set()
        """Of the secrets, those that stood together with more letters or digits somewhere."""
        self.names: dict[tuple[personal.Kind, str], None] = {}
        self.taken: set[str] = set()
        self._seen: set[int] = set()

    def learn(self, _: Where, text: str) -> str:
        """The text as it is, learnt from."""
        if (key := hash(text)) in self._seen:
            return text
        self._seen.add(key)
        self.taken.update(found[0].casefold() for found in ANY.finditer(text))
        for secret in secrets_in(text):
            self.secrets.setdefault(secret.value, secret.kind)
            if not re.compile(_whole(secret.value)).match(text, secret.start):
                self.grown.add(secret.value)
        self.names.update(dict.fromkeys(personal.names_in(text)))
        return text


class _Replacing:
    """Takes out of each text what was learnt, and counts."""

    def __init__(self, learnt: _Learnt) -> None:
        self.counts: Counter[tuple[Where, str]] = Counter()
        self._placeholders = Placeholders(learnt.taken)
        self._secrets = learnt.secrets
        self._kinds = {name.casefold(): kind for kind, name in learnt.names if kind in ("user", "host")}
        self._secret = _any_secret(self._secrets, learnt.grown)
        self._pair = _any_of((n for k, n in learnt.names if k == "repository"), START, personal.END)
        self._bare = _any_of(filter(personal.stands_alone, self._kinds), START, personal.END, flags=re.IGNORECASE)
        self._short = not all(map(personal.stands_alone, self._kinds))

    def mend(self, where: Where, text: str) -> str:
        """The text with placeholders."""

        def put(kind: str, placeholder: str) -> str:
            self.counts[where, kind] += 1
            return placeholder

        give, before = self._placeholders, text
        if self._secret:
            text = self._secret.sub(lambda m: put(self._secrets[m[0]], give.secret(self._secrets[m[0]], m[0])), text)
        if self._pair:
            text = self._pair.sub(lambda m: put("remote", self._owner_and_repository(m[0])), text)
        if "@" in text:
            text = personal.EMAIL.sub(
                lambda m: put("e-mail", give.email(*m.groups())) if personal.is_address(*m.groups()) else m[0], text
            )
        if self._bare:
            text = self._bare.sub(lambda m: put(k := self._kinds[m[0].casefold()], give.name(k, m[0])), text)
        if self._short:
            for pattern in personal.CONTEXTS:
                text = pattern.sub(lambda m: _with_groups(m, self._known(put)), text)
        for pattern in (personal.IPV4, personal.IPV6):
            text = pattern.sub(lambda m: put("ip", give.ip(m[0])) if personal.is_telling_ip(m) else m[0], text)
        return text if text == before else self._again(text, put)

    def _again(self, text: str, put: Callable[[str, str], str]) -> str:
        """The text without what only shows once something beside it is gone: two keys without a space between."""
        while left := secrets_in(text):
            for secret in left:
                text = text.replace(
                    secret.value, put(secret.kind, self._placeholders.secret(secret.kind, secret.value))
                )
        return text

    def _known(self, put: Callable[[str, str], str]) -> Callable[[str, str], str]:
        """What stands in the place of a group of a match: the placeholder of a name that was learnt."""

        def of(group: str, value: str) -> str:
            kind = self._kinds.get(value.casefold()) if group in (*personal.USERS, "host") else None
            return value if kind is None else put(kind, self._placeholders.name(kind, value))

        return of

    def _owner_and_repository(self, pair: str) -> str:
        owner, _, repository = pair.rpartition("/")
        return f"{self._placeholders.name('owner', owner)}/{self._placeholders.name('repository', repository)}"


def _any_secret(values: Iterable[str], grown: set[str]) -> re.Pattern[str] | None:
    """A pattern for any of the secrets. A short one is no part of a longer word, unless it was found so."""
    longest = sorted(values, key=lambda v: (-len(v), v))
    each = (re.escape(v) if v in grown or len(v) >= LONG else _whole(v) for v in longest)
    return re.compile("|".join(each)) if longest else None


def _whole(value: str) -> str:
    return f"{START}{re.escape(value)}{personal.END}"


def _any_of(values: Iterable[str], before: str = "", after: str = "", *, flags: int = 0) -> re.Pattern[str] | None:
    """A pattern for any of the values, the longest that fits; None for none."""
    longest = sorted(values, key=lambda v: (-len(v), v))
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest))}){after}", flags) if longest else None


def _with_groups(match: re.Match[str], of: Callable[[str, str], str]) -> str:
    """The text of a match with another text in the place of its named groups."""
    out, at = [], match.start()
    spans = sorted((match.start(g), match.end(g), g) for g, value in match.groupdict().items() if value)
    for start, end, group in spans:
        out += [match.string[at:start], of(group, match.string[start:end])]
        at = end
    return "".join([*out, match.string[at : match.end()]])
