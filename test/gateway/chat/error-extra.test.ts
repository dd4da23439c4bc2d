/** What an upstream's error says besides its message reaches clients of the same format unchanged. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, status: number, body: object, options: Record<string, string> = {}) {
  const upstream = startUpstream(({ path }) =>
    type === 1000 && path.endsWith("/responses")
      ? new Response("404 page not found", { status: 404 })
      : Response.json(body, { status }),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"], keys: ["secret-key"] }],
    options: { ModelRatio: '{"m": 1}', RetryTimes: "0", ...options },
  });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

const details = { error_code: "model_is_retiring", on: "2027-01-01", models: ["m", "n"] };
const anthropicError = {
  type: "error",
  error: { type: "model_retired_error", message: "Gone.", details, hint: null },
  request_id: "req_1",
};
const googleDetails = [
  {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "NO_TIER",
    domain: "googleapis.com",
    metadata: { a: "b" },
  },
  { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "contents" }] },
];
const googleError = { error: { code: 400, message: "No.", status: "FAILED_PRECONDITION", details: googleDetails } };
const metadata = { provider_name: "Acme", reasons: ["a"], flagged_input: "…" };
const openaiError = { error: { message: "No.", type: "invalid_request_error", param: "p", code: "c", metadata } };

const anthropic = (url: string) =>
  new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 }).messages
    .create({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] })
    .catch((error) => error as InstanceType<typeof Anthropic.APIError>);
const google = (url: string) =>
  new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: url } }).models
    .generateContent({ model: "m", contents: "Hi" })
    .catch((error) => error as ApiError);
const openai = (url: string) => new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });

describe("clients of the upstream's format", () => {
  test("Anthropic's gets type and details", async () => {
    const relay = start(14, 404, anthropicError);
    const error = await anthropic(relay.url);
    expect(error).toMatchObject({ status: 404 });
    const { error: inner } = error as { error: object } as { error: { error: object } };
    expect(inner.error).toEqual(anthropicError.error);
  });

  test("Google's gets status and details", async () => {
    const error = await google(start(24, 400, googleError).url);
    expect(error).toBeInstanceOf(ApiError);
    const parsed = JSON.parse((error as ApiError).message);
    expect(parsed.error).toMatchObject({ code: 400, status: "FAILED_PRECONDITION", details: googleDetails });
  });

  test.each(["chat", "responses"] as const)("OpenAI's gets metadata: %s", async (kind) => {
    const client = openai(start(kind === "chat" ? 1000 : 1, 400, openaiError).url);
    const call =
      kind === "chat"
        ? client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi" }] })
        : client.responses.create({ model: "m", input: "Hi" });
    const error = await call.catch((caught) => caught as InstanceType<typeof OpenAI.APIError>);
    const reported = (error as InstanceType<typeof OpenAI.APIError>).error;
    expect(reported).toMatchObject({ type: "invalid_request_error", param: "p", code: "c", metadata });
  });

  test("an error event before the first word keeps them as well", async () => {
    const upstream = startUpstream(
      () =>
        new Response(`event: error\ndata: ${JSON.stringify(anthropicError)}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        }),
    );
    const relay = startRelay({
      channels: [{ type: 14, baseUrl: upstream.url, models: ["m"] }],
      options: { ModelRatio: '{"m": 1}', RetryTimes: "0" },
    });
    stops.push(upstream.stop, relay.stop);
    const messages = [{ role: "user", content: "Hi" }];
    const answer = await relay.post("/v1/messages", { model: "m", max_tokens: 9, stream: true, messages });
    expect((await answer.json()) as object).toMatchObject({ error: anthropicError.error });
  });
});

test("other formats get none of it", async () => {
  const geminiError = await google(start(14, 404, anthropicError).url);
  expect(Object.keys(JSON.parse((geminiError as ApiError).message).error).toSorted()).toEqual([
    "code",
    "message",
    "status",
  ]);
  const error = await anthropic(start(24, 400, googleError).url);
  const { error: shape } = (error as { error: object }).error as { error: object };
  expect(Object.keys(shape).toSorted()).toEqual(["message", "type"]);
});

test("the channel's key is taken out of them, and all where the site hides upstream errors", async () => {
  const leak = {
    type: "error",
    error: { type: "x", message: "No.", details: { key: "Bearer secret-key", in: ["secret-key"] } },
  };
  const shown = await anthropic(start(14, 400, leak).url);
  expect((shown as { error: object }).error).toMatchObject({ error: { details: { key: "Bearer ***", in: ["***"] } } });
  const hidden = start(14, 400, leak, { "global.hide_upstream_error_enabled": "true" });
  expect((await anthropic(hidden.url)) as object).toMatchObject({ type: "invalid_request_error", details: null });
});

test("when Google says how long to wait, every client gets it as a header, without the quota's project", async () => {
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33.07s" };
  const quota = { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ subject: "projects/42" }] };
  const body = {
    error: { code: 429, message: "Quota of projects/42", status: "RESOURCE_EXHAUSTED", details: [quota, retry] },
  };
  const requests = [
    ["/v1/messages", { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }],
    ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
  ] as const;
  for (const [path, request] of requests) {
    const answer = await start(24, 429, body).post(path, request);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("34");
    expect(await answer.text()).not.toContain("projects/42");
  }
});

describe("a header says that a retry is in vain", () => {
  const PATHS = ["/v1/chat/completions", "/v1/messages", "/v1beta/models/m:generateContent"] as const;
  const hi = {
    ...{ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
  };
  const served = () => Response.json(chatReply());
  const upstreamOf = (answer: () => Response) => {
    const upstream = startUpstream(answer);
    stops.push(upstream.stop);
    return { type: 1000, baseUrl: upstream.url, models: ["m"], keys: ["secret-key"] };
  };
  const options = { ModelRatio: '{"m": 1}', RetryTimes: "0" };

  test.each(PATHS)("a key whose quota is used up, too little quota: %s", async (path) => {
    const channels = [upstreamOf(served)];
    const usedUp = startRelay({ channels, options, tokens: { test: { status: 4 } } });
    const poor = startRelay({ channels, options });
    poor.billing.available = 0;
    stops.push(usedUp.stop, poor.stop);
    const status = path === "/v1/messages" ? 402 : 429;
    for (const relay of [usedUp, poor]) {
      const answer = await relay.post(path, hi);
      expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([status, "false"]);
    }
  });

  test.each(PATHS)("not a limit that passes, a database that is away, or an upstream's error: %s", async (path) => {
    const limits = { ModelRequestRateLimitEnabled: "true", ModelRequestRateLimitCount: "1" };
    const limited = startRelay({ channels: [upstreamOf(served)], options: { ...options, ...limits } });
    const away = startRelay({ channels: [upstreamOf(served)], options });
    away.billing.isUnavailable = true;
    const refusing = () => Response.json(openaiError, { status: 400 });
    const failing = startRelay({ channels: [upstreamOf(refusing)], options });
    stops.push(limited.stop, away.stop, failing.stop);
    expect((await limited.post(path, hi)).status).toBe(200);
    for (const [relay, status] of [
      [limited, 429],
      [away, 503],
      [failing, 400],
    ] as const) {
      const answer = await relay.post(path, hi);
      expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([status, null]);
    }
  });
});
