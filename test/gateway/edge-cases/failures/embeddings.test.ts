/** Embeddings carry their model and usage, also where the provider reports neither: OpenAI's clients require both. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const VALUES = [0.5, 0.25];
const OPENAI = { object: "list", data: [{ object: "embedding", index: 0, embedding: VALUES }] };

test.each<[string, number, object]>([
  ["Gemini", 24, { embeddings: [{ values: VALUES }] }],
  ["Cohere", 34, { id: "1", embeddings: { float: [VALUES] }, texts: ["hi"] }],
  ["Ollama", 4, OPENAI],
  ["a server with OpenAI's format", 8, OPENAI],
])("%s: model and usage, as charged", async (_, type, answer) => {
  const upstream = startUpstream(() => Response.json(answer));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}' },
  });
  stops.push(relay.stop, upstream.stop);
  for (const encoding of ["float", "base64"]) {
    const response = await relay.post("/v1/embeddings", {
      model: "m",
      input: "Hello there",
      encoding_format: encoding,
    });
    const { promptTokens, quota } = await relay.billing.nextRecord(encoding === "float" ? 1 : 2);
    expect(promptTokens).toBeGreaterThan(0);
    expect(quota).toBe(promptTokens);
    expect(await response.json()).toMatchObject({
      object: "list",
      model: "m",
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    });
  }
});
