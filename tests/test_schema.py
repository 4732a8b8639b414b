"""A person's file is read whole or refused with its line."""

from typing import Literal

import pytest
from msgspec import Struct

from bench import schema
from bench.errors import BenchError
from bench.schema import load_toml, load_yaml


class Inner(Struct, forbid_unknown_fields=True):
    name: str
    size: int = 0
    kind: Literal["sharp", "blunt"] | None = None


class Outer(Struct, forbid_unknown_fields=True):
    items: tuple[Inner, ...]


def test_yaml_that_is_its_own_part_or_multiplies_is_refused_in_a_line(tmp_path, monkeypatch):
    path = tmp_path / "f.yaml"
    for text in ("a: &x [*x]\n", "a: &x {b: *x}\n"):
        path.write_text(text)
        with pytest.raises(BenchError, match="more than 100 deep"):
            load_yaml(path, Outer)
    monkeypatch.setattr(schema, "MOST_PARTS", 1000)
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join(10 * [f'*a{n - 1}'])}]" for n in range(1, 9)]
    path.write_text("\n".join(rows))
    with pytest.raises(BenchError, match="aliases"):
        load_yaml(path, Outer)


def test_toml_that_is_nested_without_end_is_refused_in_a_line(tmp_path):
    path = tmp_path / "f.toml"
    path.write_text(f"x = {5000 * '['}")
    with pytest.raises(BenchError, match="too deep"):
        load_toml(path, Outer)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            "items:\n  - name: a\n  - name: b\n    colour: red\n",
            4,
            "items[1].colour: unknown field; known are name, size, kind",
        ),
        ("items:\n  - name: a\n    siz: 1\n", 3, "items[0].siz: unknown field; did you mean 'size'?"),
        ("items:\n  - {name: a, kind: sharb}\n", 2, "enum value 'sharb'; it is one of blunt, sharp"),
        ("items:\n  - name: a\n    size: big\n", 3, "items[0].size: expected `int`, got `str`"),
        ("items:\n  - size: 1\n", 2, "missing required field `name`"),
        ("items:\n  - name: a\n    name: b\n", 3, "the key 'name' stands here twice"),
        ("items: [\n", 2, "not valid YAML"),
        ("", 0, "expected `object`"),
    ],
)
def test_yaml_errors_name_the_line_and_the_part(tmp_path, text, line, words):
    path = tmp_path / "f.yaml"
    path.write_text(text)
    with pytest.raises(BenchError) as error:
        load_yaml(path, Outer)
    assert words in str(error.value)
    assert (error.value.problem.line or 0) == line


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[[items]]\nname = "a"\nsize = "x"\n', 3, "items[0].size: expected `int`, got `str`"),
        ('[[items]]\nname = "a"\ncolour = 1\n', 3, "items[0].colour: unknown field; known are name, size, kind"),
        ("items = [\n", 1, "not valid TOML"),
        ("items = 1\n\nx = = 2\n", 3, "not valid TOML"),
    ],
)
def test_toml_errors_name_the_line_and_the_part(tmp_path, text, line, words):
    path = tmp_path / "f.toml"
    path.write_text(text)
    with pytest.raises(BenchError) as error:
        load_toml(path, Outer)
    assert words in str(error.value)
    assert error.value.problem.line == line


@pytest.mark.parametrize(
    ("data", "words"), [(None, "no such file"), (b"a: \xff\n", ":1: not UTF-8 text"), ("folder", "is a folder")]
)
def test_unreadable_files_are_one_line(tmp_path, data, words):
    path = tmp_path / "f.yaml"
    if data == "folder":
        path.mkdir()
    elif data is not None:
        path.write_bytes(data)
    with pytest.raises(BenchError, match=words):
        load_yaml(path, Outer)


def test_lines_are_known_for_each_part(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text("# a comment\nitems:\n  - name: a\n  - {name: b, size: 2}\n")
    value, lines = load_yaml(path, Outer)
    assert value == Outer(items=(Inner("a"), Inner("b", 2)))
    assert (lines[("items",)], lines[("items", 0)], lines[("items", 1, "size")]) == (2, 3, 4)
