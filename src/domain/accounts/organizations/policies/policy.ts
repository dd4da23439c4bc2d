import type { PolicyRules } from "../../../../../db/schema/accounts/organizations/policies.ts";
import { compileIpList, type IpList } from "../../../../lib/security/ip-list.ts";
import { type NamePattern, namePattern } from "../../../../lib/values/patterns/name-patterns.ts";
import { type SensitiveWords, sensitiveWords } from "../../../../settings/sensitive-words.ts";

/** A policy as the database has it. */
export type PolicyEntry = Readonly<{
  id: number;
  organizationId: number;
  /** 0: the whole organization. */
  projectId: number;
  name: string;
  rules: PolicyRules;
}>;

/** A policy as calls need it; null: no such rule. */
export type Policy = Readonly<{
  name: string;
  /** It holds for one project; else for the organization. */
  isOfProject: boolean;
  models: readonly NamePattern[] | null;
  channelTypes: ReadonlySet<number> | null;
  regions: readonly NamePattern[] | null;
  allowIps: IpList | null;
  words: SensitiveWords | null;
  logsContent: boolean;
  maxKeySeconds: number | null;
  /** After so many seconds the secret of a key is refused. */
  rotationSeconds: number | null;
  /** Quota units. */
  maxCallQuota: number | null;
}>;

/** All policies that hold for a call; the same object until one of them changes. */
export type PolicySet = readonly Policy[];

/** A policy that demands rotation, and after how many seconds. */
export type Rotation = Readonly<{ policy: Policy; seconds: number }>;

const DAY_S = 86_400;
const NO_WORDS = sensitiveWords([]);

/** Compiles a policy. Throws OperationError for a blocked pattern that is no regular expression. */
export function compilePolicy({
  name,
  rules,
  projectId = 0,
}: Pick<PolicyEntry, "name" | "rules"> & Partial<Pick<PolicyEntry, "projectId">>): Policy {
  const { models, channel_types: types, blocked_words: words } = rules;
  return {
    name,
    isOfProject: projectId !== 0,
    models: models.length > 0 ? models.map(namePattern) : null,
    channelTypes: types.length > 0 ? new Set(types) : null,
    regions: rules.regions?.length ? rules.regions.map(namePattern) : null,
    allowIps: compileIpList(rules.allow_ips),
    words: words.trim() === "" ? null : NO_WORDS.read(words, "blocked_words").value,
    logsContent: !rules.no_content_log,
    maxKeySeconds: rules.max_key_days > 0 ? rules.max_key_days * DAY_S : null,
    rotationSeconds: rules.rotation_days ? rules.rotation_days * DAY_S : null,
    maxCallQuota: rules.max_call_quota > 0 ? rules.max_call_quota : null,
  };
}

/** The first policy that does not allow a model; undefined: all do. */
export const policyAgainstModel = (set: PolicySet, model: string): Policy | undefined =>
  set.find(({ models }) => models !== null && !models.some((pattern) => pattern.test(model)));

/** What policies read of a channel. */
type PolicyChannel = Readonly<{ type: number; setting: Readonly<{ region?: unknown }> }>;

/** Whether a channel processes requests in a region that matches one of the patterns; one without a region never does. */
export const isInRegions = (
  { setting: { region } }: Pick<PolicyChannel, "setting">,
  patterns: readonly NamePattern[],
): boolean => typeof region === "string" && patterns.some((pattern) => pattern.test(region));

/** The first policy that does not allow a channel; undefined: all do. */
export const policyAgainstChannel = (set: PolicySet, channel: PolicyChannel): Policy | undefined =>
  set.find(
    ({ channelTypes, regions }) =>
      (channelTypes !== null && !channelTypes.has(channel.type)) ||
      (regions !== null && !isInRegions(channel, regions)),
  );

/** The first policy that does not allow a key that expires then (epoch seconds; -1: never); undefined: all do. */
export const policyAgainstExpiry = (set: PolicySet, expiresAt: number, now: number): Policy | undefined =>
  set.find(({ maxKeySeconds }) => maxKeySeconds !== null && (expiresAt === -1 || expiresAt > now + maxKeySeconds));

/** The policy that demands rotation the soonest; undefined: none demands it. */
export function strictestRotation(set: PolicySet): Rotation | undefined {
  let strictest: Rotation | undefined;
  for (const policy of set) {
    const seconds = policy.rotationSeconds;
    if (seconds !== null && (!strictest || seconds < strictest.seconds)) strictest = { policy, seconds };
  }
  return strictest;
}

/** The policy that refuses a secret that was made then (epoch seconds); undefined: none does. */
export function rotationAgainst(set: PolicySet, secretSince: number, now: number): Rotation | undefined {
  const rotation = strictestRotation(set);
  return rotation && now >= secretSince + rotation.seconds ? rotation : undefined;
}
