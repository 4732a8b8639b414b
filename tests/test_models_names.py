"""Names of models: what each form means, what is refused, and the folder names made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import BenchError
from bench.models import FORMS, family, open_model, slug
from bench.models.known import KNOWN, known
from bench.models.names import ModelName, parse_name
from bench.project import LABEL


@pytest.mark.parametrize(
    ("name", "kind", "id_", "where", "family_"),
    [
        ("claude-sonnet-5-5", "claude", "claude-sonnet-5-5", None, "claude"),
        ("claude-haiku-4-5-20251001", "claude", "claude-haiku-4-5-20251001", None, "claude"),
        ("local", "local", "local", None, "local"),
        ("local:/models/a b.gguf", "local", "local", "/models/a b.gguf", "local"),
        ("http://127.0.0.1:8000#qwen3", "server", "qwen3", "http://127.0.0.1:8000", "server"),
        ("https://gate.example/ai/#vendor/m:1", "server", "vendor/m:1", "https://gate.example/ai", "server"),
        ("http://[::1]:8000#m", "server", "m", "http://[::1]:8000", "server"),
        ("bedrock:us.anthropic.claude-opus-5-5-v1:0", "bedrock", "us.anthropic.claude-opus-5-5-v1:0", None, "claude"),
        ("vertex:claude-opus-5-5@20260922", "vertex", "claude-opus-5-5@20260922", None, "claude"),
    ],
)
def test_a_name_says_where_a_model_is_asked(name, kind, id_, where, family_):
    assert parse_name(name) == ModelName(name, kind, id_, where)
    assert family(name) == family_


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "none of the forms"),
        ("gpt-5", "none of the forms"),
        ("Claude-sonnet", "none of the forms"),
        ("claude-", "none of the forms"),
        ("claude-x y", "none of the forms"),
        ("local:", "none of the forms"),
        ("bedrock:", "none of the forms"),
        ("vertex: x", "none of the forms"),
        ("http://127.0.0.1:8000", "no model after '#'"),
        ("http://127.0.0.1:8000#", "no model after '#'"),
        ("http://#m", "no host"),
        ("http://h:notaport#m", "no valid address"),
        ("http://h/v1#m", "/v1"),
        ("https://h/v1/#m", "/v1"),
    ],
)
def test_a_malformed_name_is_told_with_the_list_of_forms(name, why):
    for use in (parse_name, open_model, family):
        with pytest.raises(BenchError) as error:
            use(name)
        assert why in str(error.value) and FORMS in str(error.value)


@pytest.mark.parametrize("name", ["http://me:sesame-key@h#m", "https://sesame-key@h/x#m", "http://h/?key=sesame-key#m"])
def test_a_name_with_a_key_in_it_is_refused_and_not_repeated(name):
    with pytest.raises(BenchError, match="BENCH_SERVER_KEY") as error:
        parse_name(name)
    assert "sesame-key" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("local", "local"),
        ("none", "none"),
        # sha256("http://127.0.0.1:8000#qwen3") begins with 8 hex digits that keep two servers apart
        ("http://127.0.0.1:8000#qwen3", "http-127.0.0.1-8000-qwen3-"),
        ("local:/models/small.gguf", "local-models-small.gguf-"),
        ("..", ""),
        ("///", ""),
    ],
)
def test_a_folder_name_is_the_name_itself_or_readable_with_a_hash(name, folder):
    assert slug(name).startswith(folder)
    assert len(slug(name)) == len(folder) + (0 if folder == name else 8)


@given(st.text(max_size=200), st.text(max_size=200))
def test_every_name_gets_a_safe_folder_of_its_own(a, b):
    assert LABEL.match(slug(a)) and not slug(a).startswith((".", "-"))
    assert len(slug(a)) <= max(len(a), 60)
    assert (slug(a) == slug(b)) == (a == b)


@pytest.mark.parametrize(
    ("id_", "as_"),
    [
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("us.anthropic.claude-opus-5-5-v1:0", "claude-opus-5-5"),
        ("anthropic/claude-opus-5", "claude-opus-5"),
        ("claude-opus-4-8@20260101", "claude-opus-4-8"),
        ("claude-sonnet-5-5x", None),
        ("claude-sonnet-9", None),
        ("qwen3", None),
    ],
)
def test_a_model_is_known_by_its_exact_id_on_every_cloud(id_, as_):
    assert known(id_) == (KNOWN[as_] if as_ else None)
