"""Made sessions of harnesses other than Claude Code: short builders of their records, and one whole session of each."""

from __future__ import annotations

import json
from pathlib import Path

Json = dict[str, object]


def put(folder: Path, *records: object, name: str = "session.jsonl") -> Path:
    """The records as JSON Lines; a text stands as it is."""
    path = folder / name
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


def document(folder: Path, value: object, name: str = "session.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, indent=1))
    return path


# --- pi ---------------------------------------------------------------------------------------------------------------


def pi_header(version: int | None = 3, id: str = "s-1") -> Json:
    header: Json = {"type": "session", "id": id, "timestamp": "2026-01-01T10:00:00Z", "cwd": "/app"}
    return header if version is None else {**header, "version": version}


def pi_entry(kind: str, id: str | None, parent: str | None = None, **fields: object) -> Json:
    """An entry of the tree; without an id it is one of version 1."""
    place: Json = {} if id is None else {"id": id, "parentId": parent}
    return {"type": kind, **place, "timestamp": "2026-01-01T10:00:01Z", **fields}


def pi_user(id: str | None, parent: str | None, text: object, **fields: object) -> Json:
    return pi_entry("message", id, parent, message={"role": "user", "content": text, **fields})


def pi_answer(id: str | None, parent: str | None, *blocks: object, **fields: object) -> Json:
    """Strings become text blocks, pairs (id, name) tool calls."""
    told = [_pi_block(b) for b in blocks]
    usage = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 20, "totalTokens": 135}
    message = {"role": "assistant", "content": told, "model": "claude-test", "usage": usage, "stopReason": "stop"}
    return pi_entry("message", id, parent, message={**message, **fields})


def pi_result(id: str | None, parent: str | None, call: str, text: object = "done", **fields: object) -> Json:
    message = {"role": "toolResult", "toolCallId": call, "toolName": "bash", "content": text, "isError": False}
    return pi_entry("message", id, parent, message={**message, **fields})


def _pi_block(block: object) -> object:
    match block:
        case str():
            return {"type": "text", "text": block}
        case (id_, name):
            return {"type": "toolCall", "id": id_, "name": name, "arguments": {"n": 1}}
        case _:
            return block


PI = [
    pi_header(),
    pi_user("u1", None, "fix it"),
    pi_answer("a1", "u1", {"type": "thinking", "thinking": "hm"}, "looking", ("t1", "bash")),
    pi_result("r1", "a1", "t1", [{"type": "text", "text": "a.py"}]),
    pi_entry("compaction", "c1", "r1", summary="so far: a.py", firstKeptEntryId="a1", tokensBefore=900),
    pi_entry("custom_message", "x1", "c1", customType="todo", content="reminder", display=False),
    pi_answer("a2", "x1", "fixed"),
    pi_entry("hidden_range", "h1", "a2", recordIds=["r1"]),
    pi_entry("compact_checkpoint", "k1", "h1", firstRecordId="a1", lastRecordId="r1", text="a", coversRecordIds=[]),
    pi_user("u2", "k1", "thanks"),
]

# --- Codex ------------------------------------------------------------------------------------------------------------


def codex_line(kind: str, **payload: object) -> Json:
    return {"timestamp": "2026-01-01T10:00:00Z", "type": kind, "payload": payload}


def codex_item(kind: str, **payload: object) -> Json:
    return codex_line("response_item", type=kind, **payload)


def codex_event(kind: str, **payload: object) -> Json:
    return codex_line("event_msg", type=kind, **payload)


def codex_says(role: str, *texts: str) -> Json:
    part = "output_text" if role == "assistant" else "input_text"
    return codex_item("message", role=role, content=[{"type": part, "text": t} for t in texts])


def codex_call(call: str, name: str = "shell", arguments: str = '{"cmd":"ls"}') -> Json:
    return codex_item("function_call", name=name, arguments=arguments, call_id=call)


def codex_output(call: str, output: object = "done") -> Json:
    return codex_item("function_call_output", call_id=call, output=output)


def codex_count(total: int, last: int, *, cached: int = 0, output: int = 10) -> Json:
    """Running totals of input, and the last answer's; `last` 0 is an answer that used nothing."""

    def tokens(n: int, read: int, out: int) -> Json:
        return {"input_tokens": n, "cached_input_tokens": read, "output_tokens": out, "total_tokens": n + out}

    info = {"total_token_usage": tokens(total, 0, 0), "last_token_usage": tokens(last, cached, output if last else 0)}
    return codex_event("token_count", info=info)


CODEX = [
    codex_line("session_meta", id="s-1", cwd="/app", cli_version="0.142.2", base_instructions={"text": "Be good."}),
    codex_line("turn_context", model="gpt-test", cwd="/app"),
    codex_says("developer", "<permissions instructions>"),
    codex_says("user", "# AGENTS.md instructions for /app", "<environment_context>"),
    codex_says("user", "fix it"),
    codex_event("user_message", message="fix it"),
    codex_item("reasoning", summary=[], encrypted_content="xxx"),
    codex_event("agent_message", message="looking"),
    codex_says("assistant", "looking"),
    codex_call("c1"),
    codex_output("c1", "a.py"),
    codex_count(100, 100, cached=40),
    codex_line("compacted", message="", replacement_history=[codex_says("user", "fix it")["payload"]]),
    codex_item("web_search_call", id="w1", status="completed", action={"type": "search", "query": "x"}),
    codex_item("custom_tool_call", name="apply_patch", call_id="c2", input="*** Begin Patch"),
    codex_item("custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "ok"}]),
    codex_event("turn_aborted", reason="interrupted"),
    codex_event("thread_rolled_back", num_turns=0),
]

# --- Gemini CLI, Copilot CLI, OpenHands, SWE-agent --------------------------------------------------------------------

GEMINI_CALL: Json = {
    "id": "t1",
    "name": "read_file",
    "args": {"path": "a.py"},
    "status": "success",
    "result": [{"functionResponse": {"id": "t1", "name": "read_file", "response": {"output": "x = 1"}}}],
}
GEMINI_TOKENS: Json = {"input": 100, "output": 5, "cached": 60, "thoughts": 3, "tool": 2, "total": 110}
GEMINI: list[Json] = [
    {"id": "u1", "type": "user", "timestamp": "2026-01-01T10:00:00Z", "content": [{"text": "fix it"}]},
    {
        "id": "g1", "type": "gemini", "timestamp": "2026-01-01T10:00:01Z", "content": "looking", "model": "gemini-test",
        "thoughts": [{"subject": "Plan", "description": "read"}], "toolCalls": [GEMINI_CALL], "tokens": GEMINI_TOKENS,
    },
    {"id": "i1", "type": "info", "content": "Chat history compressed from 900 to 100 tokens."},
    {"id": "u2", "type": "user", "content": "thanks"},
]  # fmt: skip
GEMINI_FACTS: Json = {"sessionId": "s-1", "projectHash": "h", "startTime": "2026-01-01T10:00:00Z"}


def copilot(kind: str, id: str, *, agent: str | None = None, **data: object) -> Json:
    told: Json = {"type": kind, "id": id, "timestamp": "2026-01-01T10:00:00Z", "data": data}
    return told if agent is None else {**told, "agentId": agent}


COPILOT = [
    copilot("session.start", "e1", sessionId="s-1", copilotVersion="1.0", context={"cwd": "/app", "branch": "main"}),
    copilot("hook.start", "e2", hookType="userPromptSubmitted", input={"prompt": "fix it"}),
    copilot("user.message", "e3", content="fix it"),
    copilot(
        "assistant.message",
        "e4",
        content="looking",
        reasoningText="hm",
        model="gpt-test",
        toolRequests=[{"toolCallId": "t1", "name": "bash", "arguments": {"command": "ls"}}],
    ),
    copilot("tool.execution_start", "e5", toolCallId="t1", toolName="bash", arguments={"command": "ls"}),
    copilot("tool.execution_complete", "e6", toolCallId="t1", success=True, result={"content": "a.py"}),
    copilot("assistant.message", "e7", agent="sub-1", content="of a subagent", toolRequests=[]),
    copilot("session.compaction_complete", "e8", success=True, preCompactionTokens=900, summaryContent="so far"),
    copilot("user.message", "e9", content="thanks"),
    copilot("session.shutdown", "e10", modelMetrics={"gpt-test": {"usage": {"inputTokens": 9}}}),
]


def oh_model(response: str, *calls: tuple[str, str], text: str = "") -> Json:
    """What an OpenHands event keeps of the model's response."""
    made = [{"id": c, "type": "function", "function": {"name": n, "arguments": '{"n":1}'}} for c, n in calls]
    message = {"role": "assistant", "content": text, "tool_calls": made}
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 50,
    }
    return {"id": response, "model": "claude-test", "choices": [{"message": message}], "usage": usage}


def oh_call(n: int, action: str, call: str, response: Json) -> Json:
    told = {"function_name": action, "tool_call_id": call, "model_response": response}
    return {"id": n, "source": "agent", "action": action, "args": {"thought": ""}, "tool_call_metadata": told}


def oh_seen(n: int, cause: int, call: str, text: str, kind: str = "run") -> Json:
    told = {"tool_call_id": call}
    return {
        "id": n,
        "source": "agent",
        "cause": cause,
        "observation": kind,
        "content": text,
        "tool_call_metadata": told,
    }


def said(text: str) -> Json:
    return {"type": "text", "text": text}


OH_RESPONSE = oh_model("r1", ("t1", "run"), ("t2", "read"), text="looking")
OPENHANDS = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be good."}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": "fix it", "image_urls": None}},
    oh_call(2, "run", "t1", OH_RESPONSE),
    oh_seen(3, 2, "t1", "a.py"),
    oh_call(4, "read", "t2", OH_RESPONSE),
    oh_seen(5, 4, "t2", "no such file", "error"),
    {
        "id": 6,
        "source": "agent",
        "action": "condensation",
        "args": {"forgotten_event_ids": [4, 5], "summary": "so far"},
    },
    {"id": 7, "source": "agent", "action": "finish", "args": {"final_thought": "fixed"}},
]
OPENHANDS_SDK = [
    {"kind": "SystemPromptEvent", "id": "e0", "system_prompt": said("Be good."), "tools": [{"n": 1}]},
    {"kind": "MessageEvent", "id": "e1", "source": "user", "llm_message": {"content": [said("go")]}},
    {
        "kind": "ActionEvent", "id": "e2", "thought": [said("looking")], "tool_name": "terminal",
        "tool_call_id": "t1", "tool_call": {"arguments": '{"command":"ls"}'}, "llm_response_id": "r1",
    },
    {"kind": "ObservationEvent", "id": "e3", "action_id": "e2", "observation": {"content": [said("a")]}},
    {"kind": "Condensation", "id": "e4", "forgotten_event_ids": ["e2", "e3"], "summary": "so far", "summary_offset": 1},
    {"kind": "MessageEvent", "id": "e5", "source": "agent", "llm_message": {"content": [said("ok")]}},
]  # fmt: skip


def chat_call(call: str, name: str = "bash") -> Json:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": '{"command":"ls"}'}}


SWE: Json = {
    "trajectory": [{"response": "looking", "observation": "a.py"}],
    "history": [
        {"role": "system", "content": "Be good.", "agent": "main"},
        {"role": "user", "content": "fix it", "agent": "main"},
        {"role": "assistant", "content": "looking", "tool_calls": [chat_call("t1")], "agent": "main"},
        {"role": "tool", "content": "a.py", "tool_call_ids": ["t1"], "agent": "main"},
    ],
    "info": {"model_stats": {"tokens_sent": 900, "tokens_received": 90, "api_calls": 2}},
    "replay_config": {"agent": {"model": {"name": "claude-test"}}},
}
MINI: Json = {
    "info": {"mini_version": "1.14", "config": {"model": {"model_name": "claude-test"}}},
    "messages": [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": "looking\n```bash\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\na.py"},
    ],
    "trajectory_format": "mini-swe-agent-1",
}
