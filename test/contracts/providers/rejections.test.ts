/** What services that speak OpenAI's format answer in words of their own when they refuse, and what follows from it. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { compatibleTypes } from "./fakes/compatible.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const WORDS = "it will not do";
/** An answer in OpenAI's shape. */
const error = (members: object) => ({ error: { message: WORDS, ...members } });
const base = (status_code: number) => ({ base_resp: { status_code, status_msg: WORDS } });
const html = "<html><head><title>401 Authorization Required</title></head></html>";
const UNSHAPED = "bad_response_status_code";

type Row = readonly [
  type: number,
  what: string,
  answered: readonly [status: number, body: object | string],
  /** What the client receives; the message is that of the service unless it is given. */
  expected: Readonly<{ status?: number; code: string | number | null; type?: string; message?: string }>,
  /** What the gateway does: another channel is tried, the channel goes off. */
  does: "nothing" | "retries" | "retries, disables",
];

/** What clients read of an account without credit. */
const NO_CREDIT = { status: 503, code: "model_not_available", type: "upstream_error" } as const;
const UNAVAILABLE = "This model is temporarily unavailable. Try again later.";

const rows: readonly Row[] = [
  [1, "no such model", [404, error({ code: "model_not_found" })], { code: "model_not_found" }, "retries"],
  [1, "a bad key", [401, error({ code: "invalid_api_key" })], { code: "invalid_api_key" }, "retries, disables"],
  [
    1,
    "no money",
    [429, error({ type: "insufficient_quota", code: "insufficient_quota" })],
    NO_CREDIT,
    "retries, disables",
  ],
  [
    3,
    "a filter",
    [400, error({ code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } })],
    { code: "content_filter" },
    "nothing",
  ],
  [3, "no deployment", [404, error({ code: "DeploymentNotFound" })], { code: "DeploymentNotFound" }, "retries"],
  [
    3,
    "a bad key, before anything else",
    [401, { statusCode: 401, message: WORDS }],
    { code: UNSHAPED },
    "retries, disables",
  ],
  [8, "a page", [502, html], { code: UNSHAPED, message: "bad response status code 502" }, "retries"],
  [19, "a bad key", [401, error({ code: "1002", type: "auth" })], { code: "1002", type: "auth" }, "retries, disables"],
  [20, "no credits", [402, error({ code: 402 })], NO_CREDIT, "retries, disables"],
  [
    20,
    "a provider that refuses",
    [502, error({ code: 502, metadata: { provider_name: "Somebody", raw: "it is full" } })],
    { code: 502, message: `${WORDS}: it is full` },
    "retries",
  ],
  [20, "a provider that refuses, inside a 200", [200, error({ code: 503 })], { status: 503, code: 503 }, "retries"],
  [
    22,
    "a bad key",
    [403, { code: 514, statusText: "unAuthApiKey", message: WORDS, data: null }],
    { code: UNSHAPED },
    "retries",
  ],
  [
    25,
    "no money",
    [429, error({ type: "exceeded_current_quota_error", message: "You exceeded your current quota" })],
    { ...NO_CREDIT, message: "You exceeded your current quota" },
    "retries, disables",
  ],
  [25, "a filter", [400, error({ type: "content_filter" })], { code: null, type: "content_filter" }, "nothing"],
  [
    25,
    "too many calls",
    [429, error({ type: "rate_limit_reached_error" })],
    { code: null, type: "rate_limit_reached_error" },
    "retries",
  ],
  [26, "a bad key", [401, error({ code: "1000" })], { code: "1000" }, "retries, disables"],
  [26, "no money", [429, error({ code: "1113" })], NO_CREDIT, "retries, disables"],
  [26, "a filter", [400, error({ code: "1301" })], { code: "1301" }, "nothing"],
  [35, "no money, inside a 200", [200, base(1008)], NO_CREDIT, "retries, disables"],
  [35, "a bad key, inside a 200", [200, base(1004)], { status: 401, code: "1004" }, "retries, disables"],
  [35, "too many calls, inside a 200", [200, base(1002)], { status: 429, code: "1002" }, "retries"],
  [35, "a filter, inside a 200", [200, base(1026)], { status: 400, code: "1026" }, "nothing"],
  [35, "a fault, inside a 200", [200, base(1013)], { status: 502, code: "1013" }, "retries"],
  [
    39,
    "a used-up day",
    [429, { success: false, errors: [{ code: 3036, message: WORDS }] }],
    { code: UNSHAPED },
    "retries",
  ],
  [
    39,
    "a bad key",
    [401, { success: false, errors: [{ code: 10000, message: WORDS }] }],
    { code: UNSHAPED },
    "retries, disables",
  ],
  [40, "no money", [403, { code: 30001, message: WORDS, data: null }], NO_CREDIT, "retries, disables"],
  [40, "a bad key, in plain words", [401, WORDS], { code: UNSHAPED }, "retries, disables"],
  [40, "an overload", [503, { code: 50505, message: WORDS, data: null }], { code: UNSHAPED }, "retries"],
  [42, "a bad key", [401, { message: WORDS, request_id: "1" }], { code: UNSHAPED }, "retries, disables"],
  [
    42,
    "a wrong role",
    [400, { object: "error", message: WORDS, type: "invalid_request_message_order", param: null, code: "3230" }],
    { code: "3230", type: "invalid_request_message_order" },
    "nothing",
  ],
  [42, "too many calls", [429, { message: WORDS }], { code: UNSHAPED }, "retries"],
  [
    43,
    "no money",
    [402, error({ type: "unknown_error", code: "invalid_request_error" })],
    NO_CREDIT,
    "retries, disables",
  ],
  [43, "a wrong field, in plain words", [422, `Failed to read the request: ${WORDS}`], { code: UNSHAPED }, "retries"],
  [45, "a debt", [403, error({ code: "AccountOverdueError" })], NO_CREDIT, "retries, disables"],
  [45, "an overload", [429, error({ code: "ServerOverloaded" })], { code: "ServerOverloaded" }, "retries"],
  [45, "a filter", [400, error({ code: "SensitiveContentDetected" })], { code: "SensitiveContentDetected" }, "nothing"],
  [
    46,
    "a bad key",
    [401, { ...error({ code: "invalid_iam_token" }), id: "as-1" }],
    { code: "invalid_iam_token" },
    "retries, disables",
  ],
  [
    46,
    "an overload",
    [529, { ...error({ code: "server_high_load" }), id: "as-1" }],
    { status: 503, code: "server_high_load" },
    "retries",
  ],
  [47, "no such model", [400, { detail: WORDS }], { code: UNSHAPED }, "nothing"],
  [
    48,
    "a bad key, as a wrong argument",
    [400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***" }],
    { status: 401, code: "invalid_api_key", message: "Incorrect API key provided: xa***" },
    "retries, disables",
  ],
  [48, "no credits", [403, { code: "The caller may not", error: WORDS }], { code: UNSHAPED }, "retries"],
  [
    1000,
    "too many tokens",
    [413, error({ type: "tokens", code: "rate_limit_exceeded" })],
    { code: "rate_limit_exceeded", type: "tokens" },
    "retries",
  ],
  [
    1001,
    "an overload",
    [503, { id: "1", ...error({ type: "server_error", code: null }) }],
    { code: null, type: "server_error" },
    "retries",
  ],
  [
    1002,
    "a bad key",
    [401, error({ object: "error", code: "UNAUTHORIZED" })],
    { code: "UNAUTHORIZED" },
    "retries, disables",
  ],
  [
    1003,
    "a bad key, with a page",
    [401, html],
    { code: UNSHAPED, message: "bad response status code 401" },
    "retries, disables",
  ],
  [1004, "no such model", [404, { status: 404, title: "Not Found", detail: WORDS }], { code: UNSHAPED }, "retries"],
  [1005, "no credits", [402, { error: WORDS }], NO_CREDIT, "retries, disables"],
  [
    1006,
    "no such model",
    [404, { object: "error", message: WORDS, type: "NotFoundError", param: null, code: 404 }],
    { code: 404, type: "NotFoundError" },
    "retries",
  ],
];

const messages = [{ role: "user", content: "Hello" }];

test.each(rows)("%i: %s", async (type, _what, [status, body], expected, does) => {
  const fake = compatibleTypes.find((one) => one.type === type);
  if (!fake) throw new Error("no such type");
  const { model, key, other = "", base: path = "" } = fake;
  const answer = () => (typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status }));
  const refusing = startUpstream(answer);
  const good = startUpstream(() => Response.json(chatReply()));
  const first = { type, baseUrl: refusing.url + path, keys: [key], other, models: [model], priority: 1 };
  const start = (RetryTimes: string) => {
    const relay = startRelay({
      channels: [first, { baseUrl: good.url, models: [model] }],
      options: { RetryTimes, AutomaticDisableChannelEnabled: "true", ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    stops.push(relay.stop);
    return relay;
  };
  stops.push(refusing.stop, good.stop);

  const alone = start("0");
  const refused = await alone.post("/v1/chat/completions", { model, messages });
  const meant = expected.status ?? status;
  const message = expected.message ?? (typeof body === "string" ? body : WORDS);
  const refusedBody = (await refused.json()) as { error: Record<string, unknown> };
  expect([refused.status, String(refusedBody.error.code)]).toEqual([meant, String(expected.code)]);
  if (expected.type) expect(refusedBody.error.type).toBe(expected.type);
  // The client only sees that it hit a limit; the service's message is in the operator's log.
  const shown = expected.code === NO_CREDIT.code ? UNAVAILABLE : message;
  if (meant !== 429) expect(refusedBody.error.message).toStartWith(`${shown} (request id: `);
  const { quota, other: log } = await alone.billing.nextRecord();
  expect([quota, log.admin_info?.attempts.map((attempt) => attempt.error)]).toEqual([0, [message]]);
  expect(alone.disabled.map(({ channelId }) => channelId)).toEqual(does.includes("disables") ? [1] : []);

  const both = start("1");
  const answered = await both.post("/v1/chat/completions", { model, messages });
  expect([answered.status, good.received.length]).toEqual(does === "nothing" ? [meant, 0] : [200, 1]);
  expect((await both.billing.nextRecord()).quota > 0).toBe(does !== "nothing");
});

test("24: a bad key, which Google calls a wrong argument, goes off, and another channel answers", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  const errorBody = { error: { code: 400, message: WORDS, status: "INVALID_ARGUMENT", details } };
  const google = startUpstream(() => Response.json(errorBody, { status: 400 }));
  const good = startUpstream(() => Response.json(chatReply()));
  const models = ["gemini-2.5-flash", "gpt-4o"];
  const relay = startRelay({
    channels: [
      { type: 24, baseUrl: google.url, models, priority: 1 },
      { baseUrl: good.url, models },
    ],
    options: { RetryTimes: "1", AutomaticDisableChannelEnabled: "true" },
  });
  stops.push(google.stop, good.stop, relay.stop);
  expect((await relay.post("/v1/chat/completions", { model: "gemini-2.5-flash", messages })).status).toBe(200);
  expect(relay.disabled).toEqual([{ channelId: 1, key: null, reason: `401: ${WORDS}` }]);
});

test("every service with a table is among them, but one that refuses as OpenAI does", () => {
  const missing = compatibleTypes.map(({ type }) => type).filter((type) => !rows.some(([other]) => other === type));
  expect(missing).toEqual([31]);
});
