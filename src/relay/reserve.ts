import { InsufficientQuota } from "../billing/ledger/errors.ts";
import type { CacheWrites } from "../billing/pricing/estimate.ts";
import { upstreamModelOf } from "../channels/upstream-model.ts";
import type { Caller } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import { RelayError } from "./errors.ts";
import { holdFor } from "./estimate.ts";
import type { Hold, RelayServices } from "./services.ts";

/**
 * Sets aside what the call can cost at most, for the user and for a limited key; awaits nothing while the balance is ample.
 * Throws or rejects RelayError: no price, not enough quota, or nobody can say whether there is enough.
 */
export function reserve({ services, prices }: RelayContext, call: Call): void | Promise<void> {
  const { caller, candidates, summary, promptBound, prompt, body } = call.admitted;
  const first = candidates.tiers[0]?.channels[0];
  const upstreamModel = first ? upstreamModelOf(first, summary.model, candidates.model) : candidates.model;
  const { usdWithoutPrice } = call.admitted.endpoint;
  const price = usdWithoutPrice
    ? prices.ofTask(caller, summary.model, usdWithoutPrice)
    : prices.of(caller, summary.model, upstreamModel);
  call.price = call.admitted.endpoint.priceOf?.(price, call.admitted, upstreamModel) ?? price;
  const defaultOutput = services.settings.get("PreConsumedQuota") * summary.choices;
  // What Anthropic writes to its cache is dearer than what it only reads.
  const asked = { prompt, writesCache: cacheWritesOf(body.text) };
  const upper = holdFor(call.price, summary, promptBound, defaultOutput, prices.quotaPerUnit(), asked);
  const token = caller.token && { id: caller.token.id, limited: !caller.token.unlimitedQuota };
  // At least one unit: who has nothing left makes no calls, free models included.
  const amount = Math.max(1, upper);
  const keep = (hold: Hold) => {
    call.hold = hold;
  };
  try {
    const hold = services.billing.reserve({ userId: caller.user.id, token, amount });
    if (hold instanceof Promise) return hold.then(keep, (error) => Promise.reject(refusal(error, amount)));
    keep(hold);
  } catch (error) {
    throw refusal(error, amount);
  }
}

/** By the words of the body: a look at it, not a reading. */
function cacheWritesOf(body: string): CacheWrites {
  if (!body.includes('"cache_control"')) return "none";
  return /"ttl"\s*:\s*"1h"/.test(body) ? "long" : "short";
}

/** Sets an amount of quota units aside that is known beforehand. Rejects RelayError. */
export async function reserveAmount({ billing }: RelayServices, caller: Caller, units: number): Promise<Hold> {
  const token = caller.token && { id: caller.token.id, limited: !caller.token.unlimitedQuota };
  const amount = Math.max(1, units);
  try {
    return await billing.reserve({ userId: caller.user.id, token, amount });
  } catch (error) {
    throw refusal(error, amount);
  }
}

function refusal(error: unknown, amount: number): RelayError {
  if (!(error instanceof InsufficientQuota)) {
    return new RelayError(503, "ledger_unavailable", "The balance cannot be checked at the moment. Try again shortly.");
  }
  const { who, availableUnits } = error;
  const amounts = `${amount} quota units are needed for it at most, ${Math.max(0, availableUnits)} are available`;
  return who === "user"
    ? new RelayError(403, "insufficient_user_quota", `Your quota does not cover this call: ${amounts}.`)
    : new RelayError(
        403,
        "pre_consume_token_quota_failed",
        `The quota of this API key does not cover this call: ${amounts}.`,
      );
}
