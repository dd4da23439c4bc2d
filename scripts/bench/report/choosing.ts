import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { createRoutingIndex } from "../../../src/domain/channels/routing/routing-index.ts";
import { choose, createKeyRing, findChannel } from "../../../src/gateway/routing/scheduler/choose.ts";
import { createCoolDown } from "../../../src/gateway/upstream/keys/cool-down.ts";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { table } from "./report.ts";
import { median } from "./statistics.ts";

/** What choosing a channel for one call costs. */
export type ChoosingRow = Readonly<{ channels: number; drawnNs: number; coolingNs: number; stickyNs: number }>;

const CALLS = 200_000;
const ROUNDS = 7;
const MODEL = "gpt-4o";
/** One channel in so many is left alone after failures. */
const COOLING = 20;
const LONG_MS = 3_600_000;

/**
 * Nanoseconds to choose a channel among so many that all serve the model: drawn by weight, the same while one in twenty
 * cools down, and found again for a conversation that was there before. Medians of several rounds.
 */
export function measureChoosing(channels: number): ChoosingRow {
  const index = createRoutingIndex();
  const entries: ChannelEntry[] = Array.from({ length: channels }, (_, at) =>
    channelEntry({ id: at + 1, name: `channel ${at + 1}`, models: [MODEL], weight: at % 11, keys: [`key-${at}`] }),
  );
  for (const entry of entries) index.add(entry);
  const suits = () => true;
  const tiers = () => index.candidates("default", MODEL)?.tiers ?? [];
  const well = createKeyRing(createCoolDown());
  const coolDown = createCoolDown();
  for (const { id, keys } of entries) if (id % COOLING === 0) coolDown.start(id, keys[0] ?? "", LONG_MS);
  const someCooling = createKeyRing(coolDown);
  return {
    channels,
    drawnNs: time(() => choose(tiers(), null, well, suits)),
    coolingNs: time(() => choose(tiers(), null, someCooling, suits)),
    stickyNs: time((call) => findChannel(tiers(), 1 + (call % channels))),
  };
}

function time(work: (call: number) => unknown): number {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => {
    const began = Bun.nanoseconds();
    for (let call = 0; call < CALLS; call += 1) if (!work(call)) throw new Error("no channel was found");
    return (Bun.nanoseconds() - began) / CALLS;
  });
  // The first one is for warming up.
  return median(rounds.slice(1));
}

/** The rows as a Markdown table. */
export const choosingTable = (rows: readonly ChoosingRow[]): string =>
  table(
    ["choosing a channel among", "by weight ns", "1 in 20 cools down ns", "the conversation's own ns"],
    rows.map(({ channels, drawnNs, coolingNs, stickyNs }) => [
      channels.toLocaleString("en"),
      ...[drawnNs, coolingNs, stickyNs].map((value) => value.toFixed(0)),
    ]),
  );
