import { describe, expect, test } from "bun:test";
import type { DoorCodec, ProviderCodec } from "./codec.ts";
import { stepsOf } from "./collect-reply.ts";
import { recordOf } from "./json.ts";
import { expectSameForProviders, expectSameThroughDoors, expectSense, samples, stepsOfStream } from "./testing.ts";

type Wanted = (path: string, text: string) => boolean;

/** Which of the recorded samples belong to a format; none of a kind where it is left out. */
type SamplesOf = Readonly<Partial<Record<"streams" | "answers" | "errors", Wanted>>> &
  Readonly<{ framing?: "events" | "lines" }>;

const ofKind = (kind: string, wanted: Wanted | undefined, check: (text: string) => void) => {
  const found = wanted ? samples(wanted) : [];
  describe.skipIf(found.length === 0)(`recorded ${kind}`, () => {
    test.each(found)("%s", (_path, text) => check(text));
  });
};

/** Tests that recorded streams and answers are read, make sense, and say the same through every door. */
export function testAnswers(provider: ProviderCodec, { streams, answers, errors, framing }: SamplesOf): void {
  ofKind("streams", streams, (text) => {
    const steps = stepsOfStream(provider, text, framing);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
  ofKind("answers", answers, (text) => {
    const reply = provider.decodeReply(recordOf(JSON.parse(text)) ?? {});
    expect(reply).not.toBeNull();
    const steps = reply ? [...stepsOf(reply)] : [];
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
  ofKind("errors", errors, (text) => {
    const error = provider.decodeError(400, JSON.parse(text));
    expect(error?.message).not.toBe("");
    expect(error?.status).toBeGreaterThanOrEqual(400);
  });
}

/** Tests that recorded requests are read, and can be written in every provider's format. */
export function testRequests(door: DoorCodec, requests: Wanted): void {
  ofKind("requests", requests, (text) => {
    const conversation = door.decodeRequest(recordOf(JSON.parse(text)) ?? {});
    expect(conversation.turns.length).toBeGreaterThan(0);
    expectSameForProviders(conversation);
  });
}
