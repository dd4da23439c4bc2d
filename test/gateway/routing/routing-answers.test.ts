import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { seededRandom } from "../../support/lib/random-json.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start(
  setup: Partial<Parameters<typeof startRelay>[0]> = {},
  answer = () => Response.json(chatReply()),
  models = ["gpt-4o"],
) {
  const upstream = startUpstream(answer);
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, models }], ...setup });
  stops.push(relay.stop, upstream.stop);
  return { upstream, relay };
}

const MESSAGES = [{ role: "user", content: "Hi" }];

describe("a model that nobody serves", () => {
  const ASKS = [
    ["/v1/chat/completions", { messages: MESSAGES }, { error: { code: "model_not_found", param: "model" } }],
    ["/v1/responses", { input: "Hi" }, { error: { code: "model_not_found", param: "model" } }],
    ["/v1/embeddings", { input: "Hi" }, { error: { code: "model_not_found", param: "model" } }],
    ["/v1/messages", { max_tokens: 9, messages: MESSAGES }, { type: "error", error: { type: "not_found_error" } }],
    [
      "/v1beta/models/nope:generateContent",
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
      { error: { code: 404, status: "NOT_FOUND" } },
    ],
  ] as const;

  test.each(ASKS)("%s answers 404 in its shape and leaves a row of type error", async (path, body, expected) => {
    const { relay, upstream } = start();
    const answer = await relay.post(path, { model: "nope", ...body });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ ...expected, error: expect.objectContaining(expected.error) }),
    ]);
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true, quota: 0, modelName: "nope" });
    expect(upstream.received).toEqual([]);
  });

  test.each([2, 3])("answers 503 while its only channel has status %d, and leaves a row", async (status) => {
    const { relay } = start({ channels: [{ models: ["gpt-4o"], status }, { models: ["other"] }] });
    const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES });
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: expect.objectContaining({ code: "model_not_available" }) },
    ]);
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true, quota: 0 });
  });

  test("a channel of another group does not make it 503", async () => {
    const { relay } = start({ channels: [{ models: ["gpt-4o"], groups: ["vip"] }] });
    const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES });
    expect(answer.status).toBe(404);
  });
});

describe("an unknown path", () => {
  test.each([
    ["GET", "/v2/chat"],
    ["POST", "/v2/chat"],
    ["POST", "/v2"],
    ["PUT", "/v1/nothing"],
    ["POST", "/v1"],
    ["POST", "/hf/v2/chat"],
    ["GET", "/pg/nothing"],
    ["GET", "/dashboard/billing/nothing"],
    ["GET", "/api/usage/token/nothing"],
    ["GET", "/v1/chat"],
  ])("%s %s answers in OpenAI's shape", async (method, path) => {
    const { relay } = start();
    const answer = await fetch(relay.url + path, { method });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        error: {
          message: expect.stringContaining(`Invalid URL (${method} ${path})`),
          type: "invalid_request_error",
          param: "",
          code: "unknown_url",
        },
      },
    ]);
  });

  test.each([
    ["GET", "/v1beta/nothing"],
    ["POST", "/v1beta"],
    ["POST", "/v1beta/models"],
    ["DELETE", "/v1beta/models/m"],
    ["POST", "/v1alpha/models/m:generateContent"],
  ])("%s %s answers in Google's shape", async (method, path) => {
    const { relay } = start();
    const answer = await fetch(relay.url + path, { method });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 404, status: "NOT_FOUND" } }]);
  });

  test("answers Anthropic's clients in their shape", async () => {
    const { relay } = start();
    const answer = await fetch(`${relay.url}/v1/messages/nothing`, {
      method: "POST",
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { type: "error", error: { type: "not_found_error" } },
    ]);
  });

  test.each(["/suno", "/suno/nothing", "/suno/submit/a/b"])(
    "%s answers in the music protocol's shape, by any method",
    async (path) => {
      const { relay } = start();
      for (const method of ["GET", "PUT"]) {
        const answer = await fetch(relay.url + path, { method });
        expect([answer.status, await answer.json()]).toMatchObject([404, { code: "unknown_url", data: null }]);
      }
    },
  );

  test.each(["/mj", "/mj/nothing", "/fast/mj/nothing", "/mj-fast/mj/nothing"])(
    "%s answers in the drawing protocol's shape, by any method",
    async (path) => {
      const { relay } = start();
      for (const method of ["GET", "DELETE"]) {
        const answer = await fetch(relay.url + path, { method });
        expect([answer.status, await answer.json()]).toMatchObject([
          400,
          { code: 4, description: expect.stringContaining("Invalid URL") },
        ]);
      }
    },
  );
});

describe("what upstreams and clients see", () => {
  test.each([
    [{}, /^Sluice\/\S+$/],
    [{ user_agent: "MyCompany/2.0 (gateway)" }, /^MyCompany\/2\.0 \(gateway\)$/],
    [{ user_agent: "evil\r\nx-injected: 1" }, /^Sluice\/\S+$/],
    [{ user_agent: 7 }, /^Sluice\/\S+$/],
  ])("the upstream of a channel with the setting %j sees its User-Agent", async (setting, seen) => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const relay = startRelay({ channels: [{ baseUrl: upstream.url, setting }] });
    stops.push(relay.stop, upstream.stop);
    await relay.post(
      "/v1/chat/completions",
      { model: "gpt-4o", messages: MESSAGES },
      { headers: { "user-agent": "client/1" } },
    );
    expect(upstream.received[0]?.headers.get("user-agent")).toMatch(seen);
    expect(upstream.received[0]?.headers.get("x-injected")).toBeNull();
  });

  test.each([
    [
      "numbers",
      {
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        model: "m",
        usage: { prompt_tokens: 1, total_tokens: 1 },
      },
      {},
    ],
    [
      "numbers as base64",
      {
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        model: "m",
        usage: { prompt_tokens: 1, total_tokens: 1 },
      },
      { encoding_format: "base64" },
    ],
  ])("embeddings have an id: %s", async (_, body, ask) => {
    const options = { ModelRatio: '{"m":1}' };
    const { relay } = start({ options }, () => Response.json(body), ["m"]);
    const answer = (await (
      await relay.post("/v1/embeddings", { model: "m", input: "Hi", ...ask })
    ).json()) as typeof body;
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^embd-/),
      object: "list",
      model: "m",
      usage: body.usage,
    });
  });

  test("an embedding's own id stays", async () => {
    const body = {
      id: "own",
      object: "list",
      data: [{ index: 0, embedding: [0.5] }],
      model: "m",
      usage: { prompt_tokens: 1 },
    };
    const upstream = startUpstream(() => Response.json(body));
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["m"] }],
      options: { ModelRatio: '{"m":1}' },
    });
    stops.push(relay.stop, upstream.stop);
    expect(await (await relay.post("/v1/embeddings", { model: "m", input: "Hi" })).json()).toEqual(body);
  });
});

describe("weights", () => {
  const CALLS = 2_000;
  /** The 99.9th percentile of chi-square with one degree of freedom. */
  const CRITICAL = 10.83;

  function startTwo(setup: Partial<Parameters<typeof startRelay>[0]> = {}) {
    const [light, heavy] = [
      startUpstream(() => Response.json(chatReply())),
      startUpstream(() => Response.json(chatReply())),
    ];
    const relay = startRelay({
      channels: [
        { baseUrl: light.url, weight: 1 },
        { baseUrl: heavy.url, weight: 3 },
      ],
      random: seededRandom(20_261_122),
      ...setup,
    });
    stops.push(relay.stop, light.stop, heavy.stop);
    return { light, heavy, relay };
  }

  test("a weight of 0 gets no call, not even when the others fail, unless all weights are 0", async () => {
    const [none, failing] = [
      startUpstream(() => Response.json(chatReply())),
      startUpstream(() => new Response("", { status: 500 })),
    ];
    const ask = async (weight: number) => {
      const channels = [
        { baseUrl: none.url, weight: 0 },
        { baseUrl: failing.url, weight },
      ];
      const relay = startRelay({ channels, options: { RetryTimes: "3" }, random: seededRandom(7) });
      stops.push(relay.stop);
      const statuses = new Set<number>();
      for (let at = 0; at < 20; at += 1) {
        statuses.add((await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES })).status);
      }
      return [[...statuses], none.received.length];
    };
    stops.push(none.stop, failing.stop);
    expect(await ask(1)).toEqual([[500], 0]);
    expect(await ask(0)).toEqual([[200], 20]);
  });

  test("2,000 equal short calls spread by weight", async () => {
    const { light, heavy, relay } = startTwo();
    for (let at = 0; at < CALLS; at += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES, user: "app" });
          await answer.text();
        }),
      );
    }
    const expected = [CALLS * 0.25, CALLS * 0.75];
    const seen = [light.received.length, heavy.received.length];
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(CALLS);
    const chiSquare = seen.reduce(
      (sum, count, at) => sum + (count - (expected[at] ?? 0)) ** 2 / (expected[at] ?? 1),
      0,
    );
    expect(chiSquare).toBeLessThan(CRITICAL);
  }, 120_000);

  test.each([
    ["a long prompt", { messages: [{ role: "user", content: "word ".repeat(1_000) }] }],
    [
      "a turn of the assistant",
      { messages: [...MESSAGES, { role: "assistant", content: "Hello" }, { role: "user", content: "More" }] },
    ],
    ["a prompt_cache_key", { messages: MESSAGES, prompt_cache_key: "k" }],
  ])("%s stays with one channel", async (_, body) => {
    const { light, heavy, relay } = startTwo();
    for (let at = 0; at < 12; at += 1)
      await (await relay.post("/v1/chat/completions", { model: "gpt-4o", ...body })).text();
    expect([light.received.length, heavy.received.length].sort()).toEqual([0, 12]);
  });

  test("a conversation leaves a channel that failed", async () => {
    let fails = false;
    let draw = 0;
    const refusal = () => Response.json({ error: { message: "no" } }, { status: 403 });
    const first = startUpstream(() => (fails ? refusal() : Response.json(chatReply())));
    const second = startUpstream(() => Response.json(chatReply()));
    const relay = startRelay({
      channels: [{ baseUrl: first.url }, { baseUrl: second.url }],
      options: { RetryTimes: "0" },
      random: () => draw,
    });
    stops.push(relay.stop, first.stop, second.stop);
    const ask = () =>
      relay.post("/v1/chat/completions", { model: "gpt-4o", messages: MESSAGES, prompt_cache_key: "k" });
    const received = () => [first.received.length, second.received.length];
    await ask();
    draw = 0.99;
    await ask();
    expect(received()).toEqual([2, 0]);
    fails = true;
    expect((await ask()).status).toBe(403);
    expect((await ask()).status).toBe(200);
    expect(received()).toEqual([3, 1]);
  });
});
