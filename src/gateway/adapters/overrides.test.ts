import { afterEach, expect, test } from "bun:test";
import { CHAT, createAnsweringRelays } from "../../../test/support/gateway/start-gateway.ts";
import { readOwnHeaders } from "../../domain/channels/routing/overrides/own-headers.ts";
import { readOverrideRules } from "../../domain/channels/routing/overrides/read-overrides.ts";

const relays = createAnsweringRelays();
afterEach(relays.stop);

const { rules } = readOverrideRules({
  operations: [
    { mode: "default", path: "top_p", value: 0.9 },
    { mode: "delete", path: "user" },
    {
      mode: "set",
      path: "metadata.tier",
      value: "x",
      conditions: [{ path: "request_headers.x-tier", mode: "exists" }],
    },
    { mode: "set", path: "seed", value: 1, conditions: [{ path: "original_model", mode: "prefix", value: "other" }] },
  ],
});
const ownHeaders = readOwnHeaders({
  "X-Title": "My site",
  "X-User": "{user_id}:{key_name}",
  "X-From": "{client_header:X-Tier}",
});
const OPENAI = 1;
const ANTHROPIC = 14;

test.each([
  ["forwards", CHAT, OPENAI],
  ["forwards in Anthropic's format", "/v1/messages", ANTHROPIC],
  ["translates to Anthropic's format", CHAT, ANTHROPIC],
] as const)("a channel's rules and headers hold for a call that the gateway %s", async (_how, path, type) => {
  const { relay, upstream } = relays.start({ channels: [{ type, overrideRules: rules, ownHeaders }] });
  const body = { model: "gpt-4o", max_tokens: 9, user: "u", messages: [{ role: "user", content: "Hi" }] };
  await relay.post(path, body, { headers: { "x-tier": "gold", authorization: "Bearer sk-test" } });
  const [sent] = upstream.received;
  const json = JSON.parse(sent?.text ?? "{}");
  expect(json).toMatchObject({ top_p: 0.9, metadata: { tier: "x" } });
  expect([json.user, json.seed]).toEqual([undefined, undefined]);
  expect(sent?.headers.get("x-title")).toBe("My site");
  expect(sent?.headers.get("x-user")).toMatch(/^\d+:/);
  expect(sent?.headers.get("x-from")).toBe("gold");
  expect(sent?.headers.get("authorization") ?? "").not.toContain("sk-test");
});

test("rules that change nothing leave the client's bytes as they are", async () => {
  const { rules: idle } = readOverrideRules({ operations: [{ mode: "delete", path: "user" }] });
  const { relay, upstream } = relays.start({ channels: [{ overrideRules: idle }] });
  const text = '{ "model":"gpt-4o",  "messages":[{"role":"user","content":"Hi"}],"n":1.0 }';
  await relay.post(CHAT, text);
  expect(upstream.received[0]?.text).toBe(text);
});
