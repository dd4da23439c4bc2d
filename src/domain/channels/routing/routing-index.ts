import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";

/** Channels of one priority that share calls by weight: those without a weight only if none of them has one. */
export type Tier = Readonly<{ priority: number; channels: readonly ChannelEntry[] }>;
/** Channels for a model, best tier first; `model` is the requested name without the channels' prefix. */
export type Candidates = Readonly<{ model: string; tiers: readonly Tier[] }>;

/** Enabled channels that serve a name in any group; the tiers of a group are made when first looked up. */
type Route = Readonly<{ channels: Map<number, ChannelEntry>; candidates: Map<string, Candidates | null> }>;

/** Enabled channels of a group; their names in order, made when first read. */
type GroupChannels = { channels: Map<number, ChannelEntry>; names: readonly string[] | null };

/**
 * Which channels serve a call is one look-up, however many channels there are; a channel that changes touches only its own
 * names and groups. Nothing is kept for each pair of group and name that nobody has called: with 200 groups and 2,000 models
 * those alone would be most of the memory. Only enabled channels are in it, under their prefixed names. Patterns count only for
 * names that no channel of the group has.
 */
export function createRoutingIndex() {
  const routes = new Map<string, Route>();
  const groups = new Map<string, GroupChannels>();
  const patterns = createPatternRoutes();

  return {
    add(entry: ChannelEntry): void {
      patterns.add(entry);
      if (entry.status !== CHANNEL_STATUS.enabled) return;
      for (const model of entry.models) {
        const name = entry.modelPrefix + model;
        const route = routes.get(name) ?? { channels: new Map(), candidates: new Map() };
        routes.set(name, route);
        route.channels.set(entry.id, entry);
        route.candidates.clear();
      }
      for (const name of entry.groups) {
        const group = groups.get(name) ?? { channels: new Map(), names: null };
        groups.set(name, group);
        group.channels.set(entry.id, entry);
        group.names = null;
      }
    },
    remove(entry: ChannelEntry): void {
      patterns.remove(entry);
      if (entry.status !== CHANNEL_STATUS.enabled) return;
      for (const model of entry.models) {
        const name = entry.modelPrefix + model;
        const route = routes.get(name);
        route?.channels.delete(entry.id);
        route?.candidates.clear();
        if (route?.channels.size === 0) routes.delete(name);
      }
      for (const name of entry.groups) {
        const group = groups.get(name);
        if (!group) continue;
        group.channels.delete(entry.id);
        group.names = null;
        if (group.channels.size === 0) groups.delete(name);
      }
    },
    candidates(group: string, model: string): Candidates | null {
      for (let name = model; ; name = collapseGizmo(model)) {
        const route = routes.get(name);
        let found = route?.candidates.get(group);
        // What callers write as their group is not remembered.
        if (route && found === undefined && groups.has(group)) {
          const channels: ChannelEntry[] = [];
          for (const channel of route.channels.values()) if (channel.groups.includes(group)) channels.push(channel);
          found = channels.length === 0 ? null : intoTiers(name, channels);
          route.candidates.set(group, found);
        }
        if (found) return name === model ? found : { ...found, model };
        if (name !== model || collapseGizmo(model) === model) return patterns.find(group, model);
      }
    },
    modelsOf(name: string): readonly string[] {
      const group = groups.get(name);
      if (!group) return [];
      group.names ??= [...new Set([...group.channels.values()].flatMap(namesOf))].sort();
      return group.names;
    },
    groupsOf: (name: string): string[] => [
      ...new Set([...(routes.get(name)?.channels.values() ?? [])].flatMap((channel) => channel.groups)),
    ],
  };
}

const namesOf = ({ models, modelPrefix }: ChannelEntry): readonly string[] =>
  modelPrefix === "" ? models : models.map((model) => modelPrefix + model);

/** Custom GPTs share one entry in lists of models. */
function collapseGizmo(model: string): string {
  for (const family of ["gpt-4-gizmo-", "gpt-4o-gizmo-"]) if (model.startsWith(family)) return `${family}*`;
  return model;
}

/** Answers for names of one group, before they start again: names are whatever callers write. */
const MAX_ANSWERS = 2_000;

type Group = Readonly<{ channels: Map<number, ChannelEntry>; answers: Map<string, Candidates | null> }>;

/** Whether a channel serves a name, its prefix included, by one of its patterns. */
export const servesByPattern = (
  { modelPatterns, modelPrefix }: Pick<ChannelEntry, "modelPatterns" | "modelPrefix">,
  name: string,
): boolean =>
  modelPatterns !== null &&
  name.startsWith(modelPrefix) &&
  modelPatterns.some((pattern) => pattern.test(name.slice(modelPrefix.length)));

/** Group → enabled channels with patterns. Each name is matched once, until one of the group's channels changes. */
function createPatternRoutes() {
  const groups = new Map<string, Group>();
  return {
    add(entry: ChannelEntry): void {
      if (!entry.modelPatterns || entry.status !== CHANNEL_STATUS.enabled) return;
      for (const name of entry.groups) {
        const group = groups.get(name) ?? { channels: new Map(), answers: new Map() };
        groups.set(name, group);
        group.channels.set(entry.id, entry);
        group.answers.clear();
      }
    },
    remove(entry: ChannelEntry): void {
      if (!entry.modelPatterns) return;
      for (const name of entry.groups) {
        const group = groups.get(name);
        group?.channels.delete(entry.id);
        group?.answers.clear();
        if (group?.channels.size === 0) groups.delete(name);
      }
    },
    find(groupName: string, model: string): Candidates | null {
      const group = groups.get(groupName);
      if (!group) return null;
      const known = group.answers.get(model);
      if (known !== undefined) return known;
      const channels = [...group.channels.values()].filter((channel) => servesByPattern(channel, model));
      const answer = channels.length === 0 ? null : intoTiers(model, channels);
      if (group.answers.size >= MAX_ANSWERS) group.answers.clear();
      group.answers.set(model, answer);
      return answer;
    },
  };
}

function intoTiers(name: string, channels: readonly ChannelEntry[]): Candidates {
  // Where one prefix begins another, the longest means the call.
  const longest = Math.max(...channels.map(({ modelPrefix }) => modelPrefix.length));
  const tiers = new Map<number, ChannelEntry[]>();
  for (const channel of channels.toSorted((a, b) => a.id - b.id)) {
    if (channel.modelPrefix.length !== longest) continue;
    const tier = tiers.get(channel.priority);
    if (tier) tier.push(channel);
    else tiers.set(channel.priority, [channel]);
  }
  return {
    model: name.slice(longest),
    tiers: [...tiers]
      .map(([priority, members]) => ({ priority, channels: weighted(members) }))
      .sort((a, b) => b.priority - a.priority),
  };
}

function weighted(channels: ChannelEntry[]): ChannelEntry[] {
  const heavy = channels.filter(({ weight }) => weight > 0);
  return heavy.length > 0 ? heavy : channels;
}

/**
 * Whether an enabled channel gets no calls, because its weight is 0 and, for every model that it serves, another channel of its
 * priority has a weight.
 */
export function getsNoTraffic(
  channel: ChannelEntry,
  { candidates }: Readonly<{ candidates(group: string, model: string): Candidates | null }>,
): boolean {
  const { status, weight, priority, groups, models, modelPatterns, modelPrefix } = channel;
  if (status !== CHANNEL_STATUS.enabled || weight > 0 || models.length === 0 || modelPatterns) return false;
  return groups.every((group) =>
    models.every((model) => {
      const tier = candidates(group, modelPrefix + model)?.tiers.find((each) => each.priority === priority);
      return tier !== undefined && tier.channels[0]?.weight !== 0;
    }),
  );
}

/**
 * The name a channel's upstream knows a model by: the channel's mapping, looked up by the requested name, then by the name
 * without the prefix and then by its patterns, and followed along a chain of names until it ends or comes back to one already
 * seen.
 */
export function upstreamModelOf(
  { modelMapping }: Pick<ChannelEntry, "modelMapping">,
  requested: string,
  bare: string,
): string {
  if (modelMapping.size === 0) return bare;
  const seen = new Set([requested, bare]);
  let name = bare;
  let next =
    modelMapping.get(requested) ??
    modelMapping.get(bare) ??
    modelMapping.rewrite?.(requested) ??
    (requested === bare ? undefined : modelMapping.rewrite?.(bare));
  while (next && !seen.has(next)) {
    seen.add(next);
    name = next;
    next = modelMapping.get(name);
  }
  return name;
}

/** What the upstreams of all candidates call a model that is asked for so: each name once, that of the first channel first. */
export const upstreamModelsOf = ({ tiers, model }: Candidates, requested: string): string[] => [
  ...new Set(tiers.flatMap(({ channels }) => channels.map((channel) => upstreamModelOf(channel, requested, model)))),
];
