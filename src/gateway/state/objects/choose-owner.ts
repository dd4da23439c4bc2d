import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { channelRefusal } from "../../auth/policies.ts";
import type { Caller } from "../../call/caller.ts";
import type { Choice } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import { payerOf, receiptBudget } from "../../money/log-row.ts";
import type { RoutingMemory } from "../../routing/memory.ts";
import { choose } from "../../routing/scheduler/choose.ts";
import { keepsObjects, keyHashOf, notOffered } from "./request-upstream.ts";
import type { ObjectKind, Payer, StoredObject } from "./store.ts";

/**
 * Chooses the channel and key that will store a caller's objects: one of the caller's group that supports them, which
 * `isFit` decides. Throws GatewayError.
 */
export function chooseOwner(
  { services, keys }: Uses<"channels"> & Pick<RoutingMemory, "keys">,
  caller: Caller,
  isFit: (channel: ChannelEntry) => boolean = keepsObjects,
): Choice {
  const { pinnedChannelId, group, policies } = caller;
  const fit = [...services.channels.all()]
    .filter((channel) => channel.status === 1 && isFit(channel))
    .filter(({ id, groups }) => (pinnedChannelId === null ? groups.includes(group) : id === pinnedChannelId))
    .filter((channel) => !policies || channelRefusal(policies, channel, "") === null);
  const priorities = [...new Set(fit.map(({ priority }) => priority))].sort((a, b) => b - a);
  const tiers = priorities.map((priority) => ({
    priority,
    channels: fit.filter((channel) => channel.priority === priority),
  }));
  const choice = choose(tiers, null, keys, () => true);
  if (!choice) throw notOffered();
  return choice;
}

/** An object to store, with its caller and the channel and key that made it; `model` if it has one. */
export const storedObjectOf = (
  caller: Caller,
  { channel, key }: Choice,
  kind: ObjectKind,
  body: JsonObject,
  model?: Payer["model"],
): StoredObject => {
  const { userId, tokenId, ...payer } = payerOf(caller);
  return {
    id: String(body.id),
    kind,
    userId,
    tokenId,
    channelId: channel.id,
    keyHash: keyHashOf(channel, key),
    body,
    payer: {
      ...payer,
      acceptsUnset: caller.user.acceptUnsetPrice,
      userGroup: caller.user.group,
      ...(model && { model }),
      ...(caller.budgets && caller.budgets.length > 0 && { budgets: caller.budgets.map(receiptBudget) }),
    },
    createdAt: nowSeconds(),
    settledAt: null,
  };
};
