import type { ChannelEntry } from "./entry.ts";

/** How one key does at the moment, and did in the last hour; of this process alone. */
export type KeyLive = Readonly<{
  /** Left alone for a while after failures, or on its upstream's wish. */
  isCooling: boolean;
  /** Epoch seconds until which it is left alone at least; null while it is not. */
  coolingUntil: number | null;
  /** Failures in a row. */
  failures: number;
  inFlight: number;
  /** Of the last hour. */
  calls: number;
  failed: number;
  /** Milliseconds until the upstream answered, on average over the calls that it answered; null without any. */
  latencyMs: number | null;
}>;

export type ChannelLive = Readonly<{
  inFlight: number;
  calls: number;
  failed: number;
  latencyMs: number | null;
  /** The last hour in slots of five minutes, oldest first. */
  slots: readonly Readonly<{ count: number; failed: number }>[];
  /** In the order of the channel's keys. */
  keys: readonly KeyLive[];
}>;

/** Returns how a channel does; implemented by whoever sends calls. */
export type ReadLive = (channel: ChannelEntry) => ChannelLive;
