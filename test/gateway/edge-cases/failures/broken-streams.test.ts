/** A stream that the upstream breaks off ends in the client's format, as the same response; and what names a call. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, pacedSse, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, answer: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}', RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

test("a Responses stream goes on in the same response, with the next sequence numbers", async () => {
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", status: "in_progress", output: [] };
  const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
  const relay = start(1, () =>
    pacedSse([
      event("response.created", { response, sequence_number: 0 }),
      event("response.in_progress", { response, sequence_number: 1 }),
      20,
      event("response.output_item.added", { output_index: 0, item, sequence_number: 2 }) +
        event("response.output_text.delta", { item_id: "msg_1", output_index: 0, delta: "Hel", sequence_number: 3 }),
      20,
      event("response.output_text.delta", { item_id: "msg_1", output_index: 0, delta: "lo", sequence_number: 4 }),
      20,
      new Error("broken"),
    ]),
  );
  const text = await (await relay.post("/v1/responses", { model: "m", input: "Hello", stream: true })).text();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(["error", "response.failed"]);
  expect(events.at(-1).response).toMatchObject({ id: "resp_1", status: "failed", model: "m" });
  expect(events.filter(({ type }) => type === "response.created")).toHaveLength(1);
});

test("an interaction that breaks off ends with an error, without a second beginning", async () => {
  const interaction = { id: "v1_1", object: "interaction", model: "m", status: "in_progress" };
  const relay = start(24, () =>
    pacedSse([
      event("interaction.created", { event_type: "interaction.created", interaction }),
      20,
      new Error("broken"),
    ]),
  );
  const text = await (await relay.post("/v1/interactions", { model: "m", input: "Hello", stream: true })).text();
  expect(text.match(/event: interaction\.created/g)).toHaveLength(1);
  expect(text).toContain("event: error");
});

describe("request-id, which Anthropic's SDKs read", () => {
  const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "x" }] },
    ...{ stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } },
  };

  test.each<[string, number, () => Response]>([
    ["an answer", 14, () => Response.json(message)],
    ["a translated answer", 1, () => Response.json(chatReply())],
    [
      "an error",
      14,
      () => Response.json({ type: "error", error: { type: "api_error", message: "x" } }, { status: 500 }),
    ],
  ])("%s", async (_, type, answer) => {
    const relay = start(type, answer);
    for (const stream of [false, true]) {
      const { headers } = await relay.post("/v1/messages", { ...body, stream });
      expect(headers.get("request-id")).toBeTruthy();
      expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
    }
    expect((await relay.post("/v1/chat/completions", body)).headers.get("request-id")).toBeNull();
  });
});

test("Messages clients read how many tokens of the output were reasoning", async () => {
  const usage = {
    ...{ prompt_tokens: 10, completion_tokens: 25, total_tokens: 35 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const relay = start(1, () => Response.json(chatReply({ usage })));
  const answer = await relay.post("/v1/messages", {
    ...{ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
  });
  expect((await answer.json()).usage).toMatchObject({
    ...{ input_tokens: 10, output_tokens: 25 },
    output_tokens_details: { thinking_tokens: 20 },
  });
});
