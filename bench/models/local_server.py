"""A child process that serves one GGUF through llama.cpp's Messages API: `python -m bench.models.local_server`.

Prints the address as its one line on stdout. llama.cpp logs at C level and runs its own threads: in a child, its
stderr is a file, its crash is not ours, and its threads do not share our interpreter. The child ends when its standard
input is closed or its parent is gone, however the parent ended.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys

PARENT_CHECK_S = 2.0
"""How often to look whether the parent is still there: a forked sibling may hold the pipe open."""
ERRORS_ONLY = 1
"""llama.cpp's log level: errors; 3, its default, logs every request."""


def main(argv: list[str] | None = None) -> int:
    """Serve until the parent goes; status 1 with the reason on stderr where the model cannot be loaded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("--ctx", type=int, required=True, help="context window in tokens")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--seed", type=int, help="the same text for the same prompt; default a new seed each request")
    args = parser.parse_args(argv)
    parent = os.getppid()
    server = serve(args.model, args.ctx, args.threads, args.seed)
    print(json.dumps({"url": server.listening_address}), flush=True)
    _wait_for_end_of(parent)
    os._exit(0)  # llama.cpp's threads are not joined: a generation in flight would hold the exit up


def serve(model: str, ctx: int, threads: int, seed: int | None):  # type: ignore[no-untyped-def]
    """A running llama.cpp server on a free loopback port; it lives as long as the object.

    One slot: the forks of a group come one after the other and find the context in the slot's cache. Measured with the
    small model (Q4_1, which has no repacked kernel, so that reading is bound by arithmetic) on 2 AVX2 cores: flash
    attention costs a third of the writing speed and gains nothing. Threads wait for each other at every operation, so
    one core that is busy elsewhere slows writing from 70 to 5 tokens/s; with one core left free it is 45 on either.
    """
    import xllamacpp

    p = xllamacpp.CommonParams()
    p.model.path = model
    p.n_ctx = ctx
    p.n_parallel = 1
    p.hostnames = ["127.0.0.1"]
    p.port = 0
    p.verbosity = ERRORS_ONLY
    p.ui = False
    p.cpuparams.n_threads = max(1, threads - 1)
    p.cpuparams_batch.n_threads = threads
    p.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    if seed is not None:
        p.sampling.seed = seed
    return xllamacpp.Server(p)


def _wait_for_end_of(parent: int) -> None:
    while os.getppid() == parent:
        if select.select([sys.stdin], [], [], PARENT_CHECK_S)[0] and not os.read(sys.stdin.fileno(), 1024):
            return


if __name__ == "__main__":
    sys.exit(main())
