import { describe, expect, test } from "bun:test";
import { stepsOf } from "../collect-reply.ts";
import { recordOf } from "../json.ts";
import { expectSameForProviders, expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { openaiResponsesDoor, openaiResponsesProvider } from "./index.ts";

const streams = samples((path, text) => path.endsWith(".sse") && /"response\.created"/.test(text));
const answers = samples((path, text) => path.endsWith(".response.json") && /"object": ?"response"/.test(text));
const requests = samples(
  (path, text) => path.endsWith(".request.json") && /"input"/.test(text) && /responses/.test(path),
);

describe.skipIf(streams.length === 0)("recorded streams of responses", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(openaiResponsesProvider, text);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(answers.length === 0)("recorded responses", () => {
  test.each(answers)("%s", (_path, text) => {
    const reply = openaiResponsesProvider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    if (!reply) return;
    const steps = [...stepsOf(reply)];
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(requests.length === 0)("recorded requests", () => {
  test.each(requests)("%s", (_path, text) => {
    const conversation = openaiResponsesDoor.decodeRequest(recordOf(JSON.parse(text)) ?? {});
    expect(conversation.turns.length).toBeGreaterThan(0);
    expectSameForProviders(conversation);
  });
});
