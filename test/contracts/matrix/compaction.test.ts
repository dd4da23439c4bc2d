/** Compacted conversations on every provider format: the charge is the summarizing call's, the summary is read everywhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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

function start(name: ProviderName) {
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
  const stop = () => {
    relay.stop();
    upstream.stop();
  };
  return { relay, client, sent, model, stop };
}

/** The record of the latest call: charged for exactly what it reports. */
async function lastCharge(
  { billing }: ReturnType<typeof startRelay>,
  usage: OpenAI.Responses.ResponseUsage,
  count: number,
) {
  const record = await billing.nextRecord(count);
  expect(record).toMatchObject({ promptTokens: usage.input_tokens, completionTokens: usage.output_tokens });
  expect(record.quota).toBe(record.promptTokens + 4 * record.completionTokens);
  expect(billing.openHolds).toBe(0);
}

describe.each(NAMES)("%s", (name) => {
  let started: ReturnType<typeof start>;
  beforeAll(() => {
    started = start(name);
  });
  afterAll(() => started.stop());

  const reads = async (output: readonly object[]) => {
    const { client, sent, model } = started;
    const input = [...output, { role: "user", content: "Go on." }] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model, input })).output_text).toBe(PLAIN.text);
    // Knowledge bases get the last message alone.
    if (name !== "ai-proxy") expect(sent.at(-1)).toContain("This is a summary of it");
  };

  test("compacts, is charged for what it reports, and reads the summary", async () => {
    const { client, relay, model } = started;
    const { object, output, usage } = await client.responses.compact({ model, input: HISTORY });
    expect([object, ...output.map((item) => item.type)]).toEqual([
      "response.compaction",
      "message",
      "message",
      "compaction",
    ]);
    await lastCharge(relay, usage, 1);
    await reads(output);
  });

  test.each([false, true])("compacts where the input asks for it (streamed: %p)", async (streamed) => {
    const { client, relay, model } = started;
    const before = relay.billing.records.length;
    const params = { model, input: [...HISTORY, { type: "compaction_trigger" as const }], store: false };
    const { output, usage, status } = streamed
      ? await client.responses.stream(params).finalResponse()
      : await client.responses.create(params);
    expect([status, output.map(({ type }) => type)]).toEqual(["completed", ["compaction"]]);
    if (!usage) throw new Error("no usage");
    await lastCharge(relay, usage, before + 1);
    await reads(output);
  });
});
