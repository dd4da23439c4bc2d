/** What switches a channel off: answers about the operator's account, and never what a caller wrote. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ON = { AutomaticDisableChannelEnabled: "true", RetryTimes: "0" };
const messages = [{ role: "user", content: "Hello" }];
type Options = NonNullable<Parameters<typeof startRelay>[0]["options"]>;

function start(answer: () => Response, { type = 1, options = ON as Options, keys = ["upstream-key"] } = {}) {
  const upstream = startUpstream(answer);
  const good = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [
      { type, baseUrl: upstream.url, models: ["m"], keys, priority: 1 },
      { baseUrl: good.url, models: ["m"] },
    ],
    options: { ModelRatio: '{"m":1}', ...options },
  });
  stops.push(relay.stop, upstream.stop, good.stop);
  const ask = (path = "/v1/chat/completions", body: object = { messages }) => relay.post(path, { model: "m", ...body });
  return { relay, upstream, good, ask };
}

const json = (status: number, body: object) => () => Response.json(body, { status });
const error = (members: object) => ({ error: members });

/** Provider, channel type, and its published or recorded answer to an account without credit. */
const NO_CREDIT: readonly (readonly [string, number, number, object])[] = [
  ["GLM", 26, 429, error({ code: "1113", message: "余额不足或无可用资源包,请充值。" })],
  [
    "Kimi",
    25,
    429,
    error({
      message: "Your account org-1 is suspended, please check your plan and billing details",
      type: "exceeded_current_quota_error",
    }),
  ],
  ["MiniMax", 35, 200, { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
  [
    "DeepSeek",
    43,
    402,
    error({ message: "Insufficient Balance", type: "unknown_error", param: null, code: "invalid_request_error" }),
  ],
  [
    "OpenRouter",
    20,
    402,
    error({ message: "Insufficient credits. Add more at https://openrouter.ai/credits", code: 402 }),
  ],
  [
    "xAI, a new team",
    48,
    403,
    {
      code: "The caller does not have permission to execute the specified operation",
      error: "Your newly created teams doesn't have any credits yet.",
    },
  ],
  [
    "xAI, all used",
    48,
    429,
    {
      code: "Some resource has been exhausted",
      error: "Your team t-1 has either used all available credits or reached its monthly spending limit.",
    },
  ],
  [
    "Ark",
    45,
    403,
    error({
      code: "AccountOverdueError",
      message: "The request failed because your account has an overdue balance.",
      type: "Forbidden",
      param: "",
    }),
  ],
  [
    "Qwen",
    17,
    400,
    error({
      code: "Arrearage",
      type: "Arrearage",
      message: "Access denied, please make sure your account is in good standing.",
      param: null,
    }),
  ],
  [
    "Qwen, its own shape",
    17,
    400,
    {
      code: "Arrearage",
      message: "Access denied, please make sure your account is in good standing.",
      request_id: "r",
    },
  ],
  ["SiliconFlow", 40, 403, { code: 30001, message: "Sorry, your account balance is insufficient", data: null }],
  ["Hugging Face", 1005, 402, { error: "You have exceeded your monthly included credits for Inference Providers." }],
  [
    "Anthropic",
    14,
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." },
    },
  ],
  [
    "OpenAI",
    1,
    429,
    error({
      message: "You exceeded your current quota",
      type: "insufficient_quota",
      param: null,
      code: "insufficient_quota",
    }),
  ],
  [
    "Kimi behind a compatible address",
    1,
    429,
    error({ message: "Your account is suspended", type: "exceeded_current_quota_error" }),
  ],
  ["Ark behind a compatible address", 8, 403, error({ code: "AccountOverdueError", message: "overdue" })],
];

describe("an account without credit", () => {
  test.each(NO_CREDIT)("%s", async (_name, type, status, body) => {
    const alone = start(json(status, body), { type });
    const refused = await alone.ask();
    const text = await refused.text();
    expect(refused.status).toBe(503);
    expect(text).toContain("temporarily unavailable");
    expect(text).not.toMatch(/credit|balance|billing|arrear|good standing|余额|suspended|quota/i);
    expect(alone.relay.disabled).toMatchObject([{ channelId: 1, key: null }]);
    // The operator's log has the words.
    const { other } = await alone.relay.billing.nextRecord();
    expect(other.admin_info?.attempts[0]?.error).not.toContain("temporarily");

    const both = start(json(status, body), { type, options: { ...ON, RetryTimes: "1" }, keys: ["one", "two"] });
    expect((await both.ask()).status).toBe(200);
    // One key of several goes off alone.
    expect(both.relay.disabled).toMatchObject([{ channelId: 1, key: "one" }]);
  });

  test("is set aside and noticed once an hour where it may not be switched off", async () => {
    const { relay, upstream, good, ask } = start(json(402, error({ message: "Insufficient Balance" })), {
      options: { RetryTimes: "1" },
    });
    for (let at = 0; at < 3; at += 1) expect((await ask()).status).toBe(200);
    expect([upstream.received.length, good.received.length]).toEqual([1, 3]);
    expect(relay.disabled).toEqual([]);
    expect(relay.withoutCredit).toEqual([{ channelId: 1, reason: "402: Insufficient Balance" }]);
  });

  test("goes off at once, whatever the threshold of failures", async () => {
    const { relay, ask } = start(json(402, error({ message: "x" })), {
      options: { ...ON, AutomaticDisableFailures: "5" },
    });
    await ask();
    expect(relay.disabled).toHaveLength(1);
  });
});

const PHRASE = "credit balance is too low";

/** What callers send, and how providers quote it. */
const QUOTES: readonly (readonly [string, number, object, object, string?])[] = [
  [
    "a value",
    400,
    { reasoning_effort: PHRASE, messages },
    error({
      message: `Invalid value: '${PHRASE}'. Supported values are: 'low' and 'high'.`,
      type: "invalid_request_error",
      param: "reasoning_effort",
      code: "invalid_value",
    }),
  ],
  [
    "a value, in a refusal",
    403,
    { user: PHRASE, messages },
    error({ message: `User ${PHRASE} is not known`, type: "forbidden_user" }),
  ],
  ["a value, in a fault", 500, { user: PHRASE, messages }, error({ message: `Could not parse ${PHRASE}` })],
  ["a member's name", 400, { [PHRASE]: 1, messages }, error({ message: `${PHRASE}: Extra inputs are not permitted` })],
  [
    "the words of a wrong key",
    400,
    { "Incorrect API key provided": 1, messages },
    error({ message: "Incorrect API key provided: Extra inputs are not permitted" }),
  ],
  [
    "text of a message",
    422,
    { messages: [{ role: "user", content: `The ${PHRASE}?` }] },
    { detail: [{ loc: ["body", "messages", 0], msg: `cannot read The ${PHRASE}?` }] },
  ],
  [
    "a tool's name",
    404,
    { messages, tools: [{ type: "function", function: { name: "permission_denied" } }] },
    error({ message: "No such tool: permission denied" }),
  ],
  [
    "a parameter, in the service's words",
    400,
    { messages },
    error({ message: "Operation not allowed", param: "logit_bias" }),
  ],
  [
    "an object of somebody else's",
    403,
    { messages },
    error({ message: "Permission denied: you have no access to the file f-1", type: "permission_error" }),
  ],
];

describe("a caller's words", () => {
  test.each(QUOTES)("do not switch a channel off: %s", async (_name, status, body, answer) => {
    const { relay, ask } = start(json(status, answer));
    await ask("/v1/chat/completions", body);
    expect(relay.disabled).toEqual([]);
  });

  test.each([
    ["/v1/messages", 14, { max_tokens: 9, messages, metadata: { user_id: PHRASE } }],
    ["/v1/responses", 1, { input: "Hello", user: PHRASE }],
    ["/v1/embeddings", 1, { input: PHRASE }],
  ])("in %s neither", async (path, type, body) => {
    const { relay, ask } = start(json(403, error({ message: `Not for ${PHRASE}`, type: "x" })), { type });
    expect((await ask(path, body)).status).toBe(403);
    expect(relay.disabled).toEqual([]);
  });

  test("the service's own words still do, also next to quotes of other words", async () => {
    const answer = error({ message: `Request "Hello" refused: your ${PHRASE}` });
    const { relay, ask } = start(json(403, answer));
    await ask();
    expect(relay.disabled).toHaveLength(1);
  });
});

describe("thresholds", () => {
  const N_OF_M = { ...ON, AutomaticDisableFailures: "3", AutomaticDisableCalls: "4" };

  test("a key goes off after so many failures of its last calls", async () => {
    let status = 401;
    const { relay, ask } = start(
      () => Response.json(status === 200 ? chatReply() : error({ message: "no" }), { status }),
      {
        options: N_OF_M,
      },
    );
    const outcomes = [401, 401, 200, 200, 401, 200, 401, 401];
    const counts: number[] = [];
    for (const next of outcomes) {
      status = next;
      await (await ask()).text();
      counts.push(relay.disabled.length);
    }
    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  test.each([
    ["false", 0],
    ["true", 1],
  ])("server errors count by option: %s", async (AutomaticDisableOnFaults, disabled) => {
    const { relay, ask } = start(json(500, error({ message: "oops" })), {
      options: { ...N_OF_M, AutomaticDisableOnFaults },
    });
    for (let at = 0; at < 3; at += 1) await ask();
    expect(relay.disabled).toHaveLength(disabled);
  });
});
