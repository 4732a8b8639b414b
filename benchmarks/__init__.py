"""What the bench promises about speed, memory, money and safety, measured: `python -m benchmarks [NAME ...]`.

One module a row of the table, each with `run(size) -> list[Line]`; sizes of 1 are the promised ones, smaller ones are
for trying. Inputs are made from seeds. Where there is a peer, both are measured in one run and the ratio is what
counts: machines are noisy.
"""

BENCHMARKS = {
    "overhead": "1,000 forks of a model that answers at once, files on disk",
    "latency": "1,000 forks of half a second each, in process and over HTTP",
    "footprint": "200 replicates over a context of 789 KB: disk and memory",
    "kills": "runs killed with SIGKILL at random moments, then resumed",
    "cap": "spending past the cap, under adverse usage",
    "estimate": "the dry run's estimate against the bill",
    "start": "start of the command line",
    "reading": "reading a session of 4 MB",
    "grading": "lexical grading",
    "bootstrap": "bootstrap of 10,000 resamples",
    "coverage": "how often the 95 % intervals of a comparison cover",
    "report": "one kernel that executes the whole report",
    "calibration": "the offline grader against people",
}
"""Name -> what it measures; `benchmarks/<name>.py`."""
