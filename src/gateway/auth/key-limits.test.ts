import { afterEach, expect, test } from "bun:test";
import { pino } from "pino";
import { tokenEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { createApiKeyLimits } from "./rate-limit.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };

function start(token: Partial<ApiKeyEntry>, renewBudget?: (id: number) => Promise<void>, type = 1) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const tokens = { test: { id: 1, ...token }, free: { id: 2 } };
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url }],
    tokens,
    ...(renewBudget && { renewBudget }),
  });
  stops.push(upstream.stop, relay.stop);
  return { ...relay, upstream };
}

test("a key with a limit makes that many calls per minute, another one of the same owner more", async () => {
  const relay = start({ requestsPerMinute: 2 });
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await relay.post("/v1/chat/completions", ASK)).status);
  expect(statuses).toEqual([200, 200, 429]);
  const refused = await relay.post("/v1/chat/completions", ASK);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const other = { headers: { authorization: "Bearer sk-free" } };
  for (const _ of [1, 2, 3]) expect((await relay.post("/v1/chat/completions", ASK, other)).status).toBe(200);
});

test("a key that has used its tokens of the minute must wait", async () => {
  const relay = start({ tokensPerMinute: 5 });
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  const refused = await relay.post("/v1/chat/completions", ASK);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain("5 tokens per minute");
  expect(relay.upstream.received).toHaveLength(1);
});

test("an exhausted key serves again at the end of its period", async () => {
  const renewed: number[] = [];
  const relay = start({ status: 4, unlimitedQuota: false, budgetRenewsAt: 1000 }, async (id) => {
    expect(relay.upstream.received).toHaveLength(0);
    renewed.push(id);
  });
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  expect(renewed).toEqual([1]);
});

test("concurrent calls at the end of a period share one renewal", async () => {
  const renewed: number[] = [];
  const gate = Promise.withResolvers<void>();
  const limits = createApiKeyLimits({
    sharedLimits: null,
    log: pino({ level: "silent" }),
    renewBudget: async (id) => {
      renewed.push(id);
      await gate.promise;
    },
  });
  const due = tokenEntry({ budgetRenewsAt: 1000 });
  let admitted = 0;
  const calls = [1, 2, 3].map(async () => {
    await limits.admit(due, 1000);
    admitted += 1;
  });
  await Promise.resolve();
  expect(admitted).toBe(0);
  gate.resolve();
  await Promise.all(calls);
  expect(renewed).toEqual([1]);
});

test("a key whose period continues stays exhausted; a failed renewal admits no call", async () => {
  const later = Math.floor(Date.now() / 1000) + 3600;
  expect((await start({ status: 4, budgetRenewsAt: later }).post("/v1/chat/completions", ASK)).status).toBe(429);
  const failing = start({ budgetRenewsAt: 1000 }, () => Promise.reject(new Error("no database")));
  expect((await failing.post("/v1/chat/completions", ASK)).status).toBe(503);
  expect(failing.upstream.received).toHaveLength(0);
});

test("a strict key rejects what an upstream cannot express, without the header", async () => {
  const lossy = { ...ASK, logit_bias: { 5: 1 }, max_tokens: 5 };
  const strict = start({ strict: true }, undefined, 14);
  const refused = await strict.post("/v1/chat/completions", lossy);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("logit_bias");
  expect(strict.upstream.received).toHaveLength(0);
});
