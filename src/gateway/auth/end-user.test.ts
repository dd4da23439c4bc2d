import { expect, test } from "bun:test";
import { endUserOf } from "./end-user.ts";

test.each<[string, Record<string, string>, object, string | null]>([
  ["nothing", {}, { model: "m", metadata: {} }, null],
  ["user", {}, { user: " alice " }, "alice"],
  ["safety_identifier before user", {}, { user: "alice", safety_identifier: "hash-1" }, "hash-1"],
  ["metadata.user_id", {}, { metadata: { user_id: "bob" } }, "bob"],
  [
    "Claude Code's account",
    {},
    { metadata: { user_id: "user_ab12_account_9f-3_session_0f0f-1" } },
    "user_ab12_account_9f-3",
  ],
  ["Claude Code without an account", {}, { metadata: { user_id: "user_ab12_account__session_0f0f-1" } }, "user_ab12"],
  ["Claude Code's object", {}, { metadata: { user_id: '{"device_id":"d","account_uuid":"a","session_id":"s"}' } }, "a"],
  ["its object without an account", {}, { metadata: { user_id: '{"device_id":"d","account_uuid":""}' } }, "d"],
  ["what only begins like an object", {}, { metadata: { user_id: "{alice" } }, "{alice"],
  [
    "Open WebUI's mail first",
    { "X-OpenWebUI-User-Id": "7", "X-OpenWebUI-User-Email": "a@b.c" },
    { user: "x" },
    "a@b.c",
  ],
  ["Open WebUI's name", { "X-OpenWebUI-User-Name": "caf%C3%A9" }, {}, "café"],
  ["a percent sign alone", { "X-OpenWebUI-User-Name": "100%" }, {}, "100%"],
  ["the site's own header before all", { "X-Employee": "e-9", "X-OpenWebUI-User-Id": "7" }, {}, "e-9"],
  ["what is no text", {}, { user: 7, metadata: "x" }, null],
  ["128 characters at most", {}, { user: "😀".repeat(200) }, "😀".repeat(128)],
])("%s", (_, headers, body, expected) => {
  expect(endUserOf("x-employee", new Headers(headers), { ...body })).toBe(expected);
});
