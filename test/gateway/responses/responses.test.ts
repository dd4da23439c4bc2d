import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { StoredResponse } from "../../../src/gateway/state/responses/store.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

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

function start(answer: Parameters<typeof startUpstream>[0], options = {}, channel = {}) {
  const upstream = startUpstream(answer);
  const fields = { baseUrl: upstream.url, models: ["m"], groups: ["default"], ...channel };
  const relay = startRelay({
    channels: [channelEntry({ ...fields, id: 1 }), channelEntry({ ...fields, id: 2 })],
    options: { ModelRatio: '{"m": 1}', ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

describe("a conversation by reference, on an upstream that stores none", () => {
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

  test.each([false, true])("goes on with items that are only named (streamed: %p)", async (streamed) => {
    const { client, upstream } = converting();
    const ask = async (input: OpenAI.Responses.ResponseInput) =>
      streamed
        ? client.responses.stream({ model: "m", input }).finalResponse()
        : client.responses.create({ model: "m", input });
    const firstTurn = { role: "user" as const, content: "My name is Ada." };
    const { output } = await ask([firstTurn]);
    const named = output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" }));
    await ask([firstTurn, ...named, { role: "user", content: "What is my name?" }]);
    const sent = JSON.parse(upstream.received.at(-1)?.text ?? "") as { messages: { role: string; content: string }[] };
    expect(sent.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "user: My name is Ada.",
      "assistant: Hello there",
      "user: What is my name?",
    ]);
  });

  test.each([false, true])(
    "is looked at though it went on where responses are stored (streamed: %p)",
    async (streamed) => {
      const answer = native("resp_new");
      const upstream = startUpstream(() => {
        if (!streamed) return Response.json(answer);
        const events = [
          { type: "response.created", response: { ...answer, output: [], status: "in_progress" }, sequence_number: 0 },
          { type: "response.completed", response: answer, sequence_number: 1 },
        ];
        return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
      });
      const storedResponses = new Map<string, StoredResponse>();
      const turns = [{ role: "user" as const, parts: [{ type: "text" as const, text: "My name is Ada." }] }];
      const before = { id: "resp_old", userId: 1, channelId: 9, keyHash: "", isNative: false, turns, body: {} };
      storedResponses.set("resp_old", { ...before, createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER });
      const relay = startRelay({
        channels: [{ baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
        options: { ModelRatio: '{"m": 1}' },
        responses: {
          find: async (id) => storedResponses.get(id) ?? null,
          bodies: async () => new Map(),
          placesOfParts: async () => new Map(),
          keepParts() {},
          maskedValues: async () => ({}),
          addMaskedValues: async () => {},
          keep: (response) => void storedResponses.set(response.id, response),
          remove: async (id) => void storedResponses.delete(id),
          sweep: async () => {},
        },
      });
      stops.push(upstream.stop, relay.stop);
      const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
      const params = { model: "m", input: "What is my name?", previous_response_id: "resp_old" };
      const made = streamed
        ? await client.responses.stream(params).finalResponse()
        : await client.responses.create(params);
      expect(upstream.received.at(-1)?.text).toContain("My name is Ada.");
      expect((await client.responses.retrieve(made.id)).output_text).toBe("Hi");
    },
  );

  test("items that nobody stored are refused, not left out", async () => {
    const { relay } = converting();
    const input = [
      { role: "user", content: "Hi" },
      { type: "item_reference", id: "msg_0197_0" },
    ];
    const created = await relay.post("/v1/responses", { model: "m", input });
    expect(created.status).toBe(400);
    expect(await created.json()).toMatchObject({ error: { type: "invalid_request_error", param: "item_reference" } });
  });

  test("lists its input page by page, the latest first unless the request says otherwise", async () => {
    const { client } = converting();
    const input = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
    const { id } = await client.responses.create({ model: "m", input });
    const texts = (items: readonly OpenAI.Responses.ResponseItem[]) =>
      items.map((item) => JSON.stringify(item).match(/one|two|three/)?.[0]);
    const first = await client.responses.inputItems.list(id, { limit: 2 });
    expect([texts(first.data), first.has_more]).toEqual([["three", "two"], true]);
    const all = [];
    for await (const item of client.responses.inputItems.list(id, { limit: 2, order: "asc" })) all.push(item);
    expect(texts(all)).toEqual(["one", "two", "three"]);
    for (const wish of [{ limit: 0 }, { limit: 101 }, { after: "x" }]) {
      const failure = await client.responses.inputItems.list(id, wish).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ status: 400, param: Object.keys(wish)[0] });
    }
  });

  test("can be looked at and deleted, by its owner alone", async () => {
    const { client } = converting();
    const made = await client.responses.create({ model: "m", input: "Hello" });
    expect((await client.responses.retrieve(made.id)).id).toBe(made.id);
    expect((await client.responses.inputItems.list(made.id)).data).toHaveLength(1);
    await expect(client.responses.cancel(made.id).asResponse()).rejects.toMatchObject({
      status: 400,
      code: "not_cancellable",
    });
    await expect(client.responses.retrieve(made.id, { stream: true }).asResponse()).rejects.toMatchObject({
      status: 400,
      param: "stream",
    });
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id).asResponse()).rejects.toMatchObject({ status: 404 });
  });

  test("lists images, calls and results among its input items", async () => {
    const { client } = converting();
    const image_url = "https://example.com/a.png";
    const call = { type: "function_call" as const, call_id: "c1", name: "f", arguments: "{}" };
    const made = await client.responses.create({
      model: "m",
      input: [
        { role: "user", content: [{ type: "input_image", image_url, detail: "auto" }] },
        call,
        { type: "function_call_output", call_id: "c1", output: "42" },
      ],
    });
    expect((await client.responses.inputItems.list(made.id, { order: "asc" })).data).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_image", image_url }] },
      call,
      { type: "function_call_output", call_id: "c1", output: "42" },
    ]);
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

describe("a conversation by reference, on an upstream that stores it", () => {
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

  test("goes on with its channel for none of the user's keys that may not use it", async () => {
    const upstream = startUpstream(() => Response.json(native("resp_group")));
    const channel = { baseUrl: upstream.url, models: ["m"] };
    const relay = startRelay({
      channels: [
        { ...channel, groups: ["default"] },
        { ...channel, groups: ["vip"] },
      ],
      tokens: { test: {}, other: { id: 2, group: "vip" } },
      options: { ModelRatio: '{"m": 1}', GroupRatio: '{"default": 1, "vip": 1}' },
    });
    stops.push(upstream.stop, relay.stop);
    const ask = (key: string, more: object = {}) =>
      relay.post(
        "/v1/responses",
        { model: "m", input: "Hi", ...more },
        { headers: { authorization: `Bearer sk-${key}` } },
      );
    expect((await ask("test")).status).toBe(200);
    const goOn = { previous_response_id: "resp_group" };
    const refused = await ask("other", goOn);
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "channel_unavailable" } }]);
    expect(upstream.received).toHaveLength(1);
    expect((await ask("test", goOn)).status).toBe(200);
  });

  test("is looked at, listed, cancelled and deleted with the key that made it", async () => {
    const seen: string[] = [];
    let count = 0;
    const { client } = start(
      ({ path, headers, text }, request) => {
        const key = headers.get("authorization")?.slice(7);
        seen.push(`${key} ${request.method} ${path.slice(3)}${new URL(request.url).search}`);
        if (request.method === "DELETE") return Response.json({ id: "resp_1", object: "response", deleted: true });
        if (path.endsWith("/input_items")) return Response.json({ object: "list", data: [], has_more: false });
        return Response.json(native(text.includes("model") ? `resp_${++count}` : "resp_1"));
      },
      {},
      { keys: ["key-a", "key-b", "key-c"] },
    );
    const made = await client.responses.create({ model: "m", input: "Hello" });
    const key = seen[0]?.split(" ")[0];
    for (const input of ["Other conversation", "Third conversation", "And?"]) {
      await client.responses.create({ model: "m", input, ...(input === "And?" && { previous_response_id: made.id }) });
    }
    expect(new Set(seen.slice(0, 3).map((line) => line.split(" ")[0])).size).toBeGreaterThan(1);
    await client.responses.retrieve(made.id, { include: ["reasoning.encrypted_content"] });
    await client.responses.inputItems.list(made.id, { limit: 7 });
    await client.responses.cancel(made.id);
    await client.responses.delete(made.id);
    expect(seen.slice(3).map((line) => line.replace("%5B%5D", "[]"))).toEqual([
      `${key} POST /responses`,
      `${key} GET /responses/resp_1?include[]=reasoning.encrypted_content`,
      `${key} GET /responses/resp_1/input_items?limit=7`,
      `${key} POST /responses/resp_1/cancel`,
      `${key} DELETE /responses/resp_1`,
    ]);
    await expect(client.responses.retrieve(made.id).asResponse()).rejects.toMatchObject({ status: 404 });
  });

  test("returns what the upstream says of it", async () => {
    const { client } = start(({ path }) =>
      path.endsWith("/cancel")
        ? Response.json(
            { error: { message: "Cannot cancel a synchronous response.", type: "invalid_request_error" } },
            { status: 400 },
          )
        : Response.json(native("resp_1")),
    );
    const made = await client.responses.create({ model: "m", input: "Hello" });
    await expect(client.responses.cancel(made.id).asResponse()).rejects.toMatchObject({
      status: 400,
      error: { message: expect.stringContaining("Cannot cancel a synchronous response.") },
    });
  });
});
