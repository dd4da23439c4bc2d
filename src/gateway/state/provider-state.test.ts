/** A reference to something that a provider stores is never silently dropped. */
import { afterEach, describe, expect, test } from "bun:test";
import { FAMILY_TYPES, startFamily } from "../../../test/support/gateway/families.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const messages = [{ role: "user", content: "Hi" }];
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const GEMINI = "/v1beta/models/m:generateContent";
const REFERENCES = [
  ["/v1/responses", "conversation", { model: "m", input: "Hi", conversation: "conv_1" }, [14, 24, 1000]],
  ["/v1/responses", "conversation", { model: "m", input: "Hi", conversation: { id: "conv_1" } }, [14, 24, 1000]],
  ["/v1/responses", "prompt", { model: "m", input: "Hi", prompt: { id: "pmpt_1" } }, [14, 24, 1000]],
  [
    "/v1/responses",
    "item_reference",
    { model: "m", input: [{ type: "item_reference", id: "rs_1" }, ...messages] },
    [14, 24],
  ],
  ["/v1/messages", "container", { model: "m", max_tokens: 9, messages, container: "container_1" }, [1000, 24]],
  ["/v1/messages", "container", { model: "m", max_tokens: 9, messages, container: { id: "container_1" } }, [1000, 24]],
  [GEMINI, "cachedContent", { contents, cachedContent: "cachedContents/1" }, [1000, 14]],
  [GEMINI, "cached_content", { contents, cached_content: "cachedContents/1" }, [1000, 14]],
] as const;

/** A server with the Responses API, which responds the same in all formats. */
const startNative = () =>
  startUpstream(({ path }) => {
    const usage = { input_tokens: 9, output_tokens: 2, total_tokens: 11 };
    if (path.endsWith("/responses"))
      return Response.json({ id: "resp_1", object: "response", status: "completed", output: [], usage });
    if (path.endsWith("/messages")) return Response.json({ id: "msg_1", type: "message", content: [], usage });
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 };
    return Response.json({
      candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
      usageMetadata,
    });
  });

describe.each(REFERENCES)("%s with %s", (path, name, body, foreign) => {
  test("is rejected if no channel's provider can have it", async () => {
    const upstream = startFamily("openai");
    stops.push(upstream.stop);
    for (const type of foreign) {
      const channels = [{ type, baseUrl: upstream.url, models: ["m"] }];
      const relay = startRelay({ channels, options: { ModelRatio: '{"m": 1}', RetryTimes: "0" } });
      stops.push(relay.stop);
      const answer = await relay.post(path, body);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(`“${name}”`);
    }
    expect(upstream.received.filter(({ path: sent }) => !sent.endsWith("/responses"))).toHaveLength(0);
  });

  test("goes unchanged to the channel whose provider can", async () => {
    const [other, native] = [startFamily("openai"), startNative()];
    stops.push(other.stop, native.stop);
    const type = path === GEMINI ? 24 : path === "/v1/messages" ? FAMILY_TYPES.anthropic : 1;
    const relay = startRelay({
      channels: [
        { type: path === "/v1/messages" ? 24 : 14, baseUrl: other.url, models: ["m"], priority: 9 },
        { type, baseUrl: native.url, models: ["m"] },
      ],
      options: { ModelRatio: '{"m": 1}', RetryTimes: "0" },
    });
    stops.push(relay.stop);
    for (let round = 0; round < 3; round += 1) expect((await relay.post(path, body)).status).toBe(200);
    expect(other.received).toHaveLength(0);
    expect(JSON.parse(native.received.at(-1)?.text ?? "")).toMatchObject(body);
  });
});

test("a server without the Responses API does not receive a chat without the conversation it continues", async () => {
  const upstream = startFamily("openai");
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  const body = { model: "m", input: "Hi", conversation: "conv_1" };
  // The first call reveals that the endpoint is missing.
  for (let round = 0; round < 2; round += 1) expect((await relay.post("/v1/responses", body)).status).toBe(400);
  expect(upstream.received.map(({ path }) => path)).toEqual(["/v1/responses"]);
});

test("a container without an id is an option, and is reported if dropped", async () => {
  const upstream = startNative();
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  const container = { skills: [{ skill_id: "pdf" }] };
  const answer = await relay.post("/v1/messages", { model: "m", max_tokens: 9, messages, container });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-sluice-dropped")).toContain("container");
});
