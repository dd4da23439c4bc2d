import { afterAll, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";

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

describe("an invalid request is rejected in Google's format", () => {
  const one = { content: content("Hi") };
  test.each([
    ["no requests", batch, {}],
    ["an empty batch", batch, { requests: [] }],
    ["a request that is none", batch, { requests: [one, 5] }],
    ["no content", single, {}],
    ["no parts", single, { content: { parts: [] } }],
    ["an image", single, { content: { parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }] } }],
    ["options that differ", batch, { requests: [one, { ...one, taskType: "CLUSTERING" }] }],
  ])("%s", async (_case, path, body) => {
    const response = await openai.relay.post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  });
});
