import { describe, expect, test } from "bun:test";
import {
  expectSameForClients,
  expectSense,
  meaningOf,
  stepsOfStream,
  target,
} from "../../../../test/support/formats/fixtures.ts";
import { samples } from "../../../../test/support/formats/reference.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { sparkCodec } from "./spark.ts";

const encoded = (model: string) =>
  sparkCodec.encodeRequest(
    openaiChatClientCodec.decodeRequest({
      model: "s",
      n: 3,
      temperature: 0,
      top_k: 40,
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "q" },
      ],
    }),
    target(model),
    new Set(),
  );

test("values within its ranges; the number of choices is not its top_k", () => {
  expect(encoded("SparkDesk-v3.5")).toEqual({
    header: {},
    parameter: { chat: { temperature: 0.01, top_k: 6 } },
    payload: {
      message: {
        text: [
          { role: "system", content: "s" },
          { role: "user", content: "q" },
        ],
      },
    },
  });
});

test("X1.5 and X2 have a switch for reasoning; X1 always reasons, which is said", () => {
  const off = (model: string) => {
    const dropped = new Set<string>();
    const request = { model: "s", reasoning_effort: "none", messages: [{ role: "user", content: "q" }] };
    const { parameter } = sparkCodec.encodeRequest(
      openaiChatClientCodec.decodeRequest(request),
      target(model),
      dropped,
    );
    return [parameter, [...dropped]];
  };
  for (const model of ["SparkDesk-x1.5", "SparkDesk-x2", "spark-x"])
    expect(off(model)).toEqual([{ chat: { thinking: { type: "disabled" } } }, []]);
  expect(off("SparkDesk-x1")).toEqual([{ chat: {} }, ["reasoning_effort"]]);
});

test.each(["SparkDesk", "SparkDesk-v1.1", "SparkDesk-v3.1", "SparkDesk-v3.1-128K"])(
  "%s has no system message",
  (model) => {
    const { payload } = encoded(model) as { payload: { message: { text: { role: string }[] } } };
    expect(payload.message.text.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  },
);

test("reasoning, call and end", () => {
  const frame = (status: number, text: object, rest: object = {}) =>
    `data: ${JSON.stringify({ header: { code: 0, sid: "s", status }, payload: { choices: { status, text: [text] }, ...rest } })}\n\n`;
  const call = { name: "weather", arguments: '{"city":"Ghent"}' };
  const usage = { text: { prompt_tokens: 5, completion_tokens: 3 } };
  const steps = stepsOfStream(
    sparkCodec,
    frame(0, { content: "", reasoning_content: "Hm.", index: 0 }) +
      frame(2, { content: "", index: 0, function_call: call }, { usage }),
  );
  expectSense(steps);
  expect(meaningOf(steps)).toEqual({
    text: "",
    thought: "Hm.",
    calls: [["weather", { city: "Ghent" }]],
    finish: "tool_calls",
  });
});

test.each([
  [10013, 400, "content_filter"],
  [11200, 401, "11200"],
  [11202, 429, "11202"],
  [10012, 502, "10012"],
])("code %d is a %d", (code, status, name) => {
  const body = { header: { code, message: "why", sid: "s", status: 2 } };
  expect(sparkCodec.decodeError(200, body)).toMatchObject({ status, code: name });
});

const frames = samples((path) => /^xunfei.chat\.ws\.last\.json$/.test(path));
describe.skipIf(frames.length === 0)("recorded frames", () => {
  test.each(frames)("%s", (_path, text) => {
    const steps = stepsOfStream(sparkCodec, `data: ${JSON.stringify(JSON.parse(text))}\n\n`);
    expectSense(steps);
    expectSameForClients(steps);
  });
});
