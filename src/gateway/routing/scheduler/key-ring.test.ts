import { expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import { createCoolDown } from "../../upstream/keys/cool-down.ts";
import { createKeyRing } from "./choose.ts";

const CALLS = 300;

/** How often each key is chosen. */
function counts(channel: ChannelEntry, failed: ReadonlySet<string> | null = null): Record<string, number> {
  let call = 0;
  const ring = createKeyRing(createCoolDown(), () => call / CALLS);
  const found: Record<string, number> = {};
  for (; call < CALLS; call += 1) {
    const key = ring.next(channel, failed, false) ?? "none";
    found[key] = (found[key] ?? 0) + 1;
  }
  return found;
}

const keys = ["a", "b", "c", "d"];
const disabledKeys = new Set(["b"]);

test("keys take turns; a disabled one is left out", () => {
  expect(counts(channelEntry({ keys: ["a", "b", "c"] }))).toEqual({ a: 100, b: 100, c: 100 });
  expect(counts(channelEntry({ keys, disabledKeys }))).toEqual({ a: 100, c: 100, d: 100 });
});

test("by chance each key that is in order comes as often as the others", () => {
  const channel = channelEntry({ keys, disabledKeys, setting: { multi_key_mode: "random" } });
  expect(counts(channel)).toEqual({ a: 100, c: 100, d: 100 });
  expect(counts(channel, new Set(["c"]))).toEqual({ a: 150, d: 150 });
  expect(counts(channel, new Set(["a", "c", "d"]))).toEqual({ none: CALLS });
});

test("of two keys each comes by chance too, not in turns", () => {
  const ring = createKeyRing(createCoolDown(), () => 0.9);
  const channel = channelEntry({ keys: ["a", "b"], setting: { multi_key_mode: "random" } });
  expect([1, 2, 3].map(() => ring.next(channel, null, false))).toEqual(["b", "b", "b"]);
});
