import { InsufficientQuota } from "../../billing/ledger/errors.ts";
import type { CacheWrites } from "../../billing/pricing/estimate.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { ledgerUnavailable, RelayError } from "../call/errors.ts";
import type { Hold, RelayServices } from "../call/services.ts";
import { holdFor } from "./estimate.ts";
import { priceCall } from "./price-call.ts";

/**
 * Sets aside what the call can cost at most, with whichever channel, for the user and for a limited key; awaits nothing
 * while the balance is ample. Throws or rejects RelayError: no price, not enough quota, or nobody can say whether there is enough.
 */
export function reserve({ services, prices }: RelayContext, call: Call): void | Promise<void> {
  const { caller, summary, promptBound, prompt, body } = call.admitted;
  const possible = priceCall(prices, call);
  const defaultOutput = services.settings.get("PreConsumedQuota") * summary.choices;
  // What Anthropic writes to its cache is dearer than what it only reads.
  const asked = { prompt, writesCache: cacheWritesOf(body.text) };
  const unit = prices.quotaPerUnit();
  let upper = 0;
  for (const price of possible) {
    upper = Math.max(upper, holdFor(price, summary, promptBound, defaultOutput, unit, asked));
  }
  const token = caller.token && { id: caller.token.id, limited: !caller.token.unlimitedQuota };
  // At least one unit: who has nothing left makes no calls, free models included.
  const amount = Math.max(1, upper);
  try {
    const hold = services.billing.reserve({ userId: caller.user.id, token, amount });
    if (hold instanceof Promise) return keepLater(call, hold, amount);
    call.hold = hold;
  } catch (error) {
    throw refusal(error, amount);
  }
}

async function keepLater(call: Call, hold: Promise<Hold>, amount: number): Promise<void> {
  try {
    call.hold = await hold;
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
    return ledgerUnavailable("The balance cannot be checked at the moment. Try again shortly.");
  }
  const { who, availableUnits } = error;
  const amounts = `${amount} quota units are needed for it at most, ${Math.max(0, availableUnits)} are available`;
  return who === "user"
    ? new RelayError(403, "insufficient_user_quota", `Your quota does not cover this call: ${amounts}.`, {
        limit: "user_quota",
      })
    : new RelayError(
        403,
        "pre_consume_token_quota_failed",
        `The quota of this API key does not cover this call: ${amounts}.`,
        { limit: "key_quota" },
      );
}
