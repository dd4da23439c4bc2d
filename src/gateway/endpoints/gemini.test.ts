import { afterAll, describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { parseJson, recordOf } from "../../formats/json.ts";

const VALUES = [0.5, -0.25];
const base64 = Buffer.from(new Float32Array(VALUES).buffer).toString("base64");
let embedding: unknown = VALUES;

function start(type: number) {
  const upstream = startUpstream(({ path }) =>
    path.endsWith(":batchEmbedContents")
      ? Response.json({ embeddings: [{ values: VALUES }], usageMetadata: { promptTokenCount: 3 } })
      : Response.json({ object: "list", data: [{ index: 0, embedding }], usage: { prompt_tokens: 3 } }),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  afterAll(() => {
    relay.stop();
    upstream.stop();
  });
  const sent = () => recordOf(parseJson(upstream.received.at(-1)?.text ?? ""));
  return { relay, sent };
}

const openai = start(1);
const gemini = start(24);
const jina = start(38);
const content = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) });
const single = "/v1beta/models/m:embedContent";
const batch = "/v1beta/models/m:batchEmbedContents";

test("one content has one embedding, in either form of the upstream", async () => {
  for (const form of [VALUES, base64]) {
    embedding = form;
    const response = await openai.relay.post(single, { content: content("Hi") });
    expect([response.status, await response.json()]).toEqual([
      200,
      { embedding: { values: VALUES }, usageMetadata: { promptTokenCount: 3 } },
    ]);
  }
  embedding = VALUES;
  expect(openai.sent()).toEqual({ model: "m", input: ["Hi"] });
});

test("both endpoints and both spellings work; the parts of a content form one text", async () => {
  const request = { content: content("a", "b"), output_dimensionality: 2 };
  const response = await openai.relay.post("/v1/models/m:batchEmbedContents", { requests: [request] });
  expect(await response.json()).toMatchObject({ embeddings: [{ values: VALUES }] });
  expect(openai.sent()).toEqual({ model: "m", input: ["a\nb"], dimensions: 2 });
});

test("options of Google's models reach them, and are reported if dropped", async () => {
  const options = { taskType: "RETRIEVAL_DOCUMENT", title: "T", outputDimensionality: 2 };
  const request = { model: "models/m", content: content("Hi"), ...options };
  expect((await gemini.relay.post(batch, { requests: [request] })).headers.get("x-sluice-dropped")).toBeNull();
  expect(gemini.sent()).toEqual({ requests: [request] });
  const dropped = await openai.relay.post(batch, { requests: [request] });
  expect(dropped.headers.get("x-sluice-dropped")).toBe("task_type, title");
  expect(openai.sent()).toEqual({ model: "m", input: ["Hi"], dimensions: 2 });
});

const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
const stored = { file_data: { mime_type: "image/png", file_uri: "https://files.example/lock.png" } };

test("contents with media reach Google's models as they are, and Jina's as images", async () => {
  const mixed = { content: { parts: [{ text: "a lock" }, image] } };
  const requests = [mixed, { content: content("Hi") }, { content: { parts: [stored] } }];
  const google = await gemini.relay.post(batch, { requests });
  expect([google.status, await google.json()]).toEqual([
    200,
    { embeddings: [{ values: VALUES }], usageMetadata: { promptTokenCount: 3 } },
  ]);
  expect(gemini.sent()).toEqual({ requests: requests.map((request) => ({ model: "models/m", ...request })) });
  const images = [{ content: { parts: [image] } }, ...requests.slice(1)];
  expect((await jina.relay.post(batch, { requests: images })).status).toBe(200);
  expect(jina.sent()).toEqual({
    model: "m",
    input: [{ image: image.inlineData.data }, { text: "Hi" }, { image: stored.file_data.file_uri }],
  });
  const refused = await jina.relay.post(batch, { requests });
  expect(await refused.json()).toMatchObject({
    error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining("one image at a time") },
  });
});

test("contents with media go to a channel that takes them, and are refused where there is none", async () => {
  const google = startUpstream(() => Response.json({ embeddings: [{ values: VALUES }] }));
  const other = startUpstream(() => new Response(null, { status: 500 }));
  const relay = startRelay({
    channels: [
      { type: 1, baseUrl: other.url, models: ["m"], groups: ["default"], priority: 9 },
      { type: 24, baseUrl: google.url, models: ["m"], groups: ["default"] },
    ],
    options: { ModelRatio: '{"m": 1}' },
  });
  expect((await relay.post(single, { content: { parts: [image] } })).status).toBe(200);
  expect([other.received.length, google.received.length]).toEqual([0, 1]);
  const refused = await openai.relay.post(single, { content: { parts: [image] } });
  expect(await refused.json()).toMatchObject({
    error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining("embed only text") },
  });
  relay.stop();
  google.stop();
  other.stop();
});

test("the words of a content with media are filtered", async () => {
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: "http://127.0.0.1:9", models: ["m"], groups: ["default"] }],
    options: {
      ModelRatio: '{"m": 1}',
      ...{ CheckSensitiveEnabled: "true", CheckSensitiveOnPromptEnabled: "true", SensitiveWords: "forbidden" },
    },
  });
  const refused = await relay.post(single, { content: { parts: [{ text: "a forbidden lock" }, image] } });
  expect(refused.status).toBe(400);
  relay.stop();
});

describe("an invalid request is rejected in Google's format", () => {
  const one = { content: content("Hi") };
  test.each([
    ["no requests", batch, {}],
    ["an empty batch", batch, { requests: [] }],
    ["a request that is none", batch, { requests: [one, 5] }],
    ["no content", single, {}],
    ["no parts", single, { content: { parts: [] } }],
    ["a part that is neither text nor media", single, { content: { parts: [{ text: "Hi" }, { functionCall: {} }] } }],
    ["options that differ", batch, { requests: [one, { ...one, taskType: "CLUSTERING" }] }],
  ])("%s", async (_case, path, body) => {
    const response = await openai.relay.post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  });
});
