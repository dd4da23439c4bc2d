import { afterAll, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  pacedSse,
  startUpstream,
  usageChunk,
} from "../../../test/support/gateway/start-upstream.ts";
import type { LiveCall } from "../../domain/logs/live/call-feed.ts";

let answer: () => Response = () => Response.json(chatReply());
const upstream = startUpstream(() => answer());
const relay = startRelay({ channels: [{ baseUrl: upstream.url, name: "main" }], options: { RetryTimes: "0" } });
afterAll(() => Promise.all([upstream.stop(), relay.stop()]));

test("the live feed shows a call's begin and end, without its contents", async () => {
  const seen: LiveCall[] = [];
  const stop = relay.feed.watch(
    (call) => seen.push(call),
    () => {},
  );
  const ask = () =>
    relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content: "secret" }] });
  await (await ask()).text();
  answer = () => new Response("no", { status: 400 });
  await (await ask()).text();
  stop();
  await (await ask()).text();
  expect(seen).toMatchObject([
    { is_over: false, username: "alice", model_name: "gpt-4o", channel: 0, status: 0 },
    { is_over: true, channel: 1, channel_name: "main", status: 200, failed: false, prompt_tokens: 10, quota: 38 },
    { is_over: false, status: 0 },
    { is_over: true, status: 400, failed: true, quota: 0 },
  ]);
  expect(seen[0]?.request_id).toBe(seen[1]?.request_id ?? "");
  expect(JSON.stringify(seen)).not.toContain("secret");
});

test("the attempt that served a stream lasts until the stream's end", async () => {
  const gate = Promise.withResolvers<void>();
  answer = () =>
    pacedSse([chunk({ content: "a" }), () => gate.promise, chunk({ content: "b" }, {}, "stop"), usageChunk(), DONE]);
  const before = relay.billing.records.length;
  const messages = [{ role: "user", content: "x" }];
  const response = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages, stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  await Bun.sleep(30);
  gate.resolve();
  while (!(await reader?.read())?.done);
  const { elapsedMs, other } = await relay.billing.nextRecord(before + 1);
  const [attempt] = other.admin_info?.attempts ?? [];
  expect(attempt?.endMs).toBeLessThanOrEqual(elapsedMs);
  expect((attempt?.endMs ?? 0) - (attempt?.firstByteMs ?? 0)).toBeGreaterThanOrEqual(25);
});
