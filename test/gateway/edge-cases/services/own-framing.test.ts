/** Services with a format and a framing of their own serve newer models in OpenAI's format: those streams pass as bytes. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chunk, DONE, sse, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

test.each([
  [16, "glm-4.6", "id.secret"],
  [17, "qwen3-max", "key"],
])("type %i, %s", async (type, model, key) => {
  // Space, order and unknown members are the service's own.
  const own = `data:  {"unknown" : [1,  2],"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n`;
  const upstream = startUpstream(() => sse(own + chunk({ content: "lo" }) + usageChunk() + DONE));
  const relay = startRelay({
    channels: [
      {
        type,
        baseUrl: type === 17 ? `${upstream.url}/compatible-mode/v1` : upstream.url,
        keys: [key],
        models: [model],
      },
    ],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  const body = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "Hi" }],
  };
  const response = await relay.post("/v1/chat/completions", body);
  expect(await response.text()).toStartWith(own);
});
