import { describe, expect, test } from "bun:test";
import { usageRecord } from "../../../test/support/billing/start-billing.ts";
import { boundRecord } from "../../billing/bounds/record-bounds.ts";
import type { JsonObject } from "../../formats/json.ts";
import { agentSessionOf, callTags } from "./call-labels.ts";

const sessionOf = (headers: Record<string, string>, json: JsonObject = {}, prompt: JsonObject = json) =>
  agentSessionOf({ request: { headers: new Headers(headers) }, body: { json }, prompt, caller: CALLER });
const CALLER = { user: { id: 1 }, token: { id: 7 } };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
const UUID = "0b5c3a3e-6a3d-4f0a-9c65-0a6f4d1c2b3a";

test.each<[string, Record<string, string>, JsonObject, object | null]>([
  ["nothing", {}, {}, null],
  ["our header", { "x-sluice-session": "run 7" }, { session_id: "other" }, { id: "run 7", by: "header" }],
  ["Codex's header", { "session-id": UUID, "thread-id": UUID }, {}, { id: UUID, by: "header" }],
  ["a frame of Codex", {}, { client_metadata: { session_id: UUID, thread_id: UUID } }, { id: UUID, by: "metadata" }],
  ["Claude Code's header", { "x-claude-code-session-id": UUID }, {}, { id: UUID, by: "header" }],
  ["Cline's header", { "x-task-id": "1764394862000" }, {}, { id: "1764394862000", by: "header" }],
  ["Codex's header of 2025", { session_id: UUID }, {}, { id: UUID, by: "header" }],
  ["the body", {}, { session_id: "run" }, { id: "run", by: "body" }],
  ["a conversation's id", {}, { conversation: { id: "conv_1" } }, { id: "conv_1", by: "conversation" }],
  ["Claude Code", {}, { metadata: { user_id: `user_ab_account__session_${UUID}` } }, { id: UUID, by: "metadata" }],
  ["its newer form", {}, { metadata: { user_id: `{"session_id":"${UUID}"}` } }, { id: UUID, by: "metadata" }],
  ["an end user alone", {}, { metadata: { user_id: "ann" } }, null],
  ["broken JSON", {}, { metadata: { user_id: "{no" } }, null],
  ["a trace", { traceparent }, {}, { id: TRACE, by: "trace", step: "b7ad6b7169203331" }],
  ["a broken trace", { traceparent: "00-x-y-01" }, {}, null],
  ["a session in a trace", { traceparent, session_id: "s" }, {}, { id: "s", by: "header", step: "b7ad6b7169203331" }],
  ["a step", { session_id: "s", "x-sluice-step": "plan" }, {}, { id: "s", by: "header", step: "plan" }],
])("recognizes %s", (_, headers, body, expected) => {
  expect<unknown>(sessionOf(headers, body)).toEqual(expected);
});

/** What the agents themselves sent to a recording server: Codex 0.171, Claude Code 2.1.197; opencode as its source has it. */
const CHILD = "01a21ee4-9d1e-7963-8c8b-139f59c522b7";
const turn = JSON.stringify({ session_id: UUID, thread_id: CHILD, agent_name: "/root/count", parent_thread_id: UUID });
const codex = { "session-id": UUID, "thread-id": CHILD, "x-openai-subagent": "thread_spawn" };
const claude = { "x-claude-code-session-id": UUID, "x-claude-code-agent-id": "af56" };

test.each<[string, Record<string, string>, JsonObject, object]>([
  ["the first agent of Codex", { ...codex, "thread-id": UUID }, {}, {}],
  [
    "a sub-agent of Codex",
    { ...codex, "x-codex-parent-thread-id": UUID, "x-codex-turn-metadata": turn },
    {},
    { agent: CHILD, name: "/root/count" },
  ],
  ["one below it", { ...codex, "x-codex-parent-thread-id": "other" }, {}, { agent: CHILD, parent: "other" }],
  [
    "a sub-agent of Codex on the socket of the first agent",
    { "session-id": UUID, "thread-id": UUID },
    {
      client_metadata: {
        ...{ session_id: UUID, thread_id: CHILD, "x-codex-parent-thread-id": "other" },
        "x-codex-turn-metadata": turn,
      },
    },
    { agent: CHILD, parent: "other", name: "/root/count" },
  ],
  ["the first agent of Claude Code", { "x-claude-code-session-id": UUID }, {}, {}],
  ["a sub-agent of Claude Code", claude, {}, { agent: "af56" }],
  ["one below it", { ...claude, "x-claude-code-parent-agent-id": "b1" }, {}, { agent: "af56", parent: "b1" }],
  ["a sub-agent of opencode", { "x-session-id": "ses_2", "x-parent-session-id": UUID }, {}, { agent: "ses_2" }],
  [
    "our headers",
    { session_id: UUID, "x-sluice-agent": "a", "x-sluice-parent-agent": "b" },
    {},
    { agent: "a", parent: "b" },
  ],
  [
    "one that started itself",
    { session_id: UUID, "x-sluice-agent": "a", "x-sluice-parent-agent": "a" },
    {},
    { agent: "a" },
  ],
  ["broken metadata", { ...codex, "x-codex-turn-metadata": "{no" }, {}, { agent: CHILD }],
])("recognizes %s", (_, headers, body, expected) => {
  const { id, by: _by, ...agent } = sessionOf(headers, body) ?? { id: "", by: "" };
  expect<unknown>(agent).toEqual(expected);
  expect(id).toBe(UUID);
});

describe("an agent that names no session", () => {
  const tools = [{ type: "function", function: { name: "shell" } }];
  const system = { role: "system", content: "You are an agent. Today is Monday." };
  const first = {
    role: "user",
    content: [
      { type: "text", text: "cwd: /work" },
      { type: "text", text: "Fix the bug" },
    ],
  };
  const later = [
    { role: "assistant", content: "Done." },
    { role: "user", content: "And the tests?" },
  ];
  const idOf = (messages: readonly object[], json: JsonObject = { tools }, caller = CALLER) =>
    agentSessionOf({ request: { headers: new Headers() }, body: { json }, prompt: { messages }, caller })?.id ?? null;
  const id = idOf([system, first]);

  test("is recognized by its instructions and its first message, whatever follows", () => {
    expect(id).toMatch(/^prompt-[\da-f]{16}$/);
    expect(idOf([system, first, ...later])).toBe(id);
  });

  test.each<[string, string | null]>([
    ["other instructions", idOf([{ ...system, content: "You are another." }, first])],
    ["another first message", idOf([system, { role: "user", content: "Fix another bug" }])],
    ["another key", idOf([system, first], { tools }, { ...CALLER, token: { id: 8 } })],
    ["another user", idOf([system, first], { tools }, { ...CALLER, user: { id: 2 } })],
  ])("%s are another session", (_, other) => {
    expect(other).toStartWith("prompt-");
    expect(other).not.toBe(id);
  });

  test.each<[string, JsonObject, readonly object[]]>([
    ["without tools", {}, [system, first]],
    ["with an empty list of tools", { tools: [] }, [system, first]],
    ["that continues a stored response", { tools, previous_response_id: "resp_1" }, [system, first]],
    ["without a message of the user", { tools }, [system]],
  ])("a call %s is in none", (_, json, messages) => {
    expect(idOf(messages, json)).toBeNull();
  });
});

test("names the tools whose results a call brings, not earlier ones", () => {
  const calls = (...names: string[]) => names.map((name) => ({ id: name, function: { name } }));
  const messages = [
    { role: "user", content: "Go" },
    { role: "assistant", tool_calls: calls("old") },
    { role: "tool", content: "1" },
    { role: "assistant", tool_calls: calls("read", "grep") },
    { role: "tool", content: "2" },
    { role: "tool", content: "3" },
  ];
  expect(sessionOf({ session_id: "s" }, { messages })?.tools).toEqual(["read", "grep"]);
  const reminded = [...messages, { role: "user", content: "Remember the tests." }];
  expect(sessionOf({ session_id: "s" }, { messages: reminded })?.tools).toEqual(["read", "grep"]);
  const answered = [...messages, { role: "assistant", content: "Done." }, { role: "user", content: "Go on" }];
  expect(sessionOf({ session_id: "s" }, { messages: answered })).not.toHaveProperty("tools");
  expect(sessionOf({ session_id: "s" }, { messages: messages.slice(0, 1) })).not.toHaveProperty("tools");
  const input = [
    { role: "user", content: "Go" },
    { type: "function_call", name: "shell" },
    { type: "function_call_output", output: "ok" },
  ];
  expect(sessionOf({ session_id: "s" }, { input })?.tools).toEqual(["shell"]);
});

test("a record bounds what clients call their sessions", () => {
  const session = sessionOf({ session_id: "s".repeat(900) });
  const other = { request_id: "r", ...(session && { agent_session: session }) };
  expect(boundRecord(usageRecord({ userId: 1, other })).other.agent_session?.id).toHaveLength(200);
});

const tags = (header: string | null, metadata?: JsonObject) =>
  callTags(new Headers(header === null ? {} : { "x-sluice-tags": header }), metadata ? { metadata } : {});

test.each<[string | null, JsonObject | undefined, string[]]>([
  [null, undefined, []],
  [" , ,", undefined, []],
  [" night, team-7 ,night", undefined, ["night", "team-7"]],
  [null, { tags: ["a", 7, "", " b "] }, ["a", "b"]],
  [null, { tags: "a, b" }, ["a", "b"]],
  ["a", { tags: ["b", "a"], user_id: "u-1" }, ["a", "b"]],
  [null, { tags: { a: 1 } }, []],
  ["x".repeat(70), undefined, ["x".repeat(64)]],
  [null, { tags: `${"y".repeat(63)}🚰z` }, [`${"y".repeat(63)}🚰`]],
])("the header %j and metadata %j are the tags %j", (header, metadata, expected) =>
  expect(tags(header, metadata)).toEqual(expected),
);

test("ten tags count", () =>
  expect(tags(Array.from({ length: 12 }, (_, index) => `t${index}`).join())).toHaveLength(10));
