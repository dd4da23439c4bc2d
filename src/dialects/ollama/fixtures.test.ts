import { describe, expect, test } from "bun:test";
import { stepsOf } from "../collect-reply.ts";
import { recordOf } from "../json.ts";
import { expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { ollamaProvider } from "./index.ts";

const streams = samples((path, text) => /^ollama.*ndjson$/.test(path) && text.includes('"message"'));
const answers = samples((path, text) => /^ollama.*response\.json$/.test(path) && text.includes('"done_reason"'));

describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(ollamaProvider, text, "lines");
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(answers.length === 0)("recorded answers", () => {
  test.each(answers)("%s", (_path, text) => {
    const reply = ollamaProvider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    if (!reply) return;
    expectSense([...stepsOf(reply)]);
    expectSameThroughDoors([...stepsOf(reply)]);
  });
});
