import { expect, test } from "bun:test";
import type { JsonObject } from "../../formats/json.ts";
import { agentSessionOf, callTags } from "./call-labels.ts";

const sessionOf = (headers: Record<string, string>, json: JsonObject = {}, prompt: JsonObject = json) =>
  agentSessionOf({ request: { headers: new Headers(headers) }, body: { json }, prompt });
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
const UUID = "0b5c3a3e-6a3d-4f0a-9c65-0a6f4d1c2b3a";

test.each<[string, Record<string, string>, JsonObject, object | null]>([
  ["nothing", {}, {}, null],
  ["our header", { "x-sluice-session": "run 7" }, { session_id: "other" }, { id: "run 7", by: "header" }],
  ["Codex's header", { session_id: UUID }, {}, { id: UUID, by: "header" }],
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
  expect(sessionOf({ session_id: "s" }, { messages: messages.slice(0, 1) })).not.toHaveProperty("tools");
  const input = [
    { role: "user", content: "Go" },
    { type: "function_call", name: "shell" },
    { type: "function_call_output", output: "ok" },
  ];
  expect(sessionOf({ session_id: "s" }, { input })?.tools).toEqual(["shell"]);
});

test("bounds what it keeps", () => {
  expect(sessionOf({ session_id: "s".repeat(900) })?.id).toHaveLength(200);
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
