import {
  type Policy,
  type PolicySet,
  policyAgainstChannel,
  policyAgainstExpiry,
  policyAgainstModel,
  rotationAgainst,
} from "../../domain/accounts/organizations/policies/policy.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import { GatewayError } from "../call/errors.ts";

const DAY_S = 86_400;

/** Refuses calls from addresses that a policy of the organization does not allow. Throws GatewayError. */
export function refuseAddress(set: PolicySet, ip: string): void {
  const policy = set.find(({ allowIps }) => allowIps !== null && !allowIps.matches(ip));
  if (!policy) return;
  const params = { policy: policy.name, ip: ip || "(unknown)" };
  throw new GatewayError(403, "policy_ip_not_allowed", { code: "gateway_policy_ip", params });
}

/** Refuses keys that last longer than a policy allows. Throws GatewayError. */
export function refuseLongKey(set: PolicySet, expiresAt: number, now: number): void {
  const policy = policyAgainstExpiry(set, expiresAt, now);
  if (!policy) return;
  const params = { policy: policy.name };
  throw new GatewayError(403, "policy_key_expiry", { code: "gateway_policy_key_expiry", params });
}

/** Refuses keys whose secret a policy demands to be rotated by now. Throws GatewayError. */
export function refuseOldSecret(set: PolicySet, secretSince: number, now: number): void {
  const overdue = rotationAgainst(set, secretSince, now);
  if (!overdue) return;
  const params = { policy: overdue.policy.name, days: overdue.seconds / DAY_S };
  throw new GatewayError(403, "policy_key_rotation", { code: "gateway_policy_key_rotation", params });
}

/** Refuses models that a policy does not allow. Throws GatewayError. */
export function refuseModel(set: PolicySet, model: string): void {
  const policy = policyAgainstModel(set, model);
  if (!policy) return;
  const params = { policy: policy.name, model };
  throw new GatewayError(403, "policy_model_not_allowed", { code: "gateway_policy_model", params });
}

/** Refuses calls that may cost more than a policy allows, in quota units. Throws GatewayError. */
export function refusePrice(set: PolicySet, needed: number): void {
  for (const { name, maxCallQuota: max } of set) {
    if (max === null || needed <= max) continue;
    const params = { policy: name, max, needed };
    throw new GatewayError(403, "policy_price_exceeded", { code: "gateway_policy_price", params });
  }
}

/** Whether policies allow a call to cost that much. */
export const allowsPrice = (set: PolicySet, needed: number): boolean =>
  set.every(({ maxCallQuota: max }) => max === null || needed <= max);

/** The refusal of a channel that a policy does not allow; null: all allow it. */
export function channelRefusal(set: PolicySet, channel: ChannelEntry, model: string): GatewayError | null {
  const policy = policyAgainstChannel(set, channel);
  if (!policy) return null;
  const params = { policy: policy.name, model };
  return new GatewayError(403, "policy_provider_not_allowed", { code: "gateway_policy_provider", params });
}

/** Which policy refuses a call, and for what. */
export type PolicyRefusal = Readonly<{
  reason: "policy_expiry" | "policy_rotation" | "policy_model" | "policy_channel";
  policy: Policy;
}>;

type PlannedCall = Readonly<{
  token: Pick<ApiKeyEntry, "expiredTime" | "secretSince">;
  model: string;
  channel: ChannelEntry;
  /** Epoch seconds. */
  now: number;
}>;

/** The first refusal of a call of a key for a model by a channel, whatever its prompt and address; null: none. */
export function policyRefusal(set: PolicySet, { token, model, channel, now }: PlannedCall): PolicyRefusal | null {
  const byExpiry = policyAgainstExpiry(set, token.expiredTime, now);
  if (byExpiry) return { reason: "policy_expiry", policy: byExpiry };
  const byRotation = rotationAgainst(set, token.secretSince, now);
  if (byRotation) return { reason: "policy_rotation", policy: byRotation.policy };
  const byModel = policyAgainstModel(set, model);
  if (byModel) return { reason: "policy_model", policy: byModel };
  const byChannel = policyAgainstChannel(set, channel);
  return byChannel ? { reason: "policy_channel", policy: byChannel } : null;
}

const narrowed = new WeakMap<PolicySet, WeakMap<Candidates, Candidates>>();

/** The candidates that policies allow for a model. The same object while channels and policies stay the same. */
export function allowedCandidates(set: PolicySet, all: Candidates, model: string): Candidates {
  if (policyAgainstModel(set, model)) return { model: all.model, tiers: [] };
  if (set.every(({ channelTypes, regions }) => channelTypes === null && regions === null)) return all;
  const known = narrowed.get(set) ?? new WeakMap<Candidates, Candidates>();
  narrowed.set(set, known);
  let allowed = known.get(all);
  if (!allowed) {
    const tiers = all.tiers.map(({ priority, channels }) => ({
      priority,
      channels: channels.filter((channel) => !policyAgainstChannel(set, channel)),
    }));
    allowed = { model: all.model, tiers: tiers.filter(({ channels }) => channels.length > 0) };
    known.set(all, allowed);
  }
  return allowed;
}
