"""handoff-bench: an A/B bench for compaction prompts and handoff pipelines.

Names are loaded when used, so that `import bench` stays fast:
`bench.open_run`, `bench.arm_table`, `bench.compare`, `bench.plot_recall_vs_cost` … (see `dir(bench)`).
"""

from importlib import import_module

__version__ = "0.1.0"

# public name -> module that owns it
_HOMES: dict[str, str] = {
    "open_run": "bench.runs.index",
    "parameters": "bench.notebook",
    "run_sweep": "bench.forks.run",
    "assemble_run": "bench.forks.assembling",
    "finish": "bench.notebook",
    "review_key": "bench.reviewing.form",
    "grade_by_hand": "bench.grading.human_form",
    "sweep": "bench.sweeps",
    "against_baseline": "bench.runs.baseline",
    "diff": "bench.runs.versions",
    **dict.fromkeys(("Until", "run_until"), "bench.sequential.until"),
    "screen": "bench.sequential.screen",
    **dict.fromkeys(("atom_places", "atom_texts"), "bench.runs.atoms"),
    **dict.fromkeys(("atom_distractors", "distractor_table"), "bench.runs.factors"),
    **dict.fromkeys(("show_arms", "show_by", "show_comparison", "show_lost", "show_tags"), "bench.runs.told"),
    **dict.fromkeys(
        (
            "arm_table", "compare", "distance_table", "fixture_table", "gradings", "lost", "measures", "recall",
            "speaker_table", "spread", "tag_table", "times_said_table",
        ),
        "bench.runs.view",
    ),
    **dict.fromkeys(
        (
            "keep", "plot_added_parts", "plot_differences", "plot_distance", "plot_distractors", "plot_frontier",
            "plot_lost_atoms", "plot_noise", "plot_recall_vs_cost", "plot_spread", "plot_survival", "plot_times_said",
        ),
        "bench.runs.figures",
    ),
    **dict.fromkeys(("delivered_cells", "delivered_table", "show_delivered"), "bench.runs.delivered"),
    **dict.fromkeys(("agreements", "show_agreement"), "bench.runs.agreement"),
    **dict.fromkeys(("first_losses", "step_table", "survival_table"), "bench.runs.steps"),
    **dict.fromkeys(("noise_tables", "projections", "show_noise"), "bench.runs.noise"),
    "noise": "bench.runs.sources",
    **dict.fromkeys(("arm_spreads", "atom_reliability", "key_sizes", "pass_readings"), "bench.runs.varying"),
    **dict.fromkeys(("frontier", "recall_at_budget", "show_frontier"), "bench.runs.frontier"),
    "write_report": "bench.report",
}  # fmt: skip

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'bench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
