/** Compacted conversations on every provider format: the charge is the summarizing call's, the summary is read everywhere. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { PROVIDERS, type ProviderName } from "./cells.ts";
import { PLAIN } from "./conversation.ts";
import { fakeAt, upstreams } from "./upstreams/index.ts";

const NAMES = Object.keys(PROVIDERS) as ProviderName[];
const HISTORY: OpenAI.Responses.ResponseInput = [
  { role: "user", content: "What is the weather in Ghent?" },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Ghent"}' },
  { type: "function_call_output", call_id: "call_1", output: "14 degrees" },
  { role: "user", content: "And in Bruges?" },
];

describe.each(NAMES)("%s", (name) => {
  test("compacts, is charged for what it reports, and reads the summary", async () => {
    const { type, key, model, ...kind } = upstreams[name];
    const sent: string[] = [];
    const upstream = startUpstream(({ path, headers, text }) => {
      const fake = path.endsWith("/compact") ? null : fakeAt(name, path);
      if (!fake) return new Response("404 page not found", { status: 404 });
      const body = recordOf(parseJson(text)) ?? {};
      const objection = fake.objection(path, body);
      if (objection !== null) return fake.refuse(objection);
      sent.push(text);
      return fake.speak(PLAIN, fake.isStream(path, body, headers));
    }, kind);
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: {
        ModelRatio: JSON.stringify({ [model]: 1 }),
        CompletionRatio: JSON.stringify({ [model]: 4 }),
        CacheRatio: JSON.stringify({ [model]: 1 }),
      },
    });
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    try {
      const { object, output, usage } = await client.responses.compact({ model, input: HISTORY });
      expect([object, ...output.map((item) => item.type)]).toEqual([
        "response.compaction",
        "message",
        "message",
        "compaction",
      ]);
      const record = await relay.billing.nextRecord();
      expect(record).toMatchObject({ promptTokens: usage.input_tokens, completionTokens: usage.output_tokens });
      expect(record.quota).toBe(record.promptTokens + 4 * record.completionTokens);
      const input = [...output, { role: "user", content: "Go on." }] as OpenAI.Responses.ResponseInput;
      expect((await client.responses.create({ model, input })).output_text).toBe(PLAIN.text);
      expect(sent).toHaveLength(2);
      // Knowledge bases get the last message alone.
      if (name !== "ai-proxy") expect(sent[1]).toContain("This is a summary of it");
      expect(relay.billing.openHolds).toBe(0);
    } finally {
      relay.stop();
      upstream.stop();
    }
  });
});
