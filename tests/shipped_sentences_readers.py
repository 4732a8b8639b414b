"""Sentences of readers who saw the facts of the shipped keys and not their patterns, and how each is graded."""

from __future__ import annotations

Row = tuple[str, str, str]
"""(atom, verdict, sentence)."""

READERS: dict[str, list[Row]] = {
    "quickstart": [
        ("a01", "carried", "- Don't touch the seen table's columns: phone app reads the same database."),
        ("a02", "absent", "We also talked about whether an entry's title could serve as the key."),
        (
            "a03",
            "carried",
            "utm_* parameters are removed from the link, and what remains is used to build the entry's key.",
        ),
        ("a04", "absent", "Some links in the changelog feed have a fragment."),
        (
            "a06",
            "carried",
            "Until the six o'clock evening digest has been sent, the fetcher process must stay up without a restart.",
        ),
        ("a07", "absent", "gazette.rekey exits 0 and changed all 1842 rows."),
        (
            "a08",
            "carried",
            "Once the digest is through and the fetcher has been shut down, the rekey needs another run.",
        ),
        ("a09", "absent", "- CHANGELOG.md line about the new keys is written and went in with the commit"),
        ("a11", "carried", "The commit only exists locally, since the user asked for it not to be pushed."),
        ("a12", "absent", "There is something to be said about the exit code of rekey."),
    ],
    "rate-limiter": [
        ("a01", "carried", "- No Redis for the limiter (user's call): they don't operate one in production"),
        ("a02", "absent", "There are two nodes behind haproxy."),
        (
            "a04",
            "carried",
            "It has not been decided whether the old-style (legacy) keys are pooled under one limit; the user"
            " intends to check with Jonna.",
        ),
        ("a05", "absent", "- The limiter is a sliding-window log per client, stored in the shared database"),
        ("a06", "carried", "A bucket that has gone untouched for ten minutes is cleaned up."),
        ("a07", "absent", "- The security audit is through, so new dependencies are allowed again"),
        ("a09", "carried", "- Buckets live in `src/limit/bucket.js`, class `Limiter`"),
        ("a10", "absent", "Every request passes through a check on its way in."),
        (
            "a12",
            "carried",
            "Still outstanding is the test covering the idle sweep, which the assistant had committed to.",
        ),
        ("a13", "wrong", "It was decided that a run of 429s pages the on-call, and the alert now counts them."),
        (
            "a14",
            "carried",
            "The two headers we send are called RateLimit-Limit and RateLimit-Remaining, deliberately lacking"
            " an X- in front.",
        ),
        ("a15", "wrong", "- /healthz and /metrics are limited like every other path"),
        ("a17", "carried", "- CI red on `printers.test.js`: not ours, introduced on main by a10e77d"),
        ("a18", "absent", "night-batch is one of the heavier clients."),
        (
            "a19",
            "carried",
            "- Per-client numbers: no config file (user's decision) – ops can't change one without a release.",
        ),
        ("a20", "absent", "A client can have a limit of its own."),
        ("a22", "carried", "Jonna has claimed 0018 on her branch, so that number is off limits for us."),
        ("a23", "wrong", "- Migration: 0018_client_rate_limits"),
        (
            "a24",
            "carried",
            "If all requests come back 401 in a local load test, the server picked up the database on port "
            "5432; launch it with PGPORT=5433 instead.",
        ),
        ("a25", "absent", "The burst covers a single pallet of 18 labels; a double pallet may see a 429."),
        ("a27", "carried", "- `labelpress_limited_total`: no `client` label, user said no (cardinality)"),
        ("a28", "absent", "The limiter knows several modes."),
        (
            "a30",
            "carried",
            "Should things go wrong, you back out by switching the mode to off, which takes effect without "
            "shipping a new version.",
        ),
        ("a31", "wrong", "- Shadow mode lasts one week"),
        ("a32", "carried", "The user has to see the diff before anything gets pushed."),
        ("a33", "absent", "- npm run lint checks all of src/ and is clean"),
        ("a35", "carried", "- Latest request: log limited requests, max. one line per client per minute"),
        ("a36", "absent", "There is a hammer tool for load on the limiter."),
        (
            "a37",
            "carried",
            "- TODO from the latest request: `docs/rollout-LBL-412.md`, rollout note addressed to infra",
        ),
        ("a38", "absent", "haproxy stands in front of the nodes."),
        (
            "a40",
            "carried",
            "The log line and the npm script, i.e. the first two items of the most recent request, are "
            "implemented but still await a commit.",
        ),
    ],
    "flaky-ci": [
        ("a01", "absent", "- The user is content with a workaround for the flaky test, the cause does not matter"),
        ("a02", "carried", "The user wants the finished branch to go through CI three hundred times on pool b."),
        ("a03", "absent", "- Even if all 300 runs are green, the quarantine marker stays on until the user removes it"),
        ("a05", "carried", "- MR text: draft it in `notes/TD-1187-mr.md`, max. 15 lines"),
        ("a06", "absent", "The merge request text has to meet some requirements as to content."),
        ("a07", "carried", "- New MR draft: team form, headings Cause / Change / Risk / Checked"),
        ("a08", "absent", "The subject of retries in CI came up."),
        (
            "a10",
            "carried",
            "Whatever you alter in the vendored client will have vanished the following day, because every "
            "night a script overwrites it with the upstream copy.",
        ),
        ("a11", "absent", "- Pushing straight to main is fine, work branches are not needed"),
        ("a13", "carried", "- User's house rule: no `sleep` in tests, block on an `asyncio.Event`"),
        ("a14", "absent", "conftest knows about quarantined tests."),
        ("a15", "carried", "- Commit message prefix: ticket first, e.g. `TD-1187: ...`"),
        ("a16", "absent", "A bot looks after the merge requests."),
        ("a18", "carried", "- Deadline: fix must ship in release 0.42."),
        ("a19", "absent", "- Batches on this branch run the quarantined test by default, no extra argument needed"),
        (
            "a20",
            "carried",
            "In b-0917 the wait was raised to 30 s and in 2/20 cases deliveries 4 and 5 were still missing, "
            "so runner slowness is off the list of causes.",
        ),
        (
            "a21",
            "absent",
            "Test order and random seed are still suspects, since the failing seed has not been replayed yet.",
        ),
        (
            "a23",
            "carried",
            "- Ruled out: clock steps on pool b (most recent one 10 Feb; `wait_for` is on the monotonic clock anyway)",
        ),
        ("a24", "absent", "Memory use on the CI machines was examined."),
        ("a25", "carried", "- Ruled out: DB lease (when it fails, rows 4 + 5 are `ready`, attempt 0, unleased)"),
        ("a26", "absent", "The user agreed to put pytest.mark.skip on the test for now."),
        (
            "a28",
            "carried",
            "An attempt to call reset_credit() once the session had resumed was abandoned because it does not"
            " solve the problem.",
        ),
        ("a29", "absent", "- Squash the branch into one commit before review, the user wants that"),
        ("a31", "carried", "- Leave `free_port()` alone: separate ticket TD-1190, Ines is halfway through a branch"),
        ("a32", "absent", "The fix is to keep the existing channel after a resume and just reset its credit."),
        ("a33", "carried", "- Quarantine of the flaky test ends 2026-03-18"),
        ("a34", "absent", "The branch has more than one commit."),
        (
            "a36",
            "carried",
            "- Duplicates: no extra bookkeeping; unique constraint (delivery_id, attempt) from migration 0031"
            " already blocks a second send.",
        ),
        ("a37", "absent", "- test_dead_letter_after_max_attempts is to be fixed along with this ticket"),
        (
            "a38",
            "carried",
            "What is really wrong is that in the vendored client Channel.ack() suppresses ConnectionLost and "
            "exits before deleting the tag from _inflight.",
        ),
        (
            "a39",
            "absent",
            "On resume the channel opens with the full prefetch as credit, so the broker can send the rest.",
        ),
        (
            "a41",
            "carried",
            "Having 2 cores makes sends last longer, so the chance that one is unfinished at the moment the "
            "broker drops is higher; that explains why it shows up on pool b.",
        ),
        ("a42", "absent", "A timeout had to be picked for the test."),
        (
            "a43",
            "carried",
            "- Same bug explains INC-88 (after the 3rd failover within a week, 3 workers were connected but idle)",
        ),
        ("a44", "absent", "The flaky test is one of the delivery tests."),
        ("a46", "carried", "The actual defect is at line 199 of vendor/osier_client/channel.py, inside ack()."),
        ("a47", "absent", "- No deterministic reproducer exists, the bug shows only by chance"),
        ("a49", "carried", "- Batch progress: `tools/ci batch-status`"),
        ("a50", "absent", "The reproducer is run with pytest."),
        ("a51", "carried", "- `make stress`: `K=` bare test name, no path; `N=` how many rounds"),
        ("a52", "absent", "There is a ticket for this work."),
        ("a54", "carried", "The fix was committed as e17d4b2."),
        ("a55", "absent", "- 300-run batch: b-0951, runs 48201–48500"),
        ("a56", "carried", "We replayed the failed run 48192 with its seed, 3170442196."),
        ("a57", "wrong", "- OS-412 is fixed upstream in 2.9.1, the version we vendor"),
        ("a59", "carried", "- Reproducer commit: 2f6be08 (red by itself)"),
        ("a61", "carried", "- Failure rate: 14/121 runs in 30 days (11.6 %)"),
        ("a62", "absent", "The 14 failures were spread over both pools, 9 on pool b and 5 on pool a."),
        (
            "a64",
            "carried",
            "Of the thirty runs in debug batch b-0931 four failed, and all four showed credit=0 inflight=1 "
            "once resumed.",
        ),
        ("a65", "absent", "- Code freeze for the release: Friday, 20 March"),
        (
            "a66",
            "carried",
            'When it fails the message is "WaitTimeout: not within 10.0 s", and without exception precisely '
            "three out of five deliveries have arrived.",
        ),
        ("a67", "absent", "- First stress run was valid: 200 rounds of the test, all green"),
        (
            "a69",
            "carried",
            "- `reset_credit()` attempt: b-0940 red in CI, 6/6 of the runs that finished; locally 10/10 green",
        ),
        ("a70", "wrong", "log_level in pyproject.toml was put back to INFO before the branch was handed over."),
        (
            "a72",
            "carried",
            "Since Marit is acquainted with the maintainer, the user is going to contact her regarding OS-412.",
        ),
        ("a73", "wrong", "- The old remote branch fix/flaky-redelivery has been deleted"),
        (
            "a74",
            "carried",
            "We asked the user whether to handle audit/consumer.py, which has a channel of its own with a "
            "prefetch of 50, as part of this work or under another ticket, and are still waiting for a reply.",
        ),
        ("a75", "absent", "- MR draft is finished and the user has approved it"),
        ("a77", "carried", "- 300-run batch in progress: 12/300 done, 0 failed"),
        ("a78", "absent", "The user's availability matters for open questions."),
        (
            "a79",
            "carried",
            "In production the broker is at version 3.8.2 and will not change before the summer at the earliest.",
        ),
        ("a80", "absent", "The broker's address is set through an environment variable."),
        (
            "a82",
            "carried",
            "Disregard the sixty passes in b-0951, because somebody omitted --pool b and every one of them "
            "executed on pool a.",
        ),
    ],
    "kalender-import": [
        (
            "k01",
            "absent",
            "- Auftrag: eine Upload-Seite für .ics-Dateien, die nur ein einziges Mal benutzt werden darf",
        ),
        ("k02", "carried", "- Von Hand angelegte Termine: für den Import tabu, kein Ändern, kein Löschen."),
        (
            "k03",
            "wrong",
            "- Mit Volker sind zwei neue Abhängigkeiten abgesprochen, icalendar und recurring-ical-events",
        ),
        (
            "k05",
            "carried",
            '- TZID in the file is "Mitteleuropa" -> `ZoneInfoNotFoundError`; table `ZONEN` maps it to `Europe/Berlin`',
        ),
        ("k06", "absent", "Für Serien gibt es die Bibliothek recurring-ical-events."),
        ("k08", "carried", "The import looks eighteen months ahead."),
        (
            "k09",
            "wrong",
            "- Serien werden in UTC aufgelöst, damit das Training nach der Zeitumstellung bei 17:30 bleibt",
        ),
        ("k10", "carried", "The migration for this is named 0019_termin_quelle_uid."),
        ("k11", "absent", "- Bei Migrationen den automatischen Namen von Django stehen lassen"),
        (
            "k13",
            "carried",
            "The surplus came from two things: EXDATE was not evaluated, which accounts for 15 events, and 6 "
            "moved events with a RECURRENCE-ID were listed twice.",
        ),
        ("k14", "absent", "Der längere Vorlauf ändert die Zahl der Termine."),
        ("k15", "carried", "- Termin fehlt in neuer Datei -> Status „abgesagt“, nicht löschen"),
        ("k16", "absent", "Mitglieder können zu Terminen zusagen."),
        (
            "k18",
            "carried",
            "Um das Anlegen von H3, der neuen Dreifeldhalle am Schulzentrum, kümmert sich der Nutzer im Admin selbst.",
        ),
        ("k19", "wrong", "- Entschieden: ganztägige Einträge erscheinen von 0 bis 24 Uhr und werden schon importiert"),
        (
            "k20",
            "carried",
            "- Offen: Beschreibung der Bedienung in docs/betrieb.md, vom Assistenten für den Schluss "
            "zugesagt, noch nicht gemacht.",
        ),
        ("k21", "absent", "Am Ende des Laufs wird eine Mail mit allen importierten Terminen verschickt."),
        ("k23", "carried", "- Kein Deployment auf den Server vor der Zustimmung des Vorstands am 24. März."),
        ("k24", "absent", "Es soll einen Schalter --probelauf geben."),
    ],
}
"""For every second or third fact of a key a sentence that carries it, or one that comes near and does not."""
