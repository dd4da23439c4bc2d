import { expect, test } from "bun:test";
import { createSpeeds } from "./speeds.ts";

test("averages follow the latest calls, and old ones are forgotten", () => {
  let now = 0;
  const speeds = createSpeeds(() => now);
  expect(speeds.find(1, "m")).toBeNull();
  speeds.observe(1, "m", { firstTokenMs: 100, tokensPerSecond: null });
  speeds.observe(1, "m", { firstTokenMs: null, tokensPerSecond: 50 });
  expect(speeds.find(1, "m")).toMatchObject({ firstTokenMs: 100, tokensPerSecond: 50 });
  speeds.observe(1, "m", { firstTokenMs: 200, tokensPerSecond: 100 });
  expect(speeds.find(1, "m")).toMatchObject({ firstTokenMs: 120, tokensPerSecond: 60 });
  expect([speeds.find(2, "m"), speeds.find(1, "other")]).toEqual([null, null]);
  for (let call = 0; call < 50; call += 1) speeds.observe(1, "m", { firstTokenMs: 500, tokensPerSecond: 10 });
  expect(speeds.find(1, "m")?.firstTokenMs).toBeCloseTo(500, 0);
  now = 10 * 60_000;
  expect(speeds.find(1, "m")).toBeNull();
  speeds.observe(1, "m", { firstTokenMs: 30, tokensPerSecond: null });
  expect(speeds.find(1, "m")).toMatchObject({ firstTokenMs: 30, tokensPerSecond: null });
});

test("a call that measured nothing changes nothing", () => {
  const speeds = createSpeeds();
  speeds.observe(1, "m", { firstTokenMs: null, tokensPerSecond: null });
  expect(speeds.find(1, "m")).toBeNull();
});
