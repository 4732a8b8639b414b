"""The loopback Messages server in a process of its own: prints its address, ends with its input."""

from __future__ import annotations

import sys

from benchmarks.world import REPLY, loopback


def main(first_s: float, rest_s: float) -> None:
    """Answer every request after `first_s`, its text spread over `rest_s`."""
    loopback()
    from loopback import Asked, Behaviour, LoopbackServer, say  # type: ignore[import-not-found]

    plain = say(REPLY, first_token_after=first_s)
    gaps = len(plain.blocks[0].deltas) + 2  # the block's start and stop are events, too
    answer = say(REPLY, first_token_after=first_s, token_gap=rest_s / gaps)

    waiting: list[Asked] = []

    def script(asked: Asked) -> Behaviour:
        asked.raw = b""
        for old in [one for one in waiting if one.whole]:  # thousands of long requests are not kept
            old.body = {}
            waiting.remove(old)
        waiting.append(asked)
        return answer

    with LoopbackServer(script) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]))
