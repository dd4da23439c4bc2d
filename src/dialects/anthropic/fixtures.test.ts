import { describe, expect, test } from "bun:test";
import { stepsOf } from "../collect-reply.ts";
import { recordOf } from "../json.ts";
import { expectSameForProviders, expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { anthropicDoor, anthropicProvider } from "./index.ts";

const streams = samples((path, text) => path.endsWith(".sse") && /"message_start"/.test(text));
const answers = samples(
  (path, text) => path.endsWith(".response.json") && /"stop_reason"/.test(text) && /"role": ?"assistant"/.test(text),
);
const requests = samples(
  (path, text) =>
    path.endsWith(".request.json") && /^(anthropic|bedrock\/invoke)/.test(path) && /"messages"/.test(text),
);
const errors = samples((path) => /^anthropic\/error[^/]*\.json$/.test(path));

describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(anthropicProvider, text);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(answers.length === 0)("recorded answers", () => {
  test.each(answers)("%s", (_path, text) => {
    const reply = anthropicProvider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    if (!reply) return;
    const steps = [...stepsOf(reply)];
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(requests.length === 0)("recorded requests", () => {
  test.each(requests)("%s", (_path, text) => {
    const conversation = anthropicDoor.decodeRequest(recordOf(JSON.parse(text)) ?? {});
    expect(conversation.turns.length).toBeGreaterThan(0);
    expectSameForProviders(conversation);
  });
});

describe.skipIf(errors.length === 0)("recorded errors", () => {
  test.each(errors)("%s", (_path, text) => {
    const error = anthropicProvider.decodeError(400, JSON.parse(text));
    expect(error?.message).not.toBe("");
    expect(error?.status).toBeGreaterThanOrEqual(400);
  });
});
