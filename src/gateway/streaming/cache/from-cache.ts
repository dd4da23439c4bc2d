import { charge } from "../../../billing/pricing/charge.ts";
import type { Price } from "../../../billing/types.ts";
import { type Reply, replyOf, stepsOf } from "../../../formats/conversation/collect-reply.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { randomId } from "../../../lib/http/request.ts";
import { decimal, multiply } from "../../../lib/values/decimal.ts";
import { codecOf } from "../../../providers/registry.ts";
import type { CacheRule } from "../../../settings/option/cache-rules.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseIfClientLeft } from "../../call/progress.ts";
import { Recording } from "../../call/recording.ts";
import type { Uses } from "../../call/services.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { Pricing } from "../../money/price.ts";
import type { Reservation } from "../../money/reserve.ts";
import { type SettleCallContext, settleCall } from "../../money/settle-call.ts";
import { responseTo } from "../respond.ts";
import { cacheKeyOf, isCacheable } from "./cache-key.ts";
import type { CachedResponse, CachedResponses } from "./cached-responses.ts";

/** The responses that this process has. */
export type CacheMemory = Readonly<{ cachedResponses: CachedResponses }>;

/** What `fromCache` works with. */
export type FromCacheContext = SettleCallContext & Pricing & Uses<"vault" | "cacheTotals"> & CacheMemory;

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
  if (!rule || wish.noStore || !isCacheable(call, rule)) {
    call.progress.cache = BYPASS;
    if (wish.onlyIfCached) throw notCached();
    return null;
  }
  cachedResponses.limit(values.ResponseCacheMegabytes * 1024 * 1024);
  const isShared = values.ResponseCacheStore === "redis";
  const key = services.vault.keyedHash(`${values.ResponseCacheGeneration} ${cacheKeyOf(call, rule)}`);
  if (!wish.noCache) {
    const found = (await cachedResponses.find(key, isShared)) ?? (await cachedResponses.awaitEqual(key));
    const ageSeconds = found ? Math.max(0, nowSeconds() - found.storedAt) : 0;
    if (found && ageSeconds <= wish.maxAge) {
      const response = inFormatOf(call, found, values.LogChatContentEnabled);
      if (response) {
        call.progress.cache = { state: "hit", ageSeconds, recording: null };
        return await serve(context, call, reserved, found, response, rule);
      }
    }
  }
  if (wish.onlyIfCached) throw notCached();
  const ttlSeconds = rule.ttlSeconds ?? values.ResponseCacheTtlSeconds;
  const done = cachedResponses.begin(key, ttlSeconds, isShared);
  const { stream: isStream, wantsUsage: withUsage } = call.summary;
  const recording = new Recording(model, rule.maxBytes, (recorded) => {
    const contentType = isStream ? call.endpoint.codec.streamType : "application/json";
    done(recorded && { ...recorded, contentType, isStream, withUsage, storedAt: nowSeconds() });
  });
  call.progress.cache = { state: "miss", ageSeconds: 0, recording };
  services.cacheTotals?.count(model, { hits: 0, misses: 1, saved: 0 });
  return null;
}

/** The name by which the client called: of a model or of a route. */
const nameIn = ({ body, summary }: Call): string =>
  typeof body.json.model === "string" ? body.json.model : summary.model;

/** Charges a hit and answers it: nothing is sent before the charge is durable. Rejects GatewayError if the client has left. */
async function serve(
  context: FromCacheContext,
  call: Call,
  reserved: Reservation,
  { usage }: CachedResponse,
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
  const { quota, receipt } = charge(hitPrice(reserved.prices.price, percent), usage, unit);
  const full = charge(reserved.prices.price, usage, unit).quota;
  const meter = new OutputMeter();
  if (response.reply) for (const step of stepsOf(response.reply)) meter.step(step);
  else meter.other();
  const ended = { ending: "complete", reported: usage, meter } as const;
  const charged = { quota, receipt: { ...receipt, cacheHitPercent: percent } };
  await settleCall(context, call, reserved, { ended, usage, evidence: "reported", charged });
  services.cacheTotals?.count(call.summary.model, { hits: 1, misses: 0, saved: full - quota });
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

type ResponseInFormat = Readonly<{ text: string; contentType: string; reply: Reply | null }>;

/**
 * The response as the call wants it: as it was, or a stream from a complete one and the other way round; null: it cannot be read.
 * It is decoded only for that, or where `logsContent` its text is logged.
 */
function inFormatOf(call: Call, found: CachedResponse, logsContent: boolean): ResponseInFormat | null {
  const { endpoint, summary, requestId, createdAt } = call;
  const { codec, capability } = endpoint;
  const { text, contentType, isStream, withUsage, usage } = found;
  const isAsStored = isStream === summary.stream && (!isStream || withUsage === summary.wantsUsage);
  if (capability !== "chat" || (isAsStored && !logsContent)) return { text, contentType, reply: null };
  const reply = replyOf(codecOf(codec.dialect), text, randomId);
  if (!reply) return null;
  if (isAsStored) return { text, contentType, reply };
  const request = call.conversation?.() ?? codec.decodeRequest(call.body.json);
  const about = { model: summary.model, requestId, createdAt, newId: randomId };
  const complete: Reply = { ...reply, usage: reply.usage ?? usage };
  if (!summary.stream) {
    return {
      text: JSON.stringify(codec.encodeReply(complete, about, request)),
      contentType: "application/json",
      reply,
    };
  }
  const encoder = codec.streamEncoder(about, request);
  const events =
    [...stepsOf(complete)].map((step) => encoder.push(step)).join("") + encoder.end(complete.usage ?? usage);
  return { text: events, contentType: codec.streamType, reply };
}

/** What a client wants of a cache, as HTTP says it. */
type Wish = Readonly<{ noStore: boolean; noCache: boolean; onlyIfCached: boolean; maxAge: number }>;

const ANY: Wish = { noStore: false, noCache: false, onlyIfCached: false, maxAge: Number.POSITIVE_INFINITY };

/** Reads `Cache-Control` (RFC 9111, 5.2.1); what is not known has no effect. */
export function readWish(header: string | null): Wish {
  if (!header) return ANY;
  const words = header
    .toLowerCase()
    .split(",")
    .map((word) => word.trim());
  const maxAge = words.map((word) => /^max-age="?(\d+)"?$/.exec(word)?.[1]).find((seconds) => seconds !== undefined);
  return {
    noStore: words.includes("no-store"),
    noCache: words.includes("no-cache"),
    onlyIfCached: words.includes("only-if-cached"),
    maxAge: maxAge === undefined ? ANY.maxAge : Number(maxAge),
  };
}

const notCached = (): GatewayError =>
  new GatewayError(504, "not_in_cache", { code: "gateway_not_cached" }, { type: "invalid_request_error" });
