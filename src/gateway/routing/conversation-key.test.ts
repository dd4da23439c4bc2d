import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

test("calls with one prompt_cache_key stay with one key, however they begin", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, keys: ["1", "2", "3", "4", "5"] }] });
  stops.push(relay.stop, upstream.stop);
  const ask = (content: string, more: object) =>
    relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content }], ...more });
  const keys = () => upstream.received.splice(0).map(({ headers }) => headers.get("authorization"));
  for (let i = 0; i < 5; i += 1) await ask(`Question ${i}`, { prompt_cache_key: "conversation-1" });
  expect(new Set(keys()).size).toBe(1);
  for (let i = 0; i < 5; i += 1) await ask(`Question ${i}`, {});
  expect(new Set(keys()).size).toBeGreaterThan(1);
});

/** Long enough for a provider's cache. */
const LONG = " What is a sluice?".repeat(300);

test("an application that sends one user for all its calls uses all keys; each of its conversations stays with one", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, keys: ["1", "2", "3", "4", "5"] }] });
  stops.push(relay.stop, upstream.stop);
  const ask = (content: string, user: string) =>
    relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content }], user });
  const keys = () => upstream.received.splice(0).map(({ headers }) => headers.get("authorization"));
  for (let i = 0; i < 5; i += 1) await ask(`Question ${i}${LONG}`, "the-application");
  const first = keys();
  expect(new Set(first).size).toBe(5);
  for (let i = 0; i < 5; i += 1) await ask(`Question ${i}${LONG}`, "the-application");
  expect(keys()).toEqual(first);
  for (let i = 0; i < 5; i += 1) await ask(`Question 0${LONG}`, `user ${i}`);
  expect(new Set(keys()).size).toBe(5);
});

test("a conversation leaves a key that was disabled, and stays with the next", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const disabledKeys = new Set<string>();
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, keys: ["1", "2", "3"], disabledKeys }] });
  stops.push(relay.stop, upstream.stop);
  const ask = async () => {
    await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content: LONG }] });
    return upstream.received.at(-1)?.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  };
  const first = await ask();
  expect(await ask()).toBe(first);
  disabledKeys.add(first);
  const second = await ask();
  expect(second).not.toBe(first);
  disabledKeys.delete(first);
  // Its cache is with the second key now.
  expect(await ask()).toBe(second);
});
