"""An instruction's bytes, and the version of an arm that follows from them."""

import hashlib

import pytest
from sessions import fixture, transcript, user

from bench.arms.instruction import OUTRANKS, instruction, instruction_sha256, why_instructed
from bench.arms.model import Arm, ArmFile, CommandSpec, ReplaySpec, ServerSpec, WindowSpec
from bench.arms.version import replay_sha256, version_sha256, versioned


def prompt(text="Hand over.", **settings):
    return Arm(label="mine", settings=ArmFile(**settings), text=text)


@pytest.mark.parametrize(
    ("arm", "typed", "restore", "parts"),
    [
        (prompt(), "", None, ["Hand over."]),
        (prompt("Hand over.\n"), " \n", None, ["Hand over."]),
        (prompt(), "", "Name five files.", ["Hand over."]),  # only an arm that asks for it gets the request
        (prompt(restore=True), "", "Name five files.\n", ["Hand over.", "Name five files."]),
        (prompt(), "Keep the port.\n", None, ["Hand over.", OUTRANKS, "Keep the port."]),
        (
            prompt(restore=True),
            "Keep the port.",
            "Name five files.",
            ["Hand over.", "Name five files.", OUTRANKS, "Keep the port."],
        ),
    ],
)
def test_the_instruction_is_text_then_restore_request_then_what_was_typed(arm, typed, restore, parts):
    assert instruction(arm, typed, restore) == "\n\n".join(parts)


def test_what_was_typed_outranks_the_rest_and_says_so():
    assert "they win" in OUTRANKS


def test_the_hash_is_of_the_bytes():
    assert instruction_sha256("Ü") == hashlib.sha256(b"\xc3\x9c").hexdigest()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (ArmFile(kind="prompt"), None),
        (ArmFile(kind="server", server=ServerSpec(instructions="inventory")), None),
        (ArmFile(kind="server"), "replace the vendor's own prompt"),
        (ArmFile(kind="server", server=ServerSpec()), "replace the vendor's own prompt"),
        (ArmFile(kind="replay"), "there before"),
        (ArmFile(kind="command"), "there before"),
        *((ArmFile(kind=k), None) for k in ("window", "extract", "tail", "full", "nothing")),
    ],
)
def test_a_precomputed_handoff_cannot_honour_instructions_and_a_control_need_not(settings, why):
    told = why_instructed(Arm(label="mine", settings=settings))
    assert told is None if why is None else why in told


def version(arm):
    return version_sha256(arm, instruction(arm))


EDITED = [
    prompt("Hand over all."),
    prompt(pins=True),
    prompt(max_tokens=9),
    prompt(effort="low"),
    Arm(label="mine", settings=ArmFile(kind="window", window=WindowSpec(9))),
    Arm(label="mine", settings=ArmFile(kind="window", window=WindowSpec(10))),
    Arm(label="mine", settings=ArmFile(kind="window", window=WindowSpec(10, "seed"))),
]


def test_every_edit_makes_a_version_of_its_own():
    assert len({version(arm) for arm in [prompt(), *EDITED]}) == 1 + len(EDITED)


def test_writing_a_default_out_or_renaming_the_arm_makes_no_new_version():
    assert version(prompt(max_tokens=ArmFile().max_tokens, kind="prompt")) == version(prompt())
    assert version(Arm(label="other", settings=ArmFile(), text="Hand over.")) == version(prompt())


def test_a_sweeps_instructions_make_a_version():
    assert version_sha256(prompt(), instruction(prompt(), "Keep the port.")) != version(prompt())


def test_an_edited_program_makes_a_new_version(tmp_path):
    program = tmp_path / "compact.py"
    spec = CommandSpec(("python", "compact.py"))
    arm = Arm(label="mine", settings=ArmFile(kind="command", command=spec), path=tmp_path / "mine.toml")
    missing = version(arm)
    program.write_text("print(1)")
    first = version(arm)
    program.write_text("print(2)")
    assert len({missing, first, version(arm)}) == 3


def test_an_edited_replay_is_seen(tmp_path):
    arm = Arm(label="stock", settings=ArmFile(kind="replay", replay=ReplaySpec("stock")))
    here = fixture(tmp_path, transcript(user("x")))
    assert replay_sha256(arm, here) is None
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "stock.md").write_bytes(b"one")
    assert replay_sha256(arm, here) == hashlib.sha256(b"one").hexdigest()
    assert replay_sha256(prompt(), here) is None


def test_an_edited_arm_is_shown_by_four_digits():
    assert versioned("inventory", "3f9c" + "0" * 60) == "inventory@3f9c"
