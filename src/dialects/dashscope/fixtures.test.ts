import { describe, test } from "bun:test";
import { expectSameThroughDoors, expectSense, samples, stepsOfStream } from "../testing.ts";
import { dashscopeProvider } from "./index.ts";

const streams = samples((path) => /^dashscope.native.*\.sse$/.test(path));

describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(dashscopeProvider, text);
    expectSense(steps);
    expectSameThroughDoors(steps);
  });
});
