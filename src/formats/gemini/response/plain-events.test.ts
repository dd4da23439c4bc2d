import { describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../json.ts";
import { GeminiDecoder } from "./decode-reply.ts";
import { PlainEvents } from "./plain-events.ts";

type Members = { text?: string; candidate?: JsonObject; part?: JsonObject; usage?: JsonObject | null };

const written = ({ text = "word", candidate = {}, part = {}, usage = { promptTokenCount: 3 } }: Members): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ text, ...part }], role: "model" }, index: 0, ...candidate }],
    ...(usage && { usageMetadata: usage }),
    modelVersion: "gemini-made-up",
    responseId: "r1",
  });

/** The result of reading `next` after `first` was parsed. */
function readAfter(first: string, next: string) {
  const events = new PlainEvents();
  events.learn(first, recordOf(parseJson(first)) ?? {});
  return events.read(next);
}

describe("events in the same frame", () => {
  test("differ in text and usage", () => {
    const usage = { promptTokenCount: 3, candidatesTokenCount: 12, promptTokensDetails: [{ modality: "TEXT" }] };
    expect(readAfter(written({}), written({ text: " zwölf 字", usage }))).toEqual({ text: " zwölf 字", usage });
    const bare = readAfter(written({ usage: null }), written({ text: "b", usage: null }));
    expect(bare).toEqual({ text: "b", usage: null });
  });

  test("may contain whitespace", () => {
    const spaced = (text: string, count: number) =>
      `{"candidates": [{"content": {"parts": [{"text": "${text}"}],"role": "model"}}],"usageMetadata": {"promptTokenCount": ${count}}}`;
    const read = readAfter(spaced("a", 1), spaced("b", 22));
    expect(read).toEqual({ text: "b", usage: { promptTokenCount: 22 } });
  });

  test.each([
    ["an escape", written({ text: "a\nb" })],
    ["a quote", written({ text: 'say "so"' })],
    ["no text", written({ text: "" })],
    ["an end", written({ candidate: { finishReason: "STOP" } })],
    ["another candidate", written({ candidate: { index: 1 } })],
    ["a thought", written({ part: { thought: true } })],
    ["a signature", written({ part: { thoughtSignature: "c2ln" } })],
    ["further members behind the usage", written({}).replace('},"modelVersion', '},"promptFeedback":{},"modelVersion')],
    ["less", written({}).slice(0, -1)],
    ["more", `${written({})} `],
    ["usage that is none", written({}).replace('{"promptTokenCount":3}', "3")],
    ["no usage", written({ usage: null })],
  ])("%s is not one of them", (_, other) => {
    expect(readAfter(written({}), other)).toBeNull();
  });

  test.each([
    ["an end", written({ candidate: { finishReason: "STOP" } })],
    ["another candidate", written({ candidate: { index: 1 } })],
    ["a thought", written({ part: { thought: true } })],
    ["citations", written({ candidate: { citationMetadata: {} } })],
    ["a text with an escape", written({ text: "a\nb" })],
  ])("are not learned from %s", (_, first) => {
    expect(readAfter(first, first.replace("word", "other").replace("a\\nb", "c"))).toBeNull();
  });
});

test("a response means the same whether or not its events are alike", () => {
  const texts = ["Once", " upon", " a\ttime", " there", ' was “a” "lock"', "", " 水闸", " end"];
  const events = texts.map((text, index) => {
    const last = index === texts.length - 1;
    const usage = { promptTokenCount: 9, candidatesTokenCount: index + 1, totalTokenCount: 10 + index };
    return written({ text, usage, ...(last && { candidate: { finishReason: "STOP" } }) });
  });
  const read = (decoders: () => GeminiDecoder) => {
    let decoder = decoders();
    return events.map((data) => {
      const steps = decoder.push({ event: "", data });
      decoder = decoders();
      return steps;
    });
  };
  const one = new GeminiDecoder((prefix) => `${prefix}1`);
  const together = read(() => one).flat();
  const apart = read(() => new GeminiDecoder((prefix) => `${prefix}1`)).flat();
  const [start, ...rest] = together;
  expect(start?.type).toBe("start");
  expect(rest).toEqual(apart.filter(({ type }) => type !== "start"));
});
