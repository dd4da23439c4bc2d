import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import { findFallbacks, type PricedCall } from "../routing/model-fallbacks.ts";
import { priceCall } from "./price.ts";
import { type Reservation, reserve, upperCost } from "./reserve.ts";

/**
 * Reserves a call; where the money does not cover its model, for the first cheaper one that may take over and is covered. Rejects
 * GatewayError: the refusal of the call's own model.
 */
export async function reserveAffordable(
  context: GatewayContext,
  call: Call,
): Promise<Readonly<{ call: Call; reserved: Reservation }>> {
  const prices = priceCall(context.prices, call);
  const fallbacks = findFallbacks(context, call);
  try {
    return { call, reserved: await reserve(context, call, prices, fallbacks) };
  } catch (error) {
    if (fallbacks.length === 0 || !isTooExpensive(error)) throw error;
    return (await reserveCheaper(context, { call, prices }, fallbacks)) ?? Promise.reject(error);
  }
}

/** Null: none of the fallbacks is covered. */
async function reserveCheaper(context: GatewayContext, refused: PricedCall, fallbacks: readonly PricedCall[]) {
  let highest = upperCost(context, refused.call, refused.prices);
  for (const [at, { call, prices }] of fallbacks.entries()) {
    const upper = upperCost(context, call, prices);
    // What costs as much as a model that is not covered is none either.
    if (upper >= highest) continue;
    highest = upper;
    const calls = fallbacks.slice(at + 1);
    try {
      return { call: withoutExperiment(call), reserved: await reserve(context, call, prices, calls) };
    } catch (error) {
      if (!isTooExpensive(error)) throw error;
    }
  }
  return null;
}

/** The money of a caller decided, so the call says nothing about the sides of an experiment. */
const withoutExperiment = (call: Call): Call =>
  call.route?.experiment ? { ...call, route: { ...call.route, experiment: null } } : call;

const LIMITS: ReadonlySet<unknown> = new Set(["user_quota", "key_quota", "budget"]);

/** Whether the balance, the key, a budget, a plan or a policy's price limit refused the call. */
const isTooExpensive = (error: unknown): boolean =>
  error instanceof GatewayError && (LIMITS.has(error.limit) || error.code === "policy_price_exceeded");
