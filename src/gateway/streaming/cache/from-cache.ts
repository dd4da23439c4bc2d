import { charge } from "../../../billing/pricing/charge.ts";
import { inTiers } from "../../../billing/pricing/service-tiers.ts";
import type { Price } from "../../../billing/types.ts";
import { stepsOf } from "../../../formats/conversation/collect-reply.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { decimal, multiply } from "../../../lib/values/decimal.ts";
import type { CacheRule } from "../../../settings/option/cache-rules.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseIfClientLeft } from "../../call/progress.ts";
import { Recording } from "../../call/recording.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { Pricing } from "../../money/price.ts";
import type { Reservation } from "../../money/reserve.ts";
import { type SettleCallContext, settleCall } from "../../money/settle-call.ts";
import { responseTo } from "../respond.ts";
import { readWish } from "./cache-control.ts";
import { cacheKeyOf, isCacheable, nameIn } from "./cache-key.ts";
import type { CachedResponse, CachedResponses, Turn } from "./cached-responses.ts";
import { inFormatOf, isWorthKeeping, type ResponseInFormat } from "./stored-form.ts";

/** The responses that this process has. */
export type CacheMemory = Readonly<{ cachedResponses: CachedResponses }>;

/** What `fromCache` works with. */
export type FromCacheContext = SettleCallContext & Pricing & Uses<"vault"> & Pick<CallTools, "catalog"> & CacheMemory;

const BYPASS = { state: "bypass", ageSeconds: 0, recording: null } as const;

/**
 * The response of an earlier, equal request, charged as the operator says; null: the call has to be made, and its response is
 * kept if it may be. A call waits while an equal one is under way. Throws GatewayError 504 where the client takes nothing else
 * (`Cache-Control: only-if-cached`, RFC 9111, 5.2.1).
 */
export async function fromCache(
  context: FromCacheContext,
  call: Call,
  reserved: Reservation,
): Promise<Response | null> {
  const { cachedResponses, services } = context;
  const { values } = services.settings;
  const { model } = call.summary;
  const rule = values.ResponseCacheRules.find(({ pattern }) => pattern.test(model) || pattern.test(nameIn(call)));
  const wish = readWish(call.request.headers.get("cache-control"));
  if (!rule || wish.noStore || !isCacheable(call, rule) || (!rule.tools && searches(context, model))) {
    call.progress.cache = BYPASS;
    if (wish.onlyIfCached) throw notCached();
    return null;
  }
  cachedResponses.limit(values.ResponseCacheMegabytes * 1024 * 1024);
  const ageOf = ({ storedAt }: CachedResponse) => Math.max(0, nowSeconds() - storedAt);
  const lookup = {
    key: services.vault.keyedHash(`${values.ResponseCacheGeneration} ${cacheKeyOf(call, rule)}`),
    ttlSeconds: rule.ttlSeconds ?? values.ResponseCacheTtlSeconds,
    isShared: values.ResponseCacheStore === "redis",
    isFresh: (found: CachedResponse) => found.expiresAt > nowSeconds() && ageOf(found) <= wish.maxAge,
  };
  let turn: Turn | null = null;
  if (!wish.noCache) {
    const lookedUpAtMs = performance.now();
    const found = wish.onlyIfCached ? await cachedResponses.peek(lookup) : await cachedResponses.find(lookup);
    call.progress.timing.waitedMs += performance.now() - lookedUpAtMs;
    const response = found.response && inFormatOf(call, found.response, values.LogChatContentEnabled);
    if (found.response && response) {
      return await serve(
        context,
        call,
        reserved,
        { ...found.response, ageSeconds: ageOf(found.response) },
        response,
        rule,
      );
    }
    turn = found.turn;
  }
  if (wish.onlyIfCached) throw notCached();
  const recording = recordFor(call, rule, lookup.ttlSeconds, turn ?? cachedResponses.begin(lookup));
  call.progress.cache = { state: "miss", ageSeconds: 0, recording };
  return null;
}

/** Whether the model looks for news with each answer. */
const searches = ({ catalog }: Pick<CallTools, "catalog">, model: string): boolean =>
  catalog().find(model).built_in_search === true;

/** Takes the response of a call that has the turn, and ends the turn. */
function recordFor(call: Call, rule: CacheRule, ttlSeconds: number, turn: Turn): Recording {
  const { stream: isStream, wantsUsage: withUsage, model } = call.summary;
  return new Recording(model, rule.maxBytes, (recorded) => {
    if (!recorded || !isWorthKeeping(call, recorded.text, rule)) return turn.drop(call.progress.client.hasLeft);
    const contentType = isStream ? call.endpoint.codec.streamType : "application/json";
    const storedAt = nowSeconds();
    turn.keep({ ...recorded, contentType, isStream, withUsage, storedAt, expiresAt: storedAt + ttlSeconds });
  });
}

/** Charges a hit and answers it: nothing is sent before the charge is durable. Rejects GatewayError if the client has left. */
async function serve(
  context: FromCacheContext,
  call: Call,
  reserved: Reservation,
  { ageSeconds, usage, tiers, upstreamCost, dropped }: CachedResponse & Readonly<{ ageSeconds: number }>,
  response: ResponseInFormat,
  rule: CacheRule,
): Promise<Response> {
  const { services, prices } = context;
  const { timing } = call.progress;
  // Its client may have left while it waited for an equal call.
  refuseIfClientLeft(call);
  if (call.summary.stream) timing.markFirstByte();
  timing.markOverhead();
  const percent = rule.hitPercent ?? services.settings.values.ResponseCacheHitPercent;
  const unit = prices.quotaPerUnit();
  const price = inTiers(reserved.prices.price, tiers);
  const { quota, receipt } = charge(hitPrice(price, percent), usage, unit);
  const full = charge(price, usage, unit).quota;
  const meter = new OutputMeter();
  if (response.reply) for (const step of stepsOf(response.reply)) meter.step(step);
  else meter.other();
  const ended = { ending: "complete", reported: usage, meter } as const;
  const charged = { quota, receipt: { ...receipt, cacheHitPercent: percent } };
  const savings = { price: full - quota, upstream: upstreamCost };
  call.progress.cache = { state: "hit", ageSeconds, recording: null, savings, dropped };
  const serviceTier = tiers.length > 0 ? tiers.join(", ") : undefined;
  await settleCall(context, call, reserved, { ended, usage, evidence: "reported", charged, serviceTier });
  return responseTo(call, response.text, response.contentType, call.summary.stream);
}

/** Made once for each price: what is computed from a price is remembered with it. */
const hitPrices = new WeakMap<Price, Map<number, Price>>();

/** The price of a hit: so much of the model's, in every part. */
function hitPrice(price: Price, percent: number): Price {
  const known = hitPrices.get(price);
  const made = known?.get(percent) ?? {
    ...price,
    groupRatio: multiply(price.groupRatio, multiply(decimal(percent), decimal("0.01"))),
  };
  if (known) known.set(percent, made);
  else hitPrices.set(price, new Map([[percent, made]]));
  return made;
}

const notCached = (): GatewayError =>
  new GatewayError(504, "not_in_cache", { code: "gateway_not_cached" }, { type: "invalid_request_error" });
