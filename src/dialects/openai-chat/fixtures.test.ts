import { describe, expect, test } from "bun:test";
import { stepsOf } from "../collect-reply.ts";
import { recordOf } from "../json.ts";
import { expectSameForProviders, expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { openaiChatDoor, openaiChatProvider } from "./index.ts";

const streams = samples((path, text) => path.endsWith(".sse") && /"chat\.completion\.chunk"/.test(text));
const answers = samples(
  (path, text) =>
    path.endsWith(".response.json") && /"choices"/.test(text) && /"message"/.test(text) && !/"output"/.test(text),
);
const requests = samples(
  (path, text) =>
    path.endsWith(".request.json") &&
    /"messages"/.test(text) &&
    /^(openai|azure|deepseek|openrouter|mistral|xai)\b/.test(path),
);

describe.skipIf(streams.length === 0)("recorded chat streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(openaiChatProvider, text);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(answers.length === 0)("recorded chat answers", () => {
  test.each(answers)("%s", (_path, text) => {
    const reply = openaiChatProvider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    if (!reply) return;
    const steps = [...stepsOf(reply)];
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});

describe.skipIf(requests.length === 0)("recorded requests", () => {
  test.each(requests)("%s", (_path, text) => {
    const conversation = openaiChatDoor.decodeRequest(recordOf(JSON.parse(text)) ?? {});
    expect(conversation.turns.length).toBeGreaterThan(0);
    expectSameForProviders(conversation);
  });
});
