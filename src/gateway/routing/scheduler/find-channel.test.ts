import { expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { createRoutingIndex } from "../../../domain/channels/routing/routing-index.ts";
import { findChannel } from "./choose.ts";

test("finds a channel of any tier, and follows changes", () => {
  const index = createRoutingIndex();
  const entries = [1, 2, 3].map((id) => channelEntry({ id, priority: id, models: ["m"] }));
  entries.forEach(index.add);
  const tiers = () => index.candidates("default", "m")?.tiers ?? [];
  expect(findChannel(tiers(), 2)).toBe(entries[1]);
  expect(findChannel(tiers(), 9)).toBeUndefined();
  if (entries[1]) index.remove(entries[1]);
  expect(findChannel(tiers(), 2)).toBeUndefined();
  expect(findChannel(tiers(), 3)).toBe(entries[2]);
});
