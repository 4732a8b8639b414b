"""What a key looks like by itself: the shapes of each vendor's keys and tokens, and of what is longer than a key.

The shapes are the vendors' own, as their documentation and public rule sets of secret scanners (gitleaks, GitHub's
secret scanning) tell them; detect-secrets (Yelp) brings those that `PLUGINS` names.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from bench.scrubbing.sieve import Sieved

START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
"""Where a token or a name may begin; the `n` of an escaped line break is no part of it, nor is the F of `%2F`."""
BLOB = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")
"""Base64 of a file or an image: no key is that long, and by chance it holds any short shape."""
LONG_SHAPES = tuple(Sieved(kind, shape) for kind, shape in (
    ("private-key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\S]{16,}?(?:-----END [A-Z0-9 ]+-----|\Z)")),
    ("private-key", re.compile(START + r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}?"
    r"(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]{40,}={0,2}")),
    ("jwt", re.compile(START + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]{10,})?")),
    ("token", re.compile(r"(?i)(?:session|security|access|refresh|auth|id)[_-]?token\\?[\"']?\s{0,3}[:=]\s{0,3}"
    r"\\?[\"']?(?P<value>[\w+/%-]{200,}={0,2})")),
))  # fmt: skip
"""Shapes that may be longer than a blob, looked for before blobs are set aside: a private key (also in base64 once
more, as in a kubeconfig), a JSON web token, and what is called a session's token."""
SHAPES = tuple(
    Sieved(kind, re.compile(START + shape))
    for kind, shape in (
        ("anthropic-key", r"sk-ant-[A-Za-z0-9]+-[\w-]{20,}"),
        ("openai-key", r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{20,}"),
        ("api-key", r"sk-[A-Za-z0-9]{32,}"),
        ("google-key", r"AIza[\w-]{35}"),
        ("google-secret", r"GOCSPX-[\w-]{20,}|ya29\.[\w-]{30,}|1//0[\w-]{40,}"),
        ("azure-secret", r"[\w.~-]{3}[78]Q~[\w.~-]{31,34}"),
        ("huggingface-token", r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{34}"),
        ("github-token", r"github_pat_\w{36,}"),
        ("bitbucket-token", r"ATBB[A-Za-z0-9]{28,}[\w=-]*"),
        ("atlassian-token", r"AT[AC]TT3[\w-]{60,}(?:=[A-F0-9]{8})?"),
        ("pypi-token", r"pypi-AgE[\w-]{50,}"),
        ("npm-token", r"npm_[A-Za-z0-9]{36}"),
        ("docker-token", r"dckr_[po]at_[\w-]{24,}"),
        ("xai-key", r"xai-[A-Za-z0-9]{40,}"),
        ("groq-key", r"gsk_[A-Za-z0-9]{40,}"),
        ("replicate-token", r"r8_[A-Za-z0-9]{30,}"),
        ("perplexity-key", r"pplx-[A-Za-z0-9]{40,}"),
        ("tavily-key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}"),
        ("cerebras-key", r"csk-[A-Za-z0-9]{40,}"),
        ("nvidia-key", r"nvapi-[\w-]{60,}"),
        ("fireworks-key", r"fw_(?=[A-Za-z0-9]{0,20}\d)[A-Za-z0-9]{22,28}(?![\w-])"),
        ("elevenlabs-key", r"sk_[a-f0-9]{48}"),
        ("pinecone-key", r"pcsk_\w{40,}"),
        ("langsmith-key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
        ("stripe-key", r"(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
        ("square-secret", r"sq0[a-z]{3}-[\w-]{22,}|EAAA[\w-]{56,}"),
        ("slack-token", r"xox[abeoprs]-[\w-]{20,}|xapp-\d-[\w-]{20,}"),
        ("webhook", r"https://(?:discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}|hooks\.slack\.com/services/[\w/]{20,})"),
        ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}"),
        ("fly-token", r"fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,2}"),
        ("netlify-token", r"nf[bcopu]_[A-Za-z0-9]{36}"),
        ("heroku-key", r"HRKU-[\w-]{36,}"),
        ("planetscale-token", r"pscale_(?:pw|tkn|oauth)_[\w.=-]{32,}"),
        ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
        ("vault-token", r"hv[bsr]\.[\w-]{24,}"),
        ("doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,}"),
        ("newrelic-key", r"NR(?:AK|JS|II|RA|IQ)-[\w-]{19,}"),
        ("grafana-token", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}"),
        ("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        ("linear-key", r"lin_api_[A-Za-z0-9]{32,}"),
        ("notion-token", r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?!\w)"),
        ("figma-token", r"fig[dour]_[\w-]{40,}"),
        ("airtable-token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
        ("asana-token", r"[012]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}"),
        ("supabase-token", r"sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})"),
        ("databricks-token", r"dapi[a-f0-9]{32}"),
        ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
        ("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
        ("mailgun-key", r"(?<![\w-])key-[a-f0-9]{32}(?![\w-])"),
        ("sentry-token", r"sntr[ysu]{1,2}_[\w=/+-]{40,}"),
    )
)  # fmt: skip
PLUGINS = (
    ("aws-key", "aws", "AWSKeyDetector"),
    ("azure-key", "azure_storage_key", "AzureStorageKeyDetector"),
    ("discord-token", "discord", "DiscordBotTokenDetector"),
    ("github-token", "github_token", "GitHubTokenDetector"),
    ("gitlab-token", "gitlab_token", "GitLabTokenDetector"),
    ("mailchimp-key", "mailchimp", "MailchimpDetector"),
    ("openai-key", "openai", "OpenAIDetector"),
    ("pypi-token", "pypi_token", "PypiTokenDetector"),
    ("sendgrid-key", "sendgrid", "SendGridDetector"),
    ("slack-token", "slack", "SlackDetector"),
    ("square-secret", "square_oauth", "SquareOAuthDetector"),
    ("telegram-token", "telegram_token", "TelegramBotTokenDetector"),
    ("twilio-key", "twilio", "TwilioKeyDetector"),
    ("cloudant-key", "cloudant", "CloudantDetector"),
)
"""Kind -> module and class of the detector of detect-secrets. Its entropy detectors are left out, since commit hashes,
uuids, checksums and base64 images are what a session is full of."""
SIGNS = (
    r"begin |LS0tLS1CRUdJTi|eyj|sk-|akia|asia|abia|acca|a3t|aiza|ya29|1//0|q~|hf_|api_org_|gh[a-z]_|github_pat|npm_"
    r"|xai-|gsk_|r8_|pplx|tvly|csk-|nvapi-|fw_|sk_|pcsk_|lsv2|[rs]k_|whsec|xox|xapp|webhook|hooks\.|do[opr]_v1|fo1_|fm[12]"
    r"|nf[bcopu]_|hrku-|pscale|atlasv1|hv[bsr]\.|dp\.|nr(?:ak|js|ii|ra|iq)-|glsa_|glc_|shp|lin_api|ntn_|fig[dour]_|pat[a-z0-9]{14}\."
    r"|[012]/\d{10}|sb[p_]|dapi|pmak|sntr|gl[a-z]{2,6}-|gr1348941|-us\d|pypi-|sg\.|sq0|eaaa|atbb|at[ac]tt3|dckr|\d{8}:"
    r"|\b(?:AC|SK)[a-z0-9]{32}|[mno][\w-]{23,25}\.[\w-]{6}\."
)
"""What every shape begins with or holds, whatever its case; a text without any of it holds none. RE2's syntax."""


@cache
def vendors() -> tuple[Sieved, ...]:
    """The shapes of detect-secrets; loading it takes a moment, so only when a text is first searched."""
    detectors = (
        (kind, getattr(import_module(f"detect_secrets.plugins.{module}"), name)) for kind, module, name in PLUGINS
    )
    return tuple(Sieved(kind, shape) for kind, detector in detectors for shape in detector.denylist)
