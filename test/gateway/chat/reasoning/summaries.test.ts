import { afterEach, expect, test } from "bun:test";
import { parseJson, recordOf } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const REFUSAL = {
  error: {
    message: "Your organization must be verified to generate reasoning summaries. Please go to the settings.",
    type: "invalid_request_error",
    param: "reasoning.summary",
    code: "unsupported_value",
  },
};
const ANSWER = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "It rains.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
};
/** Anthropic's client wants the web searched, which OpenAI does in Responses alone. */
const SEARCH = {
  model: "gpt-5",
  max_tokens: 2000,
  thinking: { type: "enabled", budget_tokens: 1024 },
  tools: [{ type: "web_search_20250305", name: "web_search" }],
  messages: [{ role: "user", content: "How is the weather in Ghent?" }],
};

/** A relay on an upstream whose organization is not verified, and the summaries that it was asked for. */
function start() {
  const summaries: unknown[] = [];
  const upstream = startUpstream(({ text }) => {
    const summary = recordOf(recordOf(parseJson(text))?.reasoning)?.summary;
    summaries.push(summary);
    return summary === undefined ? Response.json(ANSWER) : Response.json(REFUSAL, { status: 400 });
  });
  const relay = startRelay({ channels: [{ type: 1, baseUrl: upstream.url, models: ["gpt-5"] }] });
  stops.push(
    () => relay.stop(),
    () => upstream.stop(),
  );
  return { relay, summaries };
}

test("an organization that may not read reasoning summaries is answered without, and not asked again", async () => {
  const { relay, summaries } = start();
  for (const _ of [1, 2]) {
    const answer = await relay.post("/v1/messages", SEARCH);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ content: [{ type: "text", text: "It rains." }] });
  }
  expect(summaries).toEqual(["auto", undefined, undefined]);
});

test("calls that were refused at the same time are all answered", async () => {
  const { relay, summaries } = start();
  const answers = await Promise.all([1, 2, 3].map(() => relay.post("/v1/messages", SEARCH)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(summaries.filter((summary) => summary === undefined)).toHaveLength(3);
});

test("a client that asks for summaries by itself receives the refusal", async () => {
  const { relay, summaries } = start();
  const body = { model: "gpt-5", input: "hi", reasoning: { effort: "low", summary: "auto" } };
  const answer = await relay.post("/v1/responses", body);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("must be verified");
  expect(summaries.length).toBeLessThanOrEqual(2);
});
