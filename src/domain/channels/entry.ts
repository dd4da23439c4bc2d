import { CHANNEL_STATUS, type channelKeys, type channels } from "../../../db/schema/channels/channels.ts";
import { type ChannelCosts, readChannelCosts } from "../../billing/pricing/ratios/channel-cost.ts";
import type { ServiceFee } from "../../billing/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { isNamePattern, NameMap, type NamePattern, namePattern } from "../../lib/values/patterns/name-patterns.ts";
import type { KeyReferences } from "./keys/key-references.ts";
import { splitKeys } from "./keys/keys.ts";
import type { ChannelSetting } from "./manage/channel-settings.ts";
import { type OwnHeaders, readOwnHeaders } from "./routing/overrides/own-headers.ts";
import { type OverrideRule, readOverrideRules } from "./routing/overrides/read-overrides.ts";

export type ChannelRow = typeof channels.$inferSelect;
type KeyRow = Pick<typeof channelKeys.$inferSelect, "keyHash" | "status">;

export { CHANNEL_STATUS };

type UnresolvedKey = Readonly<{ reference: string; reason: string }>;

/** What a channel calls models upstream: by name, and where `rewrite` is there by pattern. */
type ModelMapping = ReadonlyMap<string, string> & { rewrite?(name: string): string | undefined };

/** A channel as calls need it: immutable, with its JSON parsed and its keys decrypted. */
export type ChannelEntry = Readonly<{
  id: number;
  type: number;
  name: string;
  status: number;
  priority: number;
  weight: number;
  keys: readonly string[];
  /** Keys that come from a secret manager, with the references that are stored instead. */
  references: ReadonlyMap<string, string>;
  /** Stored references that could not be resolved; `keys` does not contain them. */
  unresolved: readonly UnresolvedKey[];
  disabledKeys: ReadonlySet<string>;
  baseUrl: string;
  other: string;
  openaiOrganization: string;
  /** Tokens; 0: no limit. */
  maxInputTokens: number;
  /** Names; patterns are not among them. */
  models: readonly string[];
  /** Patterns of names that it serves where no channel of the group has the name itself; null: none. */
  modelPatterns: readonly NamePattern[] | null;
  groups: readonly string[];
  modelMapping: ModelMapping;
  statusCodeMapping: ReadonlyMap<number, number>;
  /** Members that are set in every body. */
  paramOverride: Readonly<Record<string, unknown>> | null;
  /** Operations on bodies, after the members are set; null: none. */
  overrideRules: readonly OverrideRule[] | null;
  /** Headers that it sends besides its provider's; null: none. */
  ownHeaders: OwnHeaders | null;
  setting: ChannelSetting;
  /** What its calls cost the operator; null: it does not say. */
  costs: ChannelCosts | null;
  modelPrefix: string;
  tag: string;
  testModel: string;
  autoBan: boolean;
  /** It stands for a key of the caller's own; absent: it is the site's. */
  ownKey?: OwnKeyFacts;
}>;

/** What a call must know about a key of its caller's own. */
export type OwnKeyFacts = Readonly<{
  /** 0: it came with the call, and nothing of it is remembered. */
  id: number;
  /** What calls by it cost. */
  fee: ServiceFee;
}>;

/** Reads a row. Throws DecryptionError if its keys were encrypted with another encryption key. */
export function toEntry(
  row: ChannelRow,
  keyRows: readonly KeyRow[],
  vault: Vault,
  keyReferences: Pick<KeyReferences, "find">,
): ChannelEntry {
  const setting: ChannelSetting = readObject(row.setting);
  const { keys, references, unresolved } = resolveKeys(storedKeysOf(row, vault), keyReferences);
  const off = new Set(keyRows.filter(({ status }) => status !== CHANNEL_STATUS.enabled).map(({ keyHash }) => keyHash));
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    status: row.status,
    priority: row.priority,
    weight: row.weight,
    keys,
    references,
    unresolved,
    disabledKeys:
      off.size === 0 ? NONE : new Set(keys.filter((key) => off.has(vault.keyedHash(storedKeyOf({ references }, key))))),
    baseUrl: row.baseUrl,
    other: row.other,
    openaiOrganization: row.openaiOrganization,
    maxInputTokens: row.maxInputTokens,
    ...splitPatterns(row.models),
    groups: row.groups,
    modelMapping: readMapping(row.modelMapping),
    statusCodeMapping: statusMap(row.statusCodeMapping),
    ...readOverrides(row.paramOverride),
    ownHeaders: row.headerOverride.trim() === "" ? null : ifValid(() => readOwnHeaders(readObject(row.headerOverride))),
    setting,
    costs: readChannelCosts(setting),
    modelPrefix: row.modelPrefix,
    tag: row.tag,
    testModel: row.testModel,
    autoBan: row.autoBan,
  };
}

const NO_OVERRIDES = { paramOverride: null, overrideRules: null };

/** Operations that an earlier release stored unread, as a member of that name, are left out. */
function readOverrides(text: string): Pick<ChannelEntry, "paramOverride" | "overrideRules"> {
  if (text.trim() === "") return NO_OVERRIDES;
  const { operations, ...plain } = readObject(text);
  const rules = operations === undefined ? null : ifValid(() => readOverrideRules({ operations }).rules);
  return { paramOverride: Object.keys(plain).length === 0 ? null : plain, overrideRules: rules?.length ? rules : null };
}

function ifValid<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}

/** What most channels have none of, once for all of them. */
const NONE: ReadonlySet<string> = new Set();
const NO_TEXTS: ReadonlyMap<string, string> = new Map();
const NO_STATUSES: ReadonlyMap<number, number> = new Map();
const NO_MEMBERS: Readonly<Record<string, unknown>> = Object.freeze({});

/** The keys of a row as they are stored: some may be references. Throws DecryptionError. */
export const storedKeysOf = ({ type, keyCipher }: Pick<ChannelRow, "type" | "keyCipher">, vault: Vault): string[] =>
  splitKeys(type, vault.decrypt(keyCipher));

/** What identifies a key of a channel, also after its secret manager has replaced it: the text that is stored. */
export const storedKeyOf = ({ references }: Pick<ChannelEntry, "references">, key: string): string =>
  references.get(key) ?? key;

function resolveKeys(
  storedKeys: readonly string[],
  keyReferences: Pick<KeyReferences, "find">,
): Pick<ChannelEntry, "keys" | "references" | "unresolved"> {
  const references = new Map<string, string>();
  const unresolved: UnresolvedKey[] = [];
  const keys = storedKeys.flatMap((storedKey) => {
    const resolved = keyReferences.find(storedKey);
    if (resolved === null) return [storedKey];
    if ("reason" in resolved) {
      unresolved.push({ reference: storedKey, reason: resolved.reason });
      return [];
    }
    references.set(resolved.value, storedKey);
    return [resolved.value];
  });
  if (references.size === 0) return { keys, references: NO_TEXTS, unresolved };
  return { keys: [...new Set(keys)], references, unresolved };
}

/** JSON text of an object; everything else is an empty object (rows are validated when they are saved). */
function readObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === "") return NO_MEMBERS;
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : NO_MEMBERS;
  } catch {
    return NO_MEMBERS;
  }
}

function readMapping(text: string): ModelMapping {
  const texts = Object.entries(readObject(text)).flatMap<[string, string]>(([from, to]) =>
    typeof to === "string" ? [[from, to]] : [],
  );
  return texts.length === 0 ? NO_TEXTS : new NameMap(texts);
}

/** Names apart from patterns: of most channels all are names. */
function splitPatterns(models: readonly string[]): Pick<ChannelEntry, "models" | "modelPatterns"> {
  const patterns = models.filter(isNamePattern);
  if (patterns.length === 0) return { models, modelPatterns: null };
  return { models: models.filter((name) => !isNamePattern(name)), modelPatterns: patterns.map(namePattern) };
}

/** Statuses come as numbers or as text. */
const statusMap = (text: string): ReadonlyMap<number, number> => {
  const statuses = Object.entries(readObject(text))
    .map(([from, to]) => [Number(from), Number(to)] as const)
    .filter(([from, to]) => Number.isInteger(from) && Number.isInteger(to) && to >= 100 && to <= 599);
  return statuses.length === 0 ? NO_STATUSES : new Map(statuses);
};
