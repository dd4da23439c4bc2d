import { afterEach, expect, test } from "bun:test";
import { startRelay } from "./testing/start-relay.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

test("tells where a call would go, and why not elsewhere", () => {
  const relay = startRelay({
    channels: [
      { models: ["m"], groups: ["default"], priority: 5, weight: 20 },
      { models: ["m"], groups: ["default"], priority: 5, weight: 0 },
      { models: ["m"], groups: ["default"], priority: 1 },
      { models: ["m"], groups: ["vip"] },
      { models: ["m"], groups: ["default"], status: 3 },
      { models: ["m"], groups: ["default"], priority: 5, maxInputTokens: 10 },
      { models: ["other"], groups: ["default"] },
    ],
  });
  stops.push(relay.stop);
  const { model, channels } = relay.explain({ model: "m", group: "default", promptTokens: 100 });
  expect(model).toBe("m");
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  expect(channels[0]).toMatchObject({ id: 1, share: 0.75, tier: 1, reasons: [] });
  expect(byId.get(2)).toMatchObject({ share: 0.25, tier: 1, reasons: [] });
  expect(byId.get(3)).toMatchObject({ share: 0, tier: 2, reasons: [] });
  expect(byId.get(4)).toMatchObject({ share: 0, tier: null, reasons: ["other_group"] });
  expect(byId.get(5)).toMatchObject({ reasons: ["auto_disabled"] });
  expect(byId.get(6)).toMatchObject({ share: 0, reasons: ["prompt_too_long"] });
  expect(byId.has(7)).toBe(false);
});
