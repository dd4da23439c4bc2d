import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Tier } from "../../../domain/channels/routing/routing-index.ts";
import type { Choice, Excluded } from "../../call/route.ts";
import type { CoolDown } from "../../upstream/keys/cool-down.ts";

/** Random draws before all channels of a tier are checked. */
const MAX_DRAWS = 8;

type Fit = (channel: ChannelEntry) => boolean;

/**
 * Chooses the channel and key of the next attempt: from the best tier with an eligible channel, at random by weight.
 * Channels tried before come only after all others, and only if another key is left or a retry may succeed; cooling
 * ones come last. Among equals, channels that `prefers` accepts come first, whatever their tier. Null if nothing is
 * left to try.
 */
export function choose(
  tiers: readonly Tier[],
  excluded: Excluded | null,
  keys: KeyRing,
  suits: Fit,
  random: () => number = Math.random,
  prefers: Fit | null = null,
): Choice | null {
  const criteria = { excluded, keys, suits };
  const preferred = prefers && withPreference(criteria, prefers);
  for (const rule of RULES) {
    const choice = (preferred && pick(tiers, rule, preferred, random)) ?? pick(tiers, rule, criteria, random);
    if (choice) return choice;
  }
  return null;
}

/** The channels among which `choose` draws, by the same rules, with their shares; empty if it would choose none. */
export function contenders(
  tiers: readonly Tier[],
  excluded: Excluded | null,
  keys: KeyRing,
  suits: Fit,
  prefers: Fit | null = null,
): ReadonlyMap<ChannelEntry, number> {
  const all = { excluded, keys, suits };
  for (const rule of RULES) {
    for (const criteria of prefers ? [withPreference(all, prefers), all] : [all]) {
      for (const { channels } of tiers) {
        const fitting = channels.filter((channel) => fits(channel, rule, criteria));
        if (fitting.length > 0) return sharesOf(fitting);
      }
    }
  }
  return new Map();
}

/** Each channel's share of the calls: its part of the weights, or an equal part where all weights are 0. */
function sharesOf(channels: readonly ChannelEntry[]): ReadonlyMap<ChannelEntry, number> {
  const sums = runningSums(channels);
  const total = sums.at(-1) ?? 0;
  const shares = channels.map((channel, at) => [channel, ((sums[at] ?? 0) - (sums[at - 1] ?? 0)) / total] as const);
  return new Map(shares);
}

const withPreference = (criteria: Criteria, prefers: Fit): Criteria => ({
  ...criteria,
  suits: (channel) => prefers(channel) && criteria.suits(channel),
});

/** Rules by which a channel is eligible: the next rule applies only if no channel satisfies the one before. */
const RULES = ["fresh", "again", "cooling"] as const;
type Rule = (typeof RULES)[number];

type Criteria = Readonly<{ excluded: Excluded | null; keys: KeyRing; suits: Fit }>;

/** Whether the rule admits the channel and it suits the call, whatever its keys. */
function isAdmitted(channel: ChannelEntry, rule: Rule, { excluded, suits }: Criteria): boolean {
  // For a call without attempts, every channel is fresh.
  if (rule === "again" ? !excluded : excluded?.channels.has(channel)) return false;
  return suits(channel);
}

const fits = (channel: ChannelEntry, rule: Rule, criteria: Criteria): boolean =>
  isAdmitted(channel, rule, criteria) &&
  criteria.keys.hasFit(channel, criteria.excluded?.keys.get(channel.id) ?? null, rule === "cooling");

/**
 * A channel of the best tier with an eligible one, and its next key, at random by weight. A random channel is nearly always eligible, so a few
 * draws with precomputed sums suffice; only if hardly any is eligible, all are checked. Either way each eligible channel has
 * its share.
 */
function pick(tiers: readonly Tier[], rule: Rule, criteria: Criteria, random: () => number): Choice | null {
  const { excluded, keys } = criteria;
  for (const tier of tiers) {
    const { channels } = tier;
    for (let draws = 0; draws < Math.min(MAX_DRAWS, channels.length); draws += 1) {
      const drawn = channels.length === 1 ? channels[0] : draw(channels, sumsOf(tier), random);
      if (!drawn || !isAdmitted(drawn, rule, criteria)) continue;
      const key = keys.next(drawn, excluded?.keys.get(drawn.id) ?? null, rule === "cooling");
      if (key !== null) return { channel: drawn, key };
    }
    const channel = channels.length === 1 ? null : pickOfFew(channels, rule, criteria, random);
    const key = channel && keys.next(channel, excluded?.keys.get(channel.id) ?? null, rule === "cooling");
    if (channel && key !== null) return { channel, key };
  }
  return null;
}

function pickOfFew(
  channels: readonly ChannelEntry[],
  rule: Rule,
  criteria: Criteria,
  random: () => number,
): ChannelEntry | null {
  const fitting = channels.filter((channel) => fits(channel, rule, criteria));
  return draw(fitting, runningSums(fitting), random) ?? null;
}

const sumsByTier = new WeakMap<Tier, Float64Array>();

function sumsOf(tier: Tier): Float64Array {
  const known = sumsByTier.get(tier);
  if (known) return known;
  const sums = runningSums(tier.channels);
  sumsByTier.set(tier, sums);
  return sums;
}

function runningSums(channels: readonly ChannelEntry[]): Float64Array {
  const isEven = channels.every(({ weight }) => weight === 0);
  let sum = 0;
  return Float64Array.from(channels, ({ weight }) => {
    sum += isEven ? 1 : weight;
    return sum;
  });
}

/** Finds the channel whose share contains a random number, by binary search. */
function draw(channels: readonly ChannelEntry[], sums: Float64Array, random: () => number): ChannelEntry | undefined {
  const at = random() * (sums.at(-1) ?? 0);
  let low = 0;
  let high = channels.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return channels[low];
}

/**
 * Rotates through the keys of a channel, or picks them at random if its setting `multi_key_mode` says so. Skips
 * disabled and failed keys, and cooling ones unless `evenCooling`.
 */
export type KeyRing = {
  /** The next usable key; null if there is none. */
  next(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): string | null;
  hasFit(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): boolean;
  /** Whether this key is usable now. */
  isFit(channel: ChannelEntry, key: string): boolean;
  /** The same keys for a prompt of so many tokens: those with fewer tokens left count as cooling. */
  forPrompt(tokens: number): KeyRing;
};

/** Chooses a channel's keys in turn, without those that rest. `random`: from 0 to below 1. */
export function createKeyRing(
  coolDown: CoolDown,
  random: () => number = Math.random,
  promptTokens = 0,
  turns = new Map<number, number>(),
): KeyRing {
  const isFitAt = (
    { id, keys, disabledKeys }: ChannelEntry,
    index: number,
    failed: ReadonlySet<string> | null,
    evenCooling: boolean,
  ): boolean => {
    const key = keys[index] ?? "";
    // Checks the size first: a lookup hashes the whole key, which is rarely in the processor's cache if there are many
    // channels.
    if ((disabledKeys.size > 0 && disabledKeys.has(key)) || failed?.has(key)) return false;
    return evenCooling || !coolDown.isCooling(id, key, promptTokens);
  };

  return {
    next(channel, failed, evenCooling) {
      const { id, keys, setting } = channel;
      if (keys.length > 1 && setting.multi_key_mode === "random") {
        const fit = keys.filter((_, index) => isFitAt(channel, index, failed, evenCooling));
        return fit[Math.floor(random() * fit.length)] ?? null;
      }
      const from = turns.get(id) ?? 0;
      for (let step = 0; step < keys.length; step += 1) {
        const index = (from + step) % keys.length;
        if (!isFitAt(channel, index, failed, evenCooling)) continue;
        if (keys.length > 1) turns.set(id, index + 1);
        return keys[index] ?? null;
      }
      return null;
    },
    isFit: (channel, key) =>
      channel.keys.includes(key) &&
      !channel.disabledKeys.has(key) &&
      !coolDown.isCooling(channel.id, key, promptTokens),
    forPrompt(tokens) {
      return coolDown.hasAllowances() ? createKeyRing(coolDown, random, tokens, turns) : this;
    },
    hasFit: (channel, failed, evenCooling) =>
      channel.keys.some((_, index) => isFitAt(channel, index, failed, evenCooling)),
  };
}

const membersOf = new WeakMap<readonly Tier[], Map<number, ChannelEntry>>();

/**
 * Finds the channel with that id in the tiers, through a cached index. Tiers are immutable: changes create new ones.
 */
export function findChannel(tiers: readonly Tier[], id: number): ChannelEntry | undefined {
  let members = membersOf.get(tiers);
  if (!members) {
    members = new Map(tiers.flatMap(({ channels }) => channels.map((channel) => [channel.id, channel] as const)));
    membersOf.set(tiers, members);
  }
  return members.get(id);
}
