import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { channelEntry } from "../testing/entries.ts";
import { startRelay } from "../testing/start-relay.ts";
import { chatReply, startUpstream } from "../testing/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const native = (id: string) => ({
  id,
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
});

function start(answer: Parameters<typeof startUpstream>[0], options = {}) {
  const upstream = startUpstream(answer);
  const fields = { baseUrl: upstream.url, models: ["m"], groups: ["default"] };
  const relay = startRelay({
    channels: [channelEntry({ ...fields, id: 1 }), channelEntry({ ...fields, id: 2 })],
    options: { ModelRatio: '{"m": 1}', ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

describe("a talk by reference, on an upstream that keeps none", () => {
  const converting = () =>
    start(({ path }) =>
      path.endsWith("/responses") ? new Response("no", { status: 404 }) : Response.json(chatReply()),
    );

  test.each([false, true])("goes on where it ended (streamed: %p)", async (streamed) => {
    const { client, upstream } = converting();
    const ask = async (input: string, previous?: string) => {
      const params = { model: "m", input, ...(previous && { previous_response_id: previous }) };
      return streamed ? client.responses.stream(params).finalResponse() : client.responses.create(params);
    };
    const first = await ask("My name is Ada.");
    await ask("What is my name?", first.id);
    const messages = (
      JSON.parse(upstream.received.at(-1)?.text ?? "") as { messages: { role: string; content: string }[] }
    ).messages;
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "user: My name is Ada.",
      "assistant: Hello there",
      "user: What is my name?",
    ]);
  });

  test("can be looked at and deleted, by its owner alone", async () => {
    const { client } = converting();
    const made = await client.responses.create({ model: "m", input: "Hello" });
    expect((await client.responses.retrieve(made.id)).id).toBe(made.id);
    expect((await client.responses.inputItems.list(made.id)).data).toHaveLength(1);
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id).asResponse()).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    ["the client wants nothing kept", { store: false }, {}],
    ["the site keeps nothing", {}, { "responses.keep_hours": "0" }],
  ])("is refused when %s", async (_why, params, options) => {
    const { client } = start(
      ({ path }) => (path.endsWith("/responses") ? new Response("no", { status: 404 }) : Response.json(chatReply())),
      options,
    );
    const made = await client.responses.create({ model: "m", input: "Hello", ...params });
    const again = client.responses.create({ model: "m", input: "And?", previous_response_id: made.id }).asResponse();
    await expect(again).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });
});

describe("a talk by reference, on an upstream that keeps it", () => {
  test("stays with the channel that made it, reference and all", async () => {
    let count = 0;
    const { client, upstream } = start(() => Response.json(native(`resp_${++count}`)));
    const first = await client.responses.create({ model: "m", input: "Hello" });
    await client.responses.create({ model: "m", input: "And?", previous_response_id: first.id });
    const last = JSON.parse(upstream.received.at(-1)?.text ?? "") as Record<string, unknown>;
    expect(last).toMatchObject({ previous_response_id: "resp_1", input: "And?" });
    await client.responses.retrieve(first.id);
    expect(upstream.received.at(-1)?.path).toBe("/v1/responses/resp_1");
  });
});
