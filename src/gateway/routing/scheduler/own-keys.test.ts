import { afterEach, describe, expect, test } from "bun:test";
import { OWN, startOwnKeys } from "../../../../test/support/gateway/own-keys.ts";
import { chatReply, chunk, DONE, sse, usageChunk } from "../../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startOwnKeys>[1] & object;
type Answer = NonNullable<Setup["own"]>;
const start = (setup: Setup = {}) => startOwnKeys(stops, setup);

const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const keyOf = ({ headers }: { headers: Headers }) => headers.get("authorization");
const refuse =
  (status: number, error: object = { message: `Incorrect API key: ${OWN}`, type: "invalid_request_error" }): Answer =>
  () =>
    Response.json({ error }, { status });
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string; code: string } }).error;

describe("a key of the caller's own", () => {
  test("that fails leaves the call to the site's channels, at their price and whatever retries there are", async () => {
    const { relay, provider, upstream, reports } = start({ own: refuse(401), options: { RetryTimes: "0" } });
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect([provider.received.length, upstream.received.map(keyOf)]).toEqual([1, ["Bearer upstream-key"]]);
    const row = await relay.billing.nextRecord();
    expect(row).toMatchObject({ quota: 38, channelId: 1 });
    expect(row.other.own_key).toBeUndefined();
    expect(row.other.receipt?.ownKeyPercent).toBeUndefined();
    expect(row.other.admin_info?.use_channel).toEqual(["0", "1"]);
    expect(JSON.stringify(row)).not.toContain(OWN);
    expect(reports).toEqual([[1, "401: Incorrect API key: ***"]]);
    // It rests: the next call goes to the site at once.
    await relay.post(CHAT, ASK);
    expect([provider.received.length, upstream.received.length]).toEqual([1, 2]);
    expect(relay.disabled).toEqual([]);
    expect(relay.withoutCredit).toEqual([]);
  });

  test("of several the next one takes over, and none goes to the site where one is used alone", async () => {
    const own: Answer = ({ headers }) =>
      headers.get("authorization") === "Bearer sk-second-key"
        ? Response.json(chatReply())
        : new Response("", { status: 500 });
    const { relay, upstream } = start({ own, keys: [{}, { key: "sk-second-key", mode: "only" }] });
    for (let call = 0; call < 8; call += 1) expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect(upstream.received).toHaveLength(0);
  });

  test("charges a stream that its client leaves for what came, and no stream goes on elsewhere", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { relay, upstream } = start({
      options: { ProviderKeyFeePercent: "50" },
      own: () =>
        sse(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(
                new TextEncoder().encode(chunk({ role: "assistant" }) + chunk({ content: "Hello you" })),
              );
              await promise;
              controller.close();
            },
          }) as unknown as BodyInit,
        ),
    });
    const abort = new AbortController();
    const response = await relay.post(CHAT, { ...ASK, stream: true }, { signal: abort.signal });
    await response.body?.getReader().read();
    abort.abort();
    const row = await relay.billing.nextRecord();
    resolve();
    expect(row.other).toMatchObject({ ending: "client_left", own_key: { id: 1 }, usage_evidence: "estimated" });
    const { promptTokens, completionTokens, quota } = row;
    expect(quota).toBe(Math.round((promptTokens + 4 * completionTokens) * 1.25 * 0.5));
    expect(quota).toBeGreaterThan(0);
    expect([upstream.received.length, relay.billing.openHolds]).toEqual([0, 0]);
  });

  test("serves streams", async () => {
    const own = () =>
      sse(chunk({ role: "assistant" }) + chunk({ content: "Hi" }) + chunk({}, {}, "stop") + usageChunk() + DONE);
    const { relay } = start({ own });
    expect(await (await relay.post(CHAT, { ...ASK, stream: true })).text()).toContain("Hi");
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 2, isStream: true });
  });

  test("used alone has no fallback models of the site", async () => {
    const { relay, upstream } = start({
      own: refuse(500),
      channels: [{ models: ["other"] }],
      keys: [{ models: ["gpt-4o"], mode: "only" }],
      options: { ModelFallbacks: '{"gpt-4o":["other"]}', ModelRatio: '{"gpt-4o":1.25,"other":1}' },
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(500);
    expect(upstream.received).toHaveLength(0);
  });

  test.each<[string, number, object, number]>([
    ["a wrong key", 401, { message: "Incorrect API key", type: "invalid_request_error", code: "invalid_api_key" }, 401],
    ["no credit", 429, { message: "You exceeded your current quota", code: "insufficient_quota", type: "x" }, 402],
    ["its own limit", 429, { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" }, 429],
  ])("used alone says that it is the caller's own: %s", async (_, status, error, expected) => {
    const { relay, upstream } = start({
      own: refuse(status, error),
      keys: [{ mode: "only" }],
      options: { AutomaticDisableChannelEnabled: "true", "global.hide_upstream_error_enabled": "true" },
    });
    const response = await relay.post(CHAT, ASK);
    expect(response.status).toBe(expected);
    const { message } = await errorOf(response);
    expect(message).toContain("your own key “mine 1”");
    expect(message).toContain((error as { message: string }).message);
    expect([upstream.received.length, relay.billing.openHolds]).toEqual([0, 0]);
    expect([relay.disabled, relay.withoutCredit]).toEqual([[], []]);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, failed: true, channelId: 0 });
  });

  test("that a provider's fault hits rests as any key does, and nobody is notified", async () => {
    const { relay, provider, upstream, reports } = start({
      own: refuse(500, { message: "out of order", type: "server_error" }),
      options: { RetryTimes: "0", AutomaticDisableChannelEnabled: "true", AutomaticDisableOnFaults: "true" },
    });
    for (let call = 0; call < 8; call += 1) expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect(upstream.received).toHaveLength(8);
    expect(provider.received.length).toBeLessThan(8);
    expect([relay.disabled, reports]).toEqual([[], []]);
    expect(await relay.metrics.metrics()).not.toContain('channel="1000000001"');
  });

  test("that comes with its call leaves nothing behind when it fails", async () => {
    const { relay, provider } = start({ own: refuse(500) });
    const headers = { "x-provider-key": "openai sk-sent-with-it" };
    for (let call = 0; call < 8; call += 1) expect((await relay.post(CHAT, ASK, { headers })).status).toBe(500);
    expect(provider.received).toHaveLength(8);
  });

  test("stays with a conversation, of several", async () => {
    const keys = [{ key: "sk-first-of-all" }, { key: "sk-second-key" }, { key: "sk-third-of-them" }];
    const { relay, provider } = start({ keys, random: Math.random });
    const long = "The same long beginning of a conversation. ".repeat(200);
    const messages = [
      { role: "system", content: long },
      { role: "user", content: "Hi" },
    ];
    for (let call = 0; call < 12; call += 1) await relay.post(CHAT, { ...ASK, messages });
    expect(new Set(provider.received.map(keyOf)).size).toBe(1);
  });

  test("is not counted in the limits of the site's channels", async () => {
    const rule = { name: "few", per: ["channel"], seconds: 3600, requests: 1 };
    const { relay, upstream } = start({ options: { LimitRules: JSON.stringify([rule]) } });
    for (let call = 0; call < 4; call += 1) expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect(upstream.received).toHaveLength(0);
  });

  const ROUTE = { candidates: [{ model: "gpt-4o" }, { model: "gpt-4o-mini" }], strategy: "priority" };
  const onRoute = (route: object, keys: Setup["keys"] = [{}], setup: Setup = {}) =>
    start({
      ...setup,
      keys,
      options: { ModelRoutes: JSON.stringify({ smart: { ...ROUTE, ...route } }), ...setup.options },
    });
  const SMART = { ...ASK, model: "smart" };

  test("serves models of a route", async () => {
    const { relay, provider, upstream } = onRoute({});
    expect((await relay.post(CHAT, SMART)).status).toBe(200);
    expect([provider.received.length, upstream.received.length]).toEqual([1, 0]);
    expect((await relay.billing.nextRecord()).other.own_key).toMatchObject({ id: 1 });
  });

  test("has no part where a route asks for channels with a tag", async () => {
    const tagged = { candidates: [{ model: "gpt-4o", channel_tags: ["eu"] }] };
    const { relay, provider, upstream } = onRoute(tagged, [{}], { channels: [] });
    expect((await relay.post(CHAT, SMART)).status).toBe(503);
    expect([provider.received.length, upstream.received.length]).toEqual([0, 0]);
  });

  test("used alone has no model of a route that it does not serve", async () => {
    const { relay, provider, upstream } = onRoute({}, [{ models: ["gpt-4o"], mode: "only" }], { own: refuse(500) });
    expect((await relay.post(CHAT, SMART)).status).toBe(500);
    expect([provider.received.length, upstream.received.length]).toEqual([1, 0]);
    const first = onRoute({}, [{ models: ["gpt-4o"] }], { own: refuse(500) });
    expect((await first.relay.post(CHAT, SMART)).status).toBe(200);
    expect(first.upstream.received).toHaveLength(1);
  });
});
