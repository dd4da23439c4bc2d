import { expect, test } from "bun:test";
import type { ChannelLive } from "../current-state.ts";
import { healthOf } from "./channel-health.ts";

const rest = { inFlight: 0, calls: 0, failed: 0, latencyMs: null };
const key = { ...rest, isCooling: false, coolingUntil: null, failures: 0 };
const live = (fields: Partial<ChannelLive> = {}): ChannelLive => ({ ...rest, slots: [], keys: [key, key], ...fields });
const channel = { status: 1, keys: ["a", "b"], disabledKeys: new Set<string>() };
const secondRests = live({ keys: [key, { ...key, isCooling: true }] });

test.each([
  ["healthy", channel, live()],
  ["disabled", { ...channel, status: 3 }, secondRests],
  ["cooling", channel, secondRests],
  ["healthy", { ...channel, disabledKeys: new Set(["b"]) }, secondRests],
  ["failing", channel, live({ calls: 5, failed: 1 })],
  ["healthy", channel, live({ calls: 4, failed: 4 })],
  ["healthy", channel, live({ calls: 100, failed: 19 })],
] as const)("%s", (expected, input, now) => {
  expect(healthOf(input, now)).toBe(expected);
});
