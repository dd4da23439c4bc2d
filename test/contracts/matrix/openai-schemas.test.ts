import { describe, expect, test } from "bun:test";
import { parseJson } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { openaiSchemas } from "./openai-schemas.ts";

const complaints = openaiSchemas();

describe.skipIf(!complaints)("OpenAI's schemas", () => {
  const judged = (client: "chat" | "responses", body: object, streamed = false, status = 200) =>
    complaints?.(client, {
      status,
      streamed,
      text: streamed ? `data: ${JSON.stringify(body)}\n\n` : JSON.stringify(body),
    });

  test("find what is wrong with bodies, events and errors", () => {
    expect(judged("chat", { object: "chat.completion" })).not.toEqual([]);
    expect(judged("chat", { choices: [{ index: 0, delta: {}, finish_reason: "ready" }] }, true)).not.toEqual([]);
    expect(judged("responses", { object: "response", output: [] })).not.toEqual([]);
    expect(judged("responses", { type: "response.output_text.delta", delta: "a" }, true)).not.toEqual([]);
    expect(judged("responses", { type: "response.invented" }, true)).toEqual(["no event is called response.invented"]);
    expect(judged("chat", { error: { message: "No" } }, false, 400)).not.toEqual([]);
  });

  test("let a finish_reason and a usage of null pass in chunks", () => {
    const common = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const choices = [{ index: 0, delta: { content: "a" }, logprobs: null, finish_reason: null }];
    expect(judged("chat", { ...common, choices, usage: null }, true)).toEqual([]);
  });

  const calls = [
    ["chat", "/v1/chat/completions"],
    ["responses", "/v1/responses"],
  ] as const;
  test.each(calls)("accept the gateway's own rejections for clients of %s", async (client, path) => {
    const relay = startRelay({ channels: [{ models: ["m"] }], options: { ModelRatio: '{"m": 1}' } });
    const refused = [
      await relay.post(path, { model: "m" }, { headers: { authorization: "Bearer sk-wrong" } }),
      await relay.post(path, { model: "nobody-has-it", messages: [{ role: "user", content: "hi" }], input: "hi" }),
      await relay.post(path, { model: "m", messages: 5, input: 5 }),
      await relay.post(path, "no JSON"),
    ];
    for (const response of refused) {
      const text = await response.text();
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect({ text, wrong: judged(client, parseJson(text) as object, false, response.status) }).toEqual({
        text,
        wrong: [],
      });
    }
    relay.stop();
  });
});
