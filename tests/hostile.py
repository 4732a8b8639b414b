"""A run whose every text is hostile: outputs, atoms, an arm's label and a fixture's title try to run something."""

from __future__ import annotations

from pathlib import Path

from fixture_files import KEY_YAML, write_fixture, write_project

from bench.fixtures import load_fixture
from bench.forks.store import Store
from benchmarks.made_run import run_of

MARKUP = "<script>window.ran=1</script><img src=x onerror=window.ran=1>"
LINK = '<a href="javascript:window.ran=1">click</a>'
BREAK_OUT = "</mark></pre></article></script></style></title>" + MARKUP
ARM = "<img src=x onerror=window.ran=1>"
KINDS = {"inventory": "prompt", ARM: "prompt", "full": "full", "nothing": "nothing"}


def hostile_run(root: Path) -> Store:
    """A project in `root` with the fixtures `small` and `twin`, and its run `tiny`, graded."""
    write_project(root)
    key = KEY_YAML.replace(
        "text: The user ruled out Redis", f"text: 'The user ruled out Redis {BREAK_OUT}{LINK}'\n    # "
    )
    for name in ("small", "twin"):
        write_fixture(root / "fixtures" / name, key=key)
        about = root / "fixtures" / name / "fixture.yaml"
        about.write_text(about.read_text().replace("title: A rate limiter", f"title: '{MARKUP}{LINK}'"))
    fixtures = {name: load_fixture(root / "fixtures" / name) for name in ("small", "twin")}
    transcript = "\n\n".join(m.text for m in fixtures["small"].transcript.messages)
    texts = {
        "inventory": [
            f"## Rejected\n\nThe user ruled out Redis {MARKUP}, production runs none.\n{BREAK_OUT}\n{LINK}\n",
            "The user ruled out Redis.\nMAX_RETRIES = 5\n\x1b[31mred\u202eevil\u2066\n",
        ],
        ARM: ["Plan: use Redis for the rate limiter.\nThe buckets stay in Postgres.\n", "MAX_RETRIES is 5.\n"],
        "full": [transcript],
        "nothing": [""],
    }
    return run_of(root / "results" / "tiny", fixtures, KINDS, dict.fromkeys(fixtures, texts))
