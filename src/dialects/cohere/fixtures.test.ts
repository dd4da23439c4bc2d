import { describe, expect, test } from "bun:test";
import { stepsOf } from "../collect-reply.ts";
import { recordOf } from "../json.ts";
import { expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { cohereProvider } from "./index.ts";

const streams = samples(
  (path, text) => path.startsWith("cohere") && path.endsWith(".sse") && text.includes("message-end"),
);
const answers = samples(
  (path, text) => path.startsWith("cohere") && /"finish_reason"/.test(text) && /"message": \{/.test(text),
);

describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(cohereProvider, text);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(answers.length === 0)("recorded answers", () => {
  test.each(answers)("%s", (_path, text) => {
    const reply = cohereProvider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    if (!reply) return;
    expectSense([...stepsOf(reply)]);
    expectSameThroughDoors([...stepsOf(reply)]);
  });
});
