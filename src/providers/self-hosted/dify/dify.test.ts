import { describe, expect, test } from "bun:test";
import { dataOf, expectSense, meaningOf, stepsOfStream, target } from "../../../../test/support/formats/fixtures.ts";
import { samples } from "../../../../test/support/formats/reference.ts";
import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { difyCodec } from "./dify.ts";

const stream = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const decode = (messages: object[], more: object = {}) =>
  openaiChatClientCodec.decodeRequest({ model: "d", stream: true, user: "u", messages, ...more });

test("a conversation is one text; with a conversation id only the last message is sent", () => {
  const messages = [
    { role: "system", content: "s" },
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    {
      role: "user",
      content: [
        { type: "text", text: "c" },
        { type: "image_url", image_url: { url: "https://x/y.png" } },
      ],
    },
  ];
  const common = { response_mode: "streaming", user: "u", auto_generate_name: false };
  const files = [{ type: "image", transfer_method: "remote_url", url: "https://x/y.png" }];
  expect(difyCodec.encodeRequest(decode(messages), target("dify"), new Set())).toEqual({
    ...common,
    inputs: {},
    query: "SYSTEM: s\nUSER: a\nASSISTANT: b\nUSER: c\n",
    conversation_id: "",
    files,
  });
  const known = decode(messages, { conversation_id: "c1", inputs: { city: "Ghent" } });
  expect(difyCodec.encodeRequest(known, target("dify"), new Set())).toMatchObject({
    inputs: { city: "Ghent" },
    query: "c",
    conversation_id: "c1",
  });
});

test("a workflow receives everything as inputs", () => {
  expect(
    difyCodec.encodeRequest(decode([{ role: "user", content: "q" }]), target("workflow-report"), new Set()),
  ).toEqual({
    inputs: { query: "q" },
    response_mode: "streaming",
    user: "u",
  });
});

test("a workflow's outputs are the answer, streamed text or not; its failure is an error", () => {
  const end = (data: object) => ({ event: "workflow_finished", workflow_run_id: "w", data });
  const events = stream({ event: "workflow_started" }, end({ status: "succeeded", outputs: { answer: "It rains." } }));
  expect(meaningOf(stepsOfStream(difyCodec, events))).toMatchObject({ text: "It rains.", finish: "stop" });
  const pieces = stream(
    { event: "text_chunk", data: { text: "It " } },
    { event: "text_chunk", data: { text: "rains." } },
    end({ status: "succeeded", outputs: { answer: "It rains." } }),
  );
  expect(meaningOf(stepsOfStream(difyCodec, pieces))).toMatchObject({ text: "It rains.", finish: "stop" });
  const failed = stream(end({ status: "failed", error: "node 3" }));
  expect(stepsOfStream(difyCodec, failed)).toMatchObject([{ type: "error", error: { message: "node 3" } }]);
});

test("a closing message that repeats an agent's answer is ignored; collapsible boxes are reasoning", () => {
  const text = stream(
    { event: "agent_message", answer: "<details open> <summary> Thinking... </summary>Hm.</details>" },
    { event: "agent_message", answer: "It rains." },
    { event: "message", answer: "<details open> <summary> Thinking... </summary>Hm.</details>It rains." },
    { event: "message_end", metadata: { usage: { prompt_tokens: 5, completion_tokens: 3 } } },
  );
  expect(meaningOf(stepsOfStream(difyCodec, text))).toMatchObject({
    thought: "Hm.",
    text: "It rains.",
    finish: "stop",
  });
});

test("a replaced message is the replacement alone, where nobody has read the other", () => {
  const text = stream(
    { event: "message", message_id: "m", answer: "Something " },
    { event: "message", message_id: "m", answer: "rude." },
    { event: "message_replace", message_id: "m", answer: "I can't say that." },
    { event: "message_end", message_id: "m", metadata: { usage: { prompt_tokens: 5, completion_tokens: 3 } } },
  );
  expect(replyOf(difyCodec, text, (prefix) => prefix)).toMatchObject({
    choices: [{ parts: [{ type: "text", text: "I can't say that." }], finish: { reason: "content_filter" } }],
    usage: { promptTokens: 5 },
  });
});

test("errors, also in the middle of a stream", () => {
  const error = { event: "error", status: 429, code: "rate_limit_error", message: "slow" };
  expect(stepsOfStream(difyCodec, stream({ event: "message", answer: "It" }, error)).at(-1)).toMatchObject({
    type: "error",
    error: { status: 429, message: "slow" },
  });
  expect(difyCodec.decodeError(404, { code: "not_found", message: "gone", status: 404 })).toMatchObject({
    status: 404,
  });
});

const streams = samples((path) => /^dify.*\.sse$/.test(path));
describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(difyCodec, text);
    expectSense(steps);
    expect(dataOf(text).length).toBeGreaterThan(0);
  });
});
