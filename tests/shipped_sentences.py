"""Sentences about the two shipped sessions, in words of their own, and how a reader of the key grades them."""

from __future__ import annotations

Row = tuple[str, str, str]
"""(atom, verdict, sentence)."""

QUICKSTART: list[Row] = [
    ("a01", "carried", "Do not alter the seen table (the phone app uses the same db)."),
    ("a01", "carried", "- `seen` schema stays untouched: a phone app reads it"),
    ("a01", "carried", "Constraint: leave the table unchanged."),
    ("a01", "wrong", "Added a new column to seen."),
    ("a01", "wrong", "The seen table was changed so that the phone app can read it."),
    ("a02", "carried", "Title-based keys were rejected: weekly posts share a title."),
    ("a02", "carried", "User said no to using the title as key"),
    ("a02", "carried", "Normalise links rather than matching titles."),
    ("a02", "wrong", "Dedupe by title, as the user chose."),
    ("a02", "wrong", "Entries are now keyed by title."),
    ("a03", "carried", "entry_key() hashes the URL after stripping utm_* query params"),
    ("a03", "carried", "UTM tracking parameters are removed before hashing"),
    ("a03", "carried", "Links get normalized (no utm) before sha1."),
    ("a03", "absent", "The links differ in their utm parameters."),
    ("a03", "absent", "utm parameters are not stripped."),
    ("a04", "carried", "URL fragments are preserved because the changelog uses them"),
    ("a04", "carried", "Correction: do not strip the #fragment"),
    ("a04", "carried", "Fragments stay part of the key."),
    ("a04", "stale", "Before hashing, utm_* and the #fragment are stripped."),
    ("a04", "stale", "The fragment is dropped too."),
    ("a05", "carried", "KEEP_DAYS changed from 30 to 90"),
    ("a05", "carried", "Retention is now 90 days (was 30)."),
    ("a05", "carried", "`KEEP_DAYS = 90`"),
    ("a05", "stale", "KEEP_DAYS is 30."),
    ("a05", "wrong", "KEEP_DAYS = 60"),
    ("a07", "carried", "Rekey reported success but 0 of 1,842 rows were updated (db locked)."),
    ("a07", "carried", "`gazette.rekey` exited 0 but did nothing because the DB was locked"),
    ("a07", "carried", "All 1842 skipped, since the fetcher holds the lock"),
    ("a07", "wrong", "All 1842 rows were rekeyed."),
    ("a07", "absent", "Rekeyed the database; 1842 rows."),
    ("a08", "carried", "Run rekey again after the 18:00 digest, when the fetcher is down."),
    ("a08", "carried", "Rekeying still has to be done."),
    ("a08", "carried", "Once the user stops the fetcher, recompute the keys"),
    ("a08", "absent", "Rekey was run against seen.db."),
    ("a08", "absent", "gazette.rekey recomputes the keys from the link column."),
    ("a09", "carried", "CHANGELOG.md entry promised but never written"),
    ("a09", "carried", "TODO: add a line to the changelog about the key change"),
    ("a09", "carried", "The commit does not include the CHANGELOG line that was announced."),
    ("a09", "wrong", "Updated the CHANGELOG and committed."),
    ("a09", "absent", "CHANGELOG.md has a line about the new keys."),
    ("a12", "carried", "Next: make rekey exit with 1 when no row was changed"),
    ("a12", "carried", "Investigate why rekey returns 0 although nothing was updated."),
    ("a12", "carried", "rekey must return a non-zero status if it rekeyed nothing"),
    ("a12", "absent", "rekey exits 0."),
    ("a12", "absent", "The rekey script was run with --db."),
]
"""For each vital atom three sentences that carry it and two that come near and do not."""

RATE_LIMITER: list[Row] = [
    ("a01", "carried", "The user does not want Redis: production has none."),
    ("a01", "carried", "Rejected: Redis (they would need a new box for it)"),
    ("a01", "carried", "State is in memory rather than in Redis"),
    ("a01", "wrong", "Counts are stored per client in Redis with INCR and EXPIRE."),
    ("a01", "absent", "Redis keeps the counters of both nodes."),
    ("a03", "carried", "Fixed windows were ruled out because night-batch could double up at the minute boundary"),
    ("a03", "carried", "A token bucket instead of a fixed window"),
    ("a03", "carried", "The user said a fixed window is no good"),
    ("a03", "absent", "A fixed window of one minute per client."),
    ("a03", "absent", "The first proposal was a fixed window per client in Redis with INCR and EXPIRE."),
    ("a04", "carried", "Do legacy keys share a single bucket? User will talk to Jonna tomorrow; remind them."),
    ("a04", "carried", "Open question: one limit for all legacy keys or one each"),
    ("a04", "carried", "Legacy keys: undecided"),
    ("a04", "wrong", "Legacy keys get their own limit."),
    ("a04", "absent", "Keys in LABELPRESS_LEGACY_KEYS map to client id 0."),
    ("a05", "carried", "Chosen: in-memory token buckets, one per client"),
    ("a05", "carried", "Token bucket algorithm with per-process state"),
    ("a05", "carried", "each node keeps its own token bucket for a client"),
    ("a05", "wrong", "The token bucket lives in Redis."),
    ("a05", "absent", "A token bucket was proposed."),
    ("a07", "carried", "Do not add dependencies while the security audit is running"),
    ("a07", "carried", "Constraint: no new npm packages (audit)"),
    ("a07", "carried", "Dependencies are frozen until the audit is over."),
    ("a07", "wrong", "Added a new dependency for the bucket."),
    ("a07", "absent", "The audit of the dependencies is running."),
    ("a08", "carried", "Default limit raised from 60 to 120 per minute"),
    ("a08", "carried", "120 req/min by default"),
    ("a08", "carried", "rate: 120rpm"),
    ("a08", "stale", "Each client gets 60 requests per minute."),
    ("a08", "absent", "The load test used 120 labels."),
    ("a11", "carried", "docs/api.md: 429 response not described yet"),
    ("a11", "carried", "Still owed: documenting the 429 in the API docs"),
    ("a11", "carried", "TODO - update docs/api.md with the 429 behaviour"),
    ("a11", "wrong", "Updated docs/api.md with the 429."),
    ("a11", "absent", "docs/api.md describes the 429."),
    ("a15", "carried", "Health checks and metrics are exempt from limiting"),
    ("a15", "carried", "Never rate-limit /healthz or /metrics"),
    ("a15", "carried", "`/healthz` and `/metrics` bypass the limiter"),
    ("a15", "wrong", "/healthz and /metrics are limited like everything else."),
    ("a15", "absent", "haproxy polls /healthz and the scraper reads /metrics."),
    ("a16", "carried", "The limiter fails open."),
    ("a16", "carried", "Errors inside the limiter must not block: request passes"),
    ("a16", "carried", "if the limiter throws, admit() lets the request through"),
    ("a16", "wrong", "The limiter fails closed."),
    ("a16", "wrong", "If the limiter throws, the request is rejected with 503."),
    ("a18", "carried", "night-batch: 30/min (rate_per_min set in the migration)"),
    ("a18", "carried", "The night-batch client is capped at 30 requests per minute"),
    ("a18", "carried", "night-batch has its own limit of 30"),
    ("a18", "absent", "night-batch gets the default."),
    ("a18", "wrong", "night-batch is limited to 60/min."),
    ("a19", "carried", "Per-client limits must not live in a config file: ops needs a release to change those"),
    ("a19", "carried", "Config files were ruled out for overrides"),
    ("a19", "carried", "stored in the database instead of a YAML file"),
    ("a19", "wrong", "The limits are kept in a YAML file."),
    ("a19", "wrong", "Per-client limits are in a config file."),
    ("a20", "carried", "api_clients got two nullable columns (rate_per_min, burst); null falls back to the default"),
    ("a20", "carried", "Overrides are read from the clients table"),
    ("a20", "carried", "per-client limits come from api_clients.rate_per_min / burst"),
    ("a20", "absent", "authenticate looks up the key hash in api_clients."),
    ("a20", "absent", "night-batch has its own limit."),
    ("a21", "carried", "`npm run migrate` exits 0 even when it skips a file whose number is already recorded"),
    ("a21", "carried", "migrate.js silently skipped my 0017"),
    (
        "a21",
        "carried",
        "The migrate script looks only at the number prefix, so nothing was applied though it printed ok",
    ),
    ("a21", "absent", "Ran npm run migrate; ok."),
    ("a21", "wrong", "The migration 0017_client_rate_limits was applied to the dev database."),
    ("a23", "carried", "migrations/0019_client_rate_limits.sql"),
    ("a23", "carried", "migration is number 0019, not 0018"),
    ("a23", "carried", "It was renumbered from 0017 to 0019"),
    ("a23", "stale", "migrations/0017_client_rate_limits.sql adds the columns"),
    ("a23", "wrong", "The migration 0018 adds the columns."),
    ("a26", "carried", "burst: 40 (was 10, then 25)"),
    ("a26", "carried", "Default burst went from 10 via 25 to 40"),
    ("a26", "carried", "bucket capacity 40"),
    ("a26", "stale", "120/min with burst 10"),
    ("a26", "stale", "Burst is 25 so that a pallet fits."),
    ("a27", "carried", "labelpress_limited_total must have no client label (cardinality)"),
    ("a27", "carried", "The counter carries no labels; the client is in the log"),
    ("a27", "carried", "A per-client label on the metric was rejected"),
    ("a27", "stale", 'Counter `labelpress_limited_total{client="..."}` counts the 429s.'),
    ("a27", "wrong", "The metric has a client label."),
    ("a29", "carried", "Rollout starts in shadow mode, which only counts and logs"),
    ("a29", "carried", "Shadow first, enforce later"),
    ("a29", "carried", "In shadow nothing is rejected"),
    ("a29", "absent", "Modes: off, shadow, enforce."),
    ("a29", "wrong", "The limiter is enforced from day one."),
    ("a31", "carried", "48 h of shadow, beginning Monday"),
    ("a31", "carried", "Keep it in shadow for two days from Monday"),
    ("a31", "carried", "shadow period: 48 hours"),
    ("a31", "stale", "Shadow mode runs for 24 hours."),
    ("a31", "absent", "Shadow mode runs for a while, then enforce."),
    ("a32", "carried", "Do not push until the user has reviewed the diff"),
    ("a32", "carried", "Nothing leaves the machine before they have looked at it"),
    ("a32", "carried", "The branch is not pushed; the user reviews the diff first"),
    ("a32", "wrong", "The branch was pushed to origin."),
    ("a32", "absent", "Commit and push, then show the diff."),
    ("a34", "carried", "HEAD is c93d5f2 (amended)"),
    ("a34", "carried", 'commit `c93d5f2` "LBL-412: rate limit per client"'),
    ("a34", "carried", "7c41e0b was amended to c93d5f2"),
    ("a34", "stale", "Committed as 7c41e0b."),
    ("a34", "absent", "Committed and amended."),
    ("a37", "carried", "Next: write docs/rollout-LBL-412.md for infra"),
    ("a37", "carried", "The rollout note is not written yet"),
    ("a37", "carried", "3. Rollout note for infra - pending"),
    ("a37", "wrong", "The rollout note is finished."),
    ("a37", "absent", "docs/rollout-LBL-377.md is the last rollout note."),
    ("a40", "carried", "Log throttling and the npm script are implemented but uncommitted"),
    ("a40", "carried", "Items 1 and 2 done, not yet committed"),
    ("a40", "carried", "package.json and middleware.js have changes that still need to be committed"),
    ("a40", "wrong", "All parts of the last request are done."),
    ("a40", "absent", "Items 1 and 2 are done and committed."),
]
"""The same for the longer session."""

TOPICS = {
    "quickstart": (
        "The session was about duplicates in a feed digest, and not everything is done: some things are still "
        "open, the user has not decided all, I will add what I promised. We looked at the seen table, the title, "
        "the links with utm, fragments, KEEP_DAYS, the rekey script, the changelog, the fetcher and the 18:00 "
        "digest. The user does not want a push of surprises. It should be run again when it is clear why. Tests "
        "pass and the changes were committed."
    ),
    "rate-limiter": (
        "We worked on a rate limiter for labelpress, and not everything is done yet: some points are still open "
        "or pending, the user has not answered every question, and I promised a few things that remain to be "
        "written. We should ask first before we start. Redis, fixed window, sliding log and config files were "
        "discussed, also the client label of the metric, the legacy keys, docs/api.md, the rollout note, alerts "
        "and the idle sweep test. The migration, hammer, haproxy, healthz, metrics, shadow mode, night-batch, "
        "printers.test.js, lint, 0018, dependencies, packages and the diff to be pushed came up too. Nothing was "
        "lost; only some numbers changed, one per minute or so. Jonna was mentioned, whether or not it matters. "
        "The user does not want surprises; let us go on when it is clear."
    ),
}
"""Each names what its session was about, in the words of promise and refusal, and says nothing of it."""

INVENTED = {
    "quickstart": ("Opened a pull request. The cause was the guid, or a race condition. Made a backup before."),
    "rate-limiter": (
        "Runs on Kubernetes, as Express middleware. Limits are per IP, a leaky bucket. The limits are cached. "
        "Opened a PR. A Grafana board shows them."
    ),
}
"""Each states everything that its key lists as never said, in the key's order."""
