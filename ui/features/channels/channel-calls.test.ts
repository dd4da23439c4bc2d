import { expect, test } from "bun:test";
import { createRunning } from "./channel-calls.ts";

test("one action at a time for each channel", async () => {
  const running = createRunning();
  const first = Promise.withResolvers<void>();
  expect(running.run(1, () => first.promise)).toBe(true);
  expect(running.run(1, async () => {})).toBe(false);
  expect(running.run(2, async () => {})).toBe(true);
  first.resolve();
  await Bun.sleep(0);
  expect(running.run(1, async () => {})).toBe(true);
});
