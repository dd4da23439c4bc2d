import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { type ConversationSource, conversationKey, type RecognizedBy } from "./conversation-key.ts";

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

describe("the key of a conversation", () => {
  const user = (content: string) => ({ role: "user", content });
  const assistant = (content: string) => ({ role: "assistant", content });
  const source = (messages: readonly object[], more: Partial<ConversationSource> = {}): ConversationSource => ({
    ...{ userId: 1, tokenId: 2, model: "m", body: {}, prompt: { messages }, promptBound: 2048 },
    ...more,
  });
  const FIRST = [{ role: "system", content: "Rules" }, user("Hello")];
  const keyOf = (...values: Parameters<typeof source>) => conversationKey(source(...values));

  test.each<[string, readonly object[], Partial<ConversationSource>, RecognizedBy | null]>([
    ["its own, however short", [user("a")], { promptBound: 1, body: { prompt_cache_key: "k" } }, "prompt_cache_key"],
    ["a prompt that can be cached", FIRST, {}, "prompt"],
    ["a prompt just too short to be cached", FIRST, { promptBound: 2047 }, null],
    ["a short prompt after an answer", [...FIRST, assistant("Hi")], { promptBound: 10 }, "prompt"],
    ["a user with a prompt", FIRST, { body: { user: "u" } }, "user"],
    ["no message of a user", [{ role: "system", content: "Rules" }], {}, null],
    ["no message of a user, but a user's name", [assistant("Hi")], { body: { user: "u" } }, null],
  ])("is that of %s", (_, messages, more, by) => expect(keyOf(messages, more)?.by ?? null).toBe(by));

  const first = keyOf(FIRST)?.key;
  test.each<[string, boolean, readonly object[], Partial<ConversationSource>]>([
    ["later turns", true, [...FIRST, assistant("Hi"), user("And now?")], {}],
    ["another first message", false, [FIRST[0] ?? {}, user("Hallo")], {}],
    ["other instructions", false, [{ role: "system", content: "Other" }, user("Hello")], {}],
    ["another user of the site", false, FIRST, { userId: 9 }],
    ["another key", false, FIRST, { tokenId: 9 }],
    ["another model", false, FIRST, { model: "n" }],
    ["an end user", false, FIRST, { body: { user: "u" } }],
  ])("stays with %s: %p", (_, stays, messages, more) => expect(keyOf(messages, more)?.key === first).toBe(stays));

  test("reads the first 4,000 characters of a prompt", () => {
    const [long, longer] = ["a", "b"].map((end) => keyOf([user(`${"x".repeat(4000)}${end}`)])?.key);
    expect(long).toBe(longer as bigint);
    const written = (content: string) => JSON.stringify([user(content)]).length - 2;
    // The last character that is read, and the first that is not: what stands after it is a quote and brackets.
    const exact = "x".repeat(4000 - written("") - 2);
    const [before, after] = [`${exact}a`, `${exact}b`].map((content) => keyOf([user(content)])?.key);
    expect(before).not.toBe(after as bigint);
    expect(keyOf([user("a")])?.key).not.toBe(keyOf([user("b")])?.key as bigint);
  });
});
