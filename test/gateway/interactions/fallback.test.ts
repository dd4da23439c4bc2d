/** Google's Interactions API on proxies of Gemini's API that have `generateContent` alone. */
import { afterEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODEL = "gemini-2.5-flash";
const PIECE = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hello there" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

function start(refuse: () => Response) {
  const upstream = startUpstream(({ path }) => {
    if (path === "/v1beta/interactions") return refuse();
    return path.endsWith(":streamGenerateContent") ? sse(`data: ${JSON.stringify(PIECE)}\n\n`) : Response.json(PIECE);
  });
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: upstream.url, keys: ["key"], models: [MODEL] }],
    options: { ModelRatio: `{"${MODEL}": 1}`, CompletionRatio: `{"${MODEL}": 4}` },
  });
  stops.push(upstream.stop, relay.stop);
  const { interactions } = new GoogleGenAI({
    apiKey: "sk-test",
    httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } },
  });
  return { relay, interactions, paths: () => upstream.received.map(({ path }) => path), received: upstream.received };
}

const OWN = "/v1beta/interactions";
const GENERATE = `/v1beta/models/${MODEL}:generateContent`;
const STREAM = `/v1beta/models/${MODEL}:streamGenerateContent`;

describe("a proxy without the Interactions API", () => {
  test.each([
    ["404, a page", () => new Response("404 page not found", { status: 404 })],
    ["404, of FastAPI", () => Response.json({ detail: "Not Found" }, { status: 404 })],
    [
      "404, of one-api",
      () =>
        Response.json(
          { error: { message: "Invalid URL (POST /v1beta/interactions)", type: "invalid_request_error", code: "" } },
          { status: 404 },
        ),
    ],
    ["405", () => Response.json({ detail: "Method Not Allowed" }, { status: 405 })],
    ["501", () => Response.json({ error: { message: "Not offered.", code: "api_not_implemented" } }, { status: 501 })],
  ])("gets the interaction through generateContent, from then on immediately: %s", async (_server, refuse) => {
    const { interactions, relay, paths, received } = start(refuse);
    const made = await interactions.create({ model: MODEL, input: "My name is Ada." });
    expect(made).toMatchObject({ status: "completed", output_text: "Hello there", object: "interaction" });
    let text = "";
    const params = { model: MODEL, input: "And?", previous_interaction_id: made.id, stream: true } as const;
    for await (const event of await interactions.create(params)) {
      if (event.event_type === "step.delta" && event.delta.type === "text") text += event.delta.text;
    }
    expect(text).toBe("Hello there");
    expect(paths()).toEqual([OWN, GENERATE, STREAM]);
    // The gateway stores the conversation that the proxy cannot.
    expect(received[2]?.text).toContain("My name is Ada.");
    expect((await interactions.get(made.id)).output_text).toBe("Hello there");
    await relay.billing.nextRecord(2);
    expect(relay.billing.records).toMatchObject([
      { quota: 30, promptTokens: 10, completionTokens: 5 },
      { quota: 30, promptTokens: 10, completionTokens: 5 },
    ]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("cannot serve an agent, which is Google's: the request gets 400, and is not sent without it", async () => {
    const { relay, paths } = start(() => new Response("404 page not found", { status: 404 }));
    const ask = () => relay.post("/v1beta/interactions", { model: MODEL, environment: "remote", input: "Hi" });
    for (const response of [await ask(), await ask()]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("environment") } });
    }
    expect(paths()).toEqual([OWN]);
    expect(relay.billing.openHolds).toBe(0);
  });
});

test.each([
  ["an unknown model", 404, { error: { code: "not_found", message: `Model ${MODEL} was not found.` } }],
  ["an unknown interaction", 404, { error: { code: "not_found", message: "Interaction v1_x not found." } }],
  ["something that Google names", 404, { error: { code: "not_found", message: "Requested entity was not found." } }],
  ["a wrong request", 400, { error: { code: "invalid_request", message: "404 page not found" } }],
])("%s is no reason to think that the API is missing", async (_what, status, body) => {
  const { relay, paths } = start(() => Response.json(body, { status }));
  for (let times = 0; times < 2; times += 1) {
    expect((await relay.post("/v1/interactions", { model: MODEL, input: "Hi" })).status).toBe(status);
  }
  expect(paths()).toEqual([OWN, OWN]);
});

test("interactions are also under the prefix of Hugging Face's clients", async () => {
  const { relay } = start(() => new Response("404 page not found", { status: 404 }));
  const response = await relay.post("/hf/v1/interactions", { model: MODEL, input: "Hi" });
  expect(await response.json()).toMatchObject({ object: "interaction", status: "completed" });
});
