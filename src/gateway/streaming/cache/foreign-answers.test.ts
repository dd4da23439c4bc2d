import { afterEach, describe, expect, test } from "bun:test";
import { policyRules } from "../../../../test/support/gateway/entries.ts";
import { ASK, CHAT, startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { compilePolicy } from "../../../domain/accounts/organizations/policies/policy.ts";
import { readOwnHeaders } from "../../../domain/channels/routing/overrides/own-headers.ts";
import { readOverrideRules } from "../../../domain/channels/routing/overrides/read-overrides.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startRelay>[0];
type Relay = ReturnType<typeof startRelay>;

const text = (content: string, finish_reason = "stop") =>
  chatReply({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }] });

const start = (
  setup: Partial<Setup> = {},
  answer: Parameters<typeof startUpstream>[0] = () => Response.json(text("Hello")),
) => {
  const upstream = startUpstream(answer);
  const options = { ResponseCacheEnabled: "true", ...setup.options };
  const channels = (setup.channels ?? [{}]).map((channel) => ({ baseUrl: upstream.url, ...channel }));
  const relay = startRelay({ ...setup, channels, options });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};

const stateOf = async (relay: Relay, body: unknown = ASK, headers: Record<string, string> = {}, path = CHAT) => {
  const response = await relay.post(path, body, { headers });
  await response.text();
  return response.headers.get("x-sluice-cache");
};
const as = (key: string) => ({ authorization: `Bearer sk-${key}` });

describe("an answer is given again to nobody but", () => {
  test("the account that got it", async () => {
    const tokens = { mine: { id: 1, userId: 1 }, other: { id: 2, userId: 2 } };
    const { relay } = start({ tokens, users: [{ id: 2, username: "bob" }] });
    expect(await stateOf(relay, ASK, as("mine"))).toBe("miss");
    expect(await stateOf(relay, ASK, as("other"))).toBe("miss");
    expect(await stateOf(relay, ASK, as("mine"))).toBe("hit");
  });

  test("callers in its group, and keys that are as strict", async () => {
    const tokens = { plain: { id: 1 }, vip: { id: 2, group: "vip" }, strict: { id: 3, strict: true } };
    const channels = [{ groups: ["default", "vip"] }];
    const { relay } = start({ tokens, channels, options: { UserUsableGroups: '{"default":"","vip":""}' } });
    for (const key of ["plain", "vip", "strict"]) expect(await stateOf(relay, ASK, as(key))).toBe("miss");
    for (const key of ["plain", "vip", "strict"]) expect(await stateOf(relay, ASK, as(key))).toBe("hit");
  });

  test("projects whose policies allow the same providers and regions", async () => {
    const tokens = { free: { id: 1, projectId: 1 }, bound: { id: 2, projectId: 2 }, also: { id: 3, projectId: 3 } };
    const european = compilePolicy({ name: "EU", rules: policyRules({ regions: ["eu-*"] }) });
    const renamed = compilePolicy({ name: "Europe", rules: policyRules({ regions: ["eu-*"], max_key_days: 0 }) });
    const setOf = (projectId: number) => ({ 2: [european], 3: [renamed] })[projectId];
    const { relay, upstream } = start({
      tokens,
      user: { kind: "organization" },
      channels: [{ setting: { region: "us-east" }, priority: 9 }, { setting: { region: "eu-west" } }],
      policies: { of: ({ projectId }) => setOf(projectId) },
    });
    expect(await stateOf(relay, ASK, as("free"))).toBe("miss");
    expect(await stateOf(relay, ASK, as("bound"))).toBe("miss");
    expect(await stateOf(relay, ASK, as("also"))).toBe("hit");
    expect(upstream.received).toHaveLength(2);
  });

  test("calls by the same name, of a model or a route, also where the path has it", async () => {
    const route = { candidates: [{ model: "gpt-4o" }] };
    const { relay } = start({
      channels: [{ type: 43, models: ["gpt-4o"] }],
      options: {
        ModelRoutes: JSON.stringify({ best: route }),
        ResponseCacheRules: '{"gpt-4o": {}, "best": {"ttl_seconds": 5}}',
      },
    });
    const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    const ask = (name: string) => stateOf(relay, body, {}, `/v1beta/models/${name}:generateContent`);
    expect(await ask("gpt-4o")).toBe("miss");
    expect(await ask("best")).toBe("miss");
    expect(await ask("best")).toBe("hit");
  });

  test("calls of a route that the same channels may serve", async () => {
    const route = {
      candidates: [
        { model: "gpt-4o", channel_tags: ["eu"], tags: ["eu"] },
        { model: "gpt-4o", channel_tags: ["us"] },
      ],
    };
    const { relay } = start({
      channels: [{ tag: "us" }, { tag: "eu" }],
      options: { ModelRoutes: JSON.stringify({ best: route }) },
    });
    const ask = (tags: string) => stateOf(relay, { ...ASK, model: "best" }, { "x-sluice-tags": tags });
    expect(await ask("us")).toBe("miss");
    expect(await ask("eu")).toBe("miss");
    expect(await ask("eu")).toBe("hit");
  });

  test("calls with the same headers where a channel passes them on, and none where its rules read them", async () => {
    const passing = start({ channels: [{ ownHeaders: readOwnHeaders({ "x-persona": "{client_header:X-Persona}" }) }] });
    expect(await stateOf(passing.relay, ASK, { "x-persona": "a" })).toBe("miss");
    expect(await stateOf(passing.relay, ASK, { "x-persona": "b" })).toBe("miss");
    expect(await stateOf(passing.relay, ASK, { "x-persona": "b", "x-other": "c" })).toBe("hit");
    const condition = { path: "request_headers.x-persona", mode: "full", value: "a" };
    const { rules } = readOverrideRules({
      operations: [{ path: "temperature", mode: "set", value: 0, conditions: [condition] }],
    });
    const reading = start({ channels: [{ overrideRules: rules }] });
    expect(await stateOf(reading.relay)).toBe("bypass");
  });
});

describe("not kept is", () => {
  const filtered = chunk({ content: "Ha" }) + chunk({}, {}, "content_filter") + usageChunk() + DONE;
  const calls = chunk({
    tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  });
  const cases: [string, () => Response, object][] = [
    ["what the provider's filter cut", () => Response.json(text("Ha", "content_filter")), {}],
    ["a stream that it cut", () => sse(filtered), { stream: true }],
    [
      "a refusal",
      () =>
        Response.json(
          chatReply({
            choices: [
              { index: 0, message: { role: "assistant", content: null, refusal: "No" }, finish_reason: "stop" },
            ],
          }),
        ),
      {},
    ],
    ["an answer without content", () => Response.json(text("")), {}],
    [
      "a tool call without tools",
      () => sse(calls + chunk({}, {}, "tool_calls") + usageChunk() + DONE),
      { stream: true },
    ],
  ];
  test.each(cases)("%s", async (_, answer, fields) => {
    const { relay, upstream } = start({}, answer);
    for (const _ of [1, 2]) expect(await stateOf(relay, { ...ASK, ...fields })).toBe("miss");
    expect(upstream.received).toHaveLength(2);
  });

  test("what the filter cut of a completion", async () => {
    const reply = {
      ...chatReply(),
      object: "text_completion",
      choices: [{ index: 0, text: "Ha", finish_reason: "content_filter" }],
    };
    const { relay } = start({}, () => Response.json(reply));
    for (const _ of [1, 2])
      expect(await stateOf(relay, { model: "gpt-4o", prompt: "Hi" }, {}, "/v1/completions")).toBe("miss");
  });

  test("cut by a limit of the request: that is its answer", async () => {
    const { relay } = start({}, () => Response.json(text("Ha", "length")));
    expect(await stateOf(relay)).toBe("miss");
    expect(await stateOf(relay)).toBe("hit");
  });
});

test.each([
  ["functions", { functions: [{ name: "f", parameters: {} }] }],
  ["a search of the provider's", { search_parameters: { mode: "on" } }],
  ["a search by a switch", { enable_search: true }],
])("takes no part in requests with %s", async (_, fields) => {
  const { relay } = start();
  expect(await stateOf(relay, { ...ASK, ...fields })).toBe("bypass");
});

test("a stream of completions with its usage is another one than without", async () => {
  const event = (choice: object) =>
    `data: ${JSON.stringify({ id: "c", object: "text_completion", model: "gpt-4o", choices: [choice] })}\n\n`;
  const { relay } = start({}, () => sse(event({ index: 0, text: "Ha", finish_reason: "stop" }) + usageChunk() + DONE));
  const ask = { model: "gpt-4o", prompt: "Hi", stream: true };
  const withUsage = { ...ask, stream_options: { include_usage: true } };
  const states = [];
  for (const body of [ask, withUsage, ask, withUsage]) states.push(await stateOf(relay, body, {}, "/v1/completions"));
  expect(states).toEqual(["miss", "miss", "hit", "hit"]);
});

test("choices and their probabilities are the same in a stream", async () => {
  const logprobs = { content: [{ token: "A", logprob: -0.5, bytes: [65], top_logprobs: [] }], refusal: null };
  const choices = [0, 1].map((index) => ({
    index,
    message: { role: "assistant", content: "A" },
    logprobs,
    finish_reason: "stop",
  }));
  const { relay, upstream } = start({}, () => Response.json(chatReply({ choices })));
  const ask = { ...ASK, n: 2, logprobs: true };
  await (await relay.post(CHAT, ask)).text();
  const stream = await relay.post(CHAT, { ...ask, stream: true });
  expect(stream.headers.get("x-sluice-cache")).toBe("hit");
  const events = await stream.text();
  expect([events.split('"logprob":-0.5').length, events.split('"content":"A"').length]).toEqual([3, 3]);
  expect(upstream.received).toHaveLength(1);
});

describe("of equal calls at once", () => {
  test("one takes over when the client of the first leaves", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    const { relay, upstream } = start({}, async () => {
      await gates[calls++]?.promise;
      return Response.json(text("Hello"));
    });
    const leaving = new AbortController();
    const first = relay.post(CHAT, ASK, { signal: leaving.signal }).catch(() => null);
    await until(() => upstream.received.length === 1);
    const others = Array.from({ length: 10 }, () => relay.post(CHAT, ASK));
    await Bun.sleep(300);
    leaving.abort();
    await first;
    await until(() => upstream.received.length === 2);
    await Bun.sleep(300);
    for (const { resolve } of gates) resolve();
    const states = await Promise.all(others.map(async (call) => (await call).headers.get("x-sluice-cache")));
    expect(states.toSorted()).toEqual([...Array(9).fill("hit"), "miss"]);
    expect(upstream.received).toHaveLength(2);
    await relay.billing.nextRecord(11);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("none waits for what is too long to be kept", async () => {
    const gate = Promise.withResolvers<void>();
    const long = chunk({ content: "x".repeat(3000) });
    const { relay, upstream } = start({ options: { ResponseCacheRules: '{"*": {"max_kilobytes": 1}}' } }, () =>
      sse(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(Buffer.from(long));
            await gate.promise;
            controller.enqueue(Buffer.from(chunk({}, {}, "stop") + usageChunk() + DONE));
            controller.close();
          },
        }),
      ),
    );
    const ask = { ...ASK, stream: true };
    const first = await relay.post(CHAT, ask);
    const reading = first.text();
    const second = relay.post(CHAT, ask);
    await until(() => upstream.received.length === 2);
    gate.resolve();
    await Promise.all([reading, (await second).text()]);
  });
});

test("what a hit waited for is not the gateway's own time", async () => {
  const gate = Promise.withResolvers<void>();
  const { relay, upstream } = start({}, async () => {
    await gate.promise;
    return Response.json(text("Hello"));
  });
  const first = relay.post(CHAT, ASK);
  await until(() => upstream.received.length === 1);
  const second = relay.post(CHAT, ASK);
  await Bun.sleep(400);
  gate.resolve();
  await first;
  expect(Number((await second).headers.get("x-sluice-overhead-ms"))).toBeLessThan(300);
});

test("a hit costs its part of what the call cost, with its service tier and the tools that ran", async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 500 };
  const { relay } = start(
    { options: { ResponseCacheHitPercent: "50", ModelRatio: '{"gpt-4o": 1}', CompletionRatio: '{"gpt-4o": 1}' } },
    () => Response.json({ ...text("Hello"), usage, service_tier: "priority" }),
  );
  const ask = { ...ASK, service_tier: "priority" };
  for (const _ of [1, 2]) await relay.post(CHAT, ask);
  await relay.billing.nextRecord(2);
  const [made, hit] = relay.billing.records;
  expect(made?.other.receipt?.serviceTier).toBe("priority");
  expect(made?.quota).toBeGreaterThan(1500);
  expect(hit?.quota).toBe(Math.round(Number(made?.quota) / 2));
  expect(hit?.other.receipt).toMatchObject({ serviceTier: "priority", cacheHitPercent: 50 });
  expect(hit?.other.response_cache?.saved).toBe(Number(made?.quota) - Number(hit?.quota));
});
