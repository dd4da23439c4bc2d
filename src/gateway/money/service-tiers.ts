import { estimate } from "../../billing/pricing/charge.ts";
import { inTiers, isTierPriced, NO_TIERS, tierName, tierNames } from "../../billing/pricing/service-tiers.ts";
import type { Price } from "../../billing/types.ts";
import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import { type JsonObject, textOf } from "../../formats/json.ts";
import type { Decimal } from "../../lib/values/decimal.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { Uses } from "../call/services.ts";
import { type CallPrices, possiblePrices } from "./price.ts";
import type { Ending } from "./price-usage.ts";

/** The tiers in which a call may be served, each as the names by which it is charged; without names: the standard one. */
type PossibleTiers = readonly (readonly string[])[];

/** Where a request leaves the tier to the provider: those that the model has prices for, and at least these. */
const CHOSEN_BY_PROVIDER = ["priority"];

/** What a request asks for, in any client's format. */
const requestedIn = (body: JsonObject) => ({
  serviceTier: (textOf(body.service_tier) ?? textOf(body.serviceTier))?.toLowerCase().replace(/^service_tier_/, ""),
  speed: textOf(body.speed) ?? undefined,
  inferenceGeo: textOf(body.inference_geo) ?? undefined,
});

/** The tiers that the client names; without `auto`, which names none. */
const requestedTiers = ({ body }: Call): readonly string[] =>
  asksForTier(body.json) ? tierNames(requestedIn(body.json)) : NO_TIERS;

/** The tiers that a request with these members may be served in, by the price of its model. */
function tiersOf(body: JsonObject, price: Price): PossibleTiers {
  const requested = requestedIn(body);
  const names = tierNames(requested);
  if (requested.serviceTier !== "auto") return [names];
  const own = [...(price.serviceTiers?.keys() ?? [])].filter((name) => name !== "fast" && !name.startsWith("geo:"));
  return [...new Set([...own, ...CHOSEN_BY_PROVIDER])].map((tier) => [tier, ...names]);
}

/** Members of overrides that ask for a tier, by candidates: a model may have a thousand channels. */
const overridesByCandidates = new WeakMap<Candidates, readonly JsonObject[]>();

function tierOverrides(candidates: Candidates): readonly JsonObject[] {
  const known = overridesByCandidates.get(candidates);
  if (known) return known;
  const overrides = candidates.tiers
    .flatMap(({ channels }) => channels)
    .flatMap(({ paramOverride }) => (paramOverride && asksForTier(paramOverride) ? [paramOverride] : []));
  overridesByCandidates.set(candidates, overrides);
  return overrides;
}

const asksForTier = (body: JsonObject): boolean =>
  (body.service_tier ?? body.serviceTier ?? body.speed ?? body.inference_geo) != null;

/** The most that a call can cost by one price, in any tier that the client, or a channel's override, asks for. */
export function estimateInTiers(
  { body, candidates }: Call,
  price: Price,
  expected: Parameters<typeof estimate>[1],
  unit: Decimal,
): number {
  let upper = estimate(price, expected, unit);
  const overrides = tierOverrides(candidates);
  const bodies = asksForTier(body.json) ? [body.json, ...overrides] : overrides;
  for (const each of bodies)
    for (const names of tiersOf(each, price)) upper = Math.max(upper, estimate(inTiers(price, names), expected, unit));
  return upper;
}

/** Throws GatewayError 400 for a tier that the model has no price for, where the site refuses these. */
export function refuseUnpricedTier({ services }: Uses<"settings">, call: Call, prices: CallPrices): void {
  const names = requestedTiers(call);
  if (names.length === 0 || services.settings.get("UnpricedServiceTier") !== "refuse") return;
  for (const price of possiblePrices(prices)) {
    const tier = names.find((name) => !isTierPriced(price, name));
    if (tier === undefined) continue;
    const params = { tier, model: call.summary.model };
    throw new GatewayError(400, "service_tier_not_priced", { code: "gateway_service_tier", params });
  }
}

/**
 * The tiers by which a response is charged: those that it names. Of a response that broke before it could name any, those that
 * the client asked for, unless the upstream's format has no word for them.
 */
export function servedTiers(call: Call, { ending, meter }: Pick<Ending, "ending" | "meter">): readonly string[] {
  const { processing } = meter;
  const isNamed = Object.keys(processing).length > 0;
  if (isNamed) return tierNames(processing);
  const isComplete = ending === "complete" || meter.isEmpty || meter.sawFinish;
  return isComplete || call.attempts.route?.dropped.includes("service_tier") ? NO_TIERS : requestedTiers(call);
}

/** The service tier as the log row has it; undefined: the standard one, and no other was asked for. */
export function loggedTier(call: Call, ending: Ending, names: readonly string[]): string | undefined {
  if (names.length > 0) return names.join(", ");
  const { serviceTier } = ending.meter.processing;
  const wasNamed = serviceTier !== undefined && tierName(serviceTier) === null;
  return wasNamed && requestedTiers(call).length > 0 ? "default" : undefined;
}
