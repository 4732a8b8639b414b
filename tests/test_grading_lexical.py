"""The lexical grader: a verdict per atom, with the words it rests on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keying import atom, key

from bench.errors import BenchError
from bench.grading.lexical import grade

REDIS = atom(
    all=["redis"],
    any=["reject", "rule[sd]? out", "not (use|want)", "no redis"],
    stale=[("use redis for the rate limiter", 31)],
    wrong=["redis (is|was) (chosen|added)"],
)
KEY = key(REDIS, never=[("n01", "The deploy target is Kubernetes.", ["kubernetes", "k8s"])])


def verdict(text, key=KEY):
    (finding,), _ = grade(text, key)
    return finding.verdict, finding.evidence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- The user **rejected** `Redis`.", ("carried", "rejected** `Redis")),
        ("Do not use Redis.", ("carried", "not use Redis")),
        ("Store: Postgres.", ("absent", None)),
        ("", ("absent", None)),
        ("Redis was NOT ruled out.", ("absent", None)),
        ("Plan: use Redis for the rate limiter.", ("stale", "use Redis for the rate limiter")),
        ("Redis was chosen.", ("wrong", "Redis was chosen")),
        # accept beats stale and wrong, wherever it stands
        ("Redis was chosen.\n\nLater the user rejected Redis.", ("carried", "rejected Redis")),
        ("Use Redis for the rate limiter: no, rejected.", ("carried", "Redis for the rate limiter: no, rejected")),
        # what contradicts the transcript outweighs an older value
        ("Redis was chosen: use Redis for the rate limiter.", ("wrong", "Redis was chosen")),
        # stale and wrong under a negation are none
        ("We no longer use Redis for the rate limiter.", ("absent", None)),
        ("Never say that Redis was chosen.", ("absent", None)),
    ],
)
def test_a_verdict_and_its_evidence(text, expected):
    assert verdict(text) == expected


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Deployed on K8s.", ["K8s"]),
        ("Deployed on Kubernetes (k8s).", ["Kubernetes"]),  # one entry is one invention, however often it is said
        ("There is no Kubernetes.", []),
        ("Kubernetes is not used.", []),
        ("Deployed on Fly.io.", []),
    ],
)
def test_what_was_never_said_is_an_invention(text, evidence):
    _, inventions = grade(text, KEY)
    assert [(i.never, i.text, i.evidence) for i in inventions] == [
        ("n01", "The deploy target is Kubernetes.", e) for e in evidence
    ]


def test_a_pattern_that_cannot_be_used_is_named():
    with pytest.raises(BenchError, match=r"atom a1: accept.any\[1\] does not compile: missing \)"):
        grade("text", key(atom(any=["fine", "(broken"])))


@settings(max_examples=150, deadline=None)
@given(st.text() | st.text(alphabet="redis notux\n.-*`'\"|# kubern8", max_size=300))
def test_any_text_gets_a_verdict_and_verbatim_evidence(text):
    findings, inventions = grade(text, KEY)
    assert [f.atom for f in findings] == ["a1"]
    assert all(f.evidence is None or f.evidence in text for f in findings)
    assert all(i.evidence in text for i in inventions)


PLAIN = ("the", "build", "log", "says", "that", "tests", "pass", "in", "main", "quickly", "12", "src/a.py", "ok")
WORDS = st.lists(st.sampled_from(PLAIN), max_size=30)
CARRIED = ["The user rejected Redis.", "- store\n  - Redis\n  - do not use", "we ruled out\nRedis", "No Redis"]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(CARRIED), st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=12))
def test_unrelated_lines_never_lose_an_atom(carried, before, after):
    lines = [" ".join(words) for words in before] + ["", carried, ""] + [" ".join(words) for words in after]
    assert verdict("\n".join(lines))[0] == "carried"
