import type { Attempt, ServiceFee } from "../../../billing/types.ts";
import { isNamePattern, type NamePattern, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";
import type { Candidates } from "../routing/routing-index.ts";

/** Whether channels of the site take over when a key of one's own fails. */
export type KeyMode = "first" | "only";

/** A key of a caller's own, as calls need it. */
export type StoredKey = Readonly<{
  id: number;
  userId: number;
  name: string;
  /** Channel-type number. */
  type: number;
  /** The secret. */
  key: string;
  /** Where the operator has its calls go; empty: to the provider's own address. */
  baseUrl: string;
  /** Names and patterns. */
  models: readonly string[];
  mode: KeyMode;
}>;

/** Keys take the place of channels under ids that no channel has; that of a key sent with its call is the last. */
const FIRST_ID = 1_000_000_000;
const ID_OF_SENT = 2_147_483_647;
/** Before all channels of the site. */
const PRIORITY = Number.MAX_SAFE_INTEGER;

const NONE: ReadonlySet<string> = new Set();
const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_STATUSES: ReadonlyMap<number, number> = new Map();
const NO_SETTING = Object.freeze({});

/** A key in the place of a channel: without a proxy, mapping or override, so that it goes to its provider and nowhere else. */
function entryOf({ id, name, type, key, baseUrl }: StoredKey, fee: ServiceFee): ChannelEntry {
  return {
    id: id === 0 ? ID_OF_SENT : FIRST_ID + id,
    type,
    name,
    ...{ status: CHANNEL_STATUS.enabled, priority: PRIORITY, weight: 0 },
    ...{
      keys: [key],
      references: NO_NAMES,
      unresolved: [],
      disabledKeys: NONE,
    },
    ...{ baseUrl, other: "", openaiOrganization: "", maxInputTokens: 0 },
    ...{
      models: [],
      modelPatterns: null,
      groups: [],
      modelMapping: NO_NAMES,
      statusCodeMapping: NO_STATUSES,
    },
    ...{
      paramOverride: null,
      overrideRules: null,
      ownHeaders: null,
      setting: NO_SETTING,
      costs: null,
    },
    ...{ modelPrefix: "", tag: "", testModel: "", autoBan: false },
    ownKey: { id, fee },
  };
}

type OwnKey = Readonly<{
  entry: ChannelEntry;
  mode: KeyMode;
  names: ReadonlySet<string>;
  patterns: readonly NamePattern[];
}>;

/** Names that callers ask for, before the answers start again. */
const MAX_ANSWERS = 500;

/** The keys that the calls of one account may use. */
export class OwnKeys {
  readonly #keys: readonly OwnKey[];
  readonly #merged = new WeakMap<Candidates, Candidates>();
  readonly #alone = new Map<string, Candidates>();

  /** `fee`: what calls by these keys cost. */
  constructor(keys: readonly StoredKey[], fee: ServiceFee) {
    this.#keys = keys.map((key) => ({
      entry: entryOf(key, fee),
      mode: key.mode,
      names: new Set(key.models.filter((name) => !isNamePattern(name))),
      patterns: key.models.filter(isNamePattern).map(namePattern),
    }));
  }

  /**
   * The candidates of a model with the keys that serve it before the site's channels, or alone. The same object while keys and
   * channels stay the same. `found`: the site's channels, perhaps none.
   */
  merge(found: Candidates, model: string): Candidates {
    const isKnownModel = found.tiers.length > 0;
    const known = isKnownModel ? this.#merged.get(found) : this.#alone.get(model);
    if (known) return known;
    const merged = this.#mergeNew(found, model);
    if (isKnownModel) this.#merged.set(found, merged);
    else {
      if (this.#alone.size >= MAX_ANSWERS) this.#alone.clear();
      this.#alone.set(model, merged);
    }
    return merged;
  }

  #mergeNew(found: Candidates, model: string): Candidates {
    const serving = this.#keys.filter((key) => serves(key, model) || serves(key, found.model));
    if (serving.length === 0) return found;
    const own = {
      priority: PRIORITY,
      channels: serving.map(({ entry }) => entry),
    };
    const isAlone = serving.some(({ mode }) => mode === "only");
    return {
      model: found.model,
      tiers: isAlone ? [own] : [own, ...found.tiers],
    };
  }

  /** Attempts as the log lists them: a key is no channel, so it has no id of one. */
  withoutIds(attempts: readonly Attempt[]): Attempt[] {
    return attempts.map((attempt) => (attempt.channelId >= FIRST_ID ? { ...attempt, channelId: 0 } : attempt));
  }

  /** The models that these keys serve: those that they name, and of those that their providers are known for the ones that match. */
  models(knownOf: (type: number) => readonly string[]): string[] {
    return this.#keys.flatMap(({ entry, names, patterns }) => [
      ...names,
      ...knownOf(entry.type).filter((model) => patterns.some((pattern) => pattern.test(model))),
    ]);
  }

  /** Whether calls for a model may go to these keys alone. */
  isOnlyFor(model: string): boolean {
    return this.#keys.some((key) => key.mode === "only" && serves(key, model));
  }
}

const serves = ({ names, patterns }: OwnKey, model: string): boolean =>
  names.has(model) || patterns.some((pattern) => pattern.test(model));

/** Whether a call goes to keys of its caller alone; false: to the site's channels too, or only to them. */
export const hasOnlyOwnKeys = ({ tiers }: Candidates): boolean =>
  tiers.length > 0 && tiers.every(({ channels }) => channels.every(({ ownKey }) => ownKey !== undefined));

/** Whether a call goes first to a key of its caller. Keys stand before all channels. */
export const hasOwnKeys = ({ tiers }: Candidates): boolean => tiers[0]?.channels[0]?.ownKey !== undefined;

/** Printable ASCII without blanks: what fits into one header, or a list of keys. */
const KEY = /^[\x21-\x2b\x2d-\x7e]{8,500}$/;

/** Whether a text can be a key of one's own. */
export const isKeyText = (text: string): boolean => KEY.test(text);
