"""What a text denies. Each row: the words, a pattern, and whether the pattern still counts as said."""

import pytest

from bench.grading.negation import Reading, holds_negation
from bench.grading.passages import Passages
from bench.grading.patterns import compile_pattern

SAID, DENIED = True, False


def said(text, *patterns, alone=False):
    return Passages(Reading(text)).find([[compile_pattern(p)] for p in patterns], alone=alone) is not None


@pytest.mark.parametrize(
    ("text", "pattern", "counts"),
    [
        ("Redis was ruled out.", "ruled out", SAID),
        ("Redis was NOT ruled out.", "ruled out", DENIED),
        ("Redis wasn't ruled out.", "ruled out", DENIED),
        ("Redis wasn’t ruled out.", "ruled out", DENIED),
        ("Redis was never ruled out.", "ruled out", DENIED),
        ("Redis has not yet been ruled out.", "ruled out", DENIED),
        ("Nobody ruled out Redis.", "ruled out", DENIED),
        ("Do not, under any circumstances, use Redis.", "use redis", DENIED),
        ("You cannot use Redis.", "use redis", DENIED),
        ("It runs without Redis.", "redis", DENIED),
        ("Neither Redis nor Memcached.", "memcached", DENIED),
        ("None of the tests pass.", "tests pass", DENIED),
        # the negation ends with its clause
        ("Not now, Redis was ruled out.", "ruled out", SAID),
        ("No. Redis was ruled out.", "ruled out", SAID),
        ("No, Redis was ruled out.", "ruled out", SAID),
        ("Redis is not fast enough and was ruled out.", "ruled out", SAID),
        ("Redis does not run in production, so it was ruled out.", "ruled out", SAID),
        ("Postgres is not full (ruled out: Redis).", "ruled out", SAID),
        ("There is no Redis — it was ruled out.", "ruled out", SAID),
        ("The tests do not cover the limiter. It uses port 8080.", "port 8080", SAID),
        ("It is not at all clear to any of us whether it was ruled out.", "ruled out", SAID),  # beyond its reach
        # a list item, heading or paragraph begins anew; wrapped prose goes on
        ("Not done:\n- write the tests", "write the tests", SAID),
        ("## Not\nwrite the tests", "write the tests", SAID),
        ("we did not\n\nwrite the tests", "write the tests", SAID),
        ("we did not\nwrite the tests", "write the tests", DENIED),
        # words that look like a negation and deny nothing
        ("Redis was not only slow but ruled out.", "ruled out", SAID),
        ("No doubt Redis was ruled out.", "ruled out", SAID),
        ("Allow no more than 5 retries.", "5 retries", SAID),
        ("Memory must not exceed 512 MB.", "512 mb", SAID),
        ("Decide whether or not Redis was ruled out.", "ruled out", SAID),
        ("Ran git commit --no-verify on main.", "on main", SAID),
        ("See No. 5 in the list.", "5 in the list", SAID),
        ("user_id bigint NOT NULL references users", "references users", SAID),
        ("A no-op migration was added.", "migration was added", SAID),
        # a pattern that holds the negation means it
        ("Do not use Redis.", "not (use|want)", SAID),
        ("We don't use Redis.", "(do|does|did)n.?t use", SAID),
        ("There is no Redis.", "no redis", SAID),
        ("Redis was not rejected.", "(not use|rejected)", DENIED),  # it means another negation than this one
        ("Redis was not ruled out.", "redis.*ruled out", DENIED),  # '.*' runs over a negation: it does not mean it
        ("Redis is not in production and was ruled out.", "redis.*ruled out", SAID),
        # in an accept, the subject of a negated verb is the topic
        ("Redis is not in production.", "redis", SAID),
        # honest limits: only English negations are seen, and only grammatical ones
        ("Redis wurde nicht verworfen: ruled out wäre falsch.", "ruled out", SAID),
        ("It is false that Redis was ruled out.", "ruled out", SAID),
    ],
)
def test_a_hit_under_a_negation_is_no_hit(text, pattern, counts):
    assert said(text, pattern) is counts


@pytest.mark.parametrize(
    ("text", "pattern", "counts"),
    [
        ("The target is Kubernetes.", "kubernetes", SAID),
        ("Kubernetes is not used.", "kubernetes", DENIED),
        ("Kubernetes isn't an option.", "kubernetes", DENIED),
        ("Kubernetes was never mentioned.", "kubernetes", DENIED),
        ("Kubernetes for this service is no longer planned.", "kubernetes", DENIED),
        ("Deploy to Fly.io, not Kubernetes.", "kubernetes", DENIED),
        ("Deploy to Fly.io instead of Kubernetes.", "kubernetes", DENIED),
        ("Deploy to Fly.io rather than to Kubernetes.", "kubernetes", DENIED),
        ("Kubernetes is the target because Fly.io was not available.", "kubernetes", SAID),
        ("Kubernetes is the target; Fly.io is not used.", "kubernetes", SAID),
        ("The timeout of 60 s is no longer right.", "60 s", DENIED),
        ("We no longer use Redis for the rate limiter.", "use redis for the rate limiter", DENIED),
    ],
)
def test_a_pattern_that_stands_alone_is_also_denied_as_subject_and_by_contrast(text, pattern, counts):
    assert said(text, pattern, alone=True) is counts


@pytest.mark.parametrize(
    ("text", "patterns", "counts"),
    [
        # 'not use' means the "not", which therefore does not deny 'redis' either
        ("Do not use Redis.", ["redis", "not (use|want)"], SAID),
        ("Redis was not ruled out.", ["redis", "ruled out"], DENIED),
        ("Don't use Postgres; MySQL was chosen.", ["postgres", "chosen"], DENIED),
        ("We run no Redis. Redis was rejected.", ["redis", "reject"], SAID),
    ],
)
def test_a_negation_that_one_pattern_means_denies_none_of_its_set(text, patterns, counts):
    assert said(text, *patterns) is counts


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ("not (use|want)", True), ("no redis", True), (r"\bno\b", True), ("don.?t", True), ("don't", True),
        ("(do|did)n['’]?t use", True), ("never", True), ("without", True), ("instead of", True), ("cannot", True),
        ("redis", False), ("notes", False), ("know", False), ("another", False), ("rule[sd]? out", False),
        ("snippet", False), ("content", False), (r"\bnode\b", False),
    ],
)  # fmt: skip
def test_a_pattern_holds_a_negation(pattern, holds):
    assert holds_negation(pattern) is holds
