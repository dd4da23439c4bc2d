import { charge } from "../../billing/pricing/charge.ts";
import { channelCost } from "../../billing/pricing/ratios/channel-cost.ts";
import { inTiers, NO_TIERS, tierName, tierNames } from "../../billing/pricing/service-tiers.ts";
import type { CallEnding, UsageEvidence } from "../../billing/types.ts";
import { type Catalog, type ModelInfo, searchesEachAnswer } from "../../catalog/catalog.ts";
import { NO_USAGE, type ToolCalls, type Usage } from "../../formats/conversation/reply.ts";
import { recordsOf, textOf } from "../../formats/json.ts";
import type { Reason } from "../../lib/reason.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import type { CallTools } from "../call/services.ts";
import { countPrompt, countText } from "./count-tokens.ts";
import type { OutputMeter } from "./output-meter.ts";
import { type Pricing, requestedTiers, sitePriceOf } from "./price.ts";
import type { Reservation } from "./reserve.ts";

/** What is known about a response when it ends. */
export type Ending = Readonly<{
  ending: CallEnding;
  /** The usage that the upstream reported; null if the gateway must count. */
  reported: Usage | null;
  /** The usage was received after the client had disconnected. */
  drained?: boolean;
  /** The usage was counted by the gateway. */
  counted?: boolean;
  meter: OutputMeter;
  error?: Reason;
}>;

/** A call's usage and cost. */
export type PricedUsage = Readonly<{
  ended: Ending;
  usage: Usage;
  evidence: UsageEvidence;
  charged: ReturnType<typeof charge>;
  /** The service tier, if it was not the standard one, or another was requested. */
  serviceTier?: string | undefined;
  /** What the call cost the operator, in quota units; absent: its channel does not say. */
  upstreamCost?: number | null;
  /** By what it is charged: the usage with the tools that the provider ran, and the tiers; absent: the usage alone. */
  basis?: Readonly<{ usage: Usage; tiers: readonly string[] }>;
  /** What a call by the caller's own key would have cost by a channel of the site, in quota units. */
  worth?: number;
}>;

/** The cost of a call's billed usage. */
export function priceUsage(
  context: Pick<CallTools, "catalog"> & Pricing,
  call: Call,
  { prices }: Reservation,
  ended: Ending,
  { usage, evidence }: BilledUsage,
): PricedUsage {
  const { servedBy: route } = call;
  const price = route?.price ?? prices.price;
  const toolCalls = route && hostedTools(call, route, ended.meter, context.catalog);
  const counted = toolCalls ? { ...usage, toolCalls: { ...toolCalls, ...usage.toolCalls } } : usage;
  const billed =
    route && usage.toolCalls?.google_search
      ? withSearches(counted, context.catalog().find(route.upstreamModel))
      : counted;
  const { names, logged } = servedTiers(call, ended);
  const paid = names.length === 0 ? price : inTiers(price, names);
  const unit = context.prices.quotaPerUnit();
  const charged = charge(paid, billed, unit);
  const basis = { usage: billed, tiers: names };
  const priced = { ended, usage, evidence, charged, serviceTier: logged, basis };
  if (route?.channel.ownKey)
    return { ...priced, worth: charge(inTiers(sitePriceOf(price), names), billed, unit).quota };
  if (!route?.channel.costs) return priced;
  const { upstreamModel } = route;
  const costed = { upstreamModel, usage: billed, price: paid, receipt: charged.receipt };
  return { ...priced, upstreamCost: channelCost(route.channel.costs, costed, unit) };
}

/**
 * What an attempt whose response nobody got cost the operator by the usage that its provider reported, in quota units; null: it
 * reported none, or the channel does not say what its calls cost.
 */
export function attemptCost(route: Route, usage: Usage | null, { prices }: Pricing): number | null {
  const { costs } = route.channel;
  if (!costs || !usage) return null;
  const { price, upstreamModel } = route;
  const unit = prices.quotaPerUnit();
  const receipt = price && charge(price, usage, unit).receipt;
  return channelCost(costs, { upstreamModel, usage, price, receipt }, unit);
}

type ServedTiers = Readonly<{
  /** By which the response is charged. */
  names: readonly string[];
  /** As the log row has it; absent: the standard tier, and no other was asked for. */
  logged?: string;
}>;

/**
 * The tiers of a response: those that it names. Of a response that broke before it could name any, those that the client asked
 * for, unless the upstream's format has no word for them.
 */
export function servedTiers(call: Call, { ending, meter }: Pick<Ending, "ending" | "meter">): ServedTiers {
  const { processing } = meter;
  const { serviceTier } = processing;
  let names = NO_TIERS;
  if (Object.keys(processing).length > 0) names = tierNames(processing);
  else {
    const isComplete = ending === "complete" || meter.isEmpty || meter.sawFinish;
    if (!isComplete && !call.servedBy?.dropped.includes("service_tier")) names = requestedTiers(call);
  }
  if (names.length > 0) return { names, logged: names.join(", ") };
  const isStandard = serviceTier !== undefined && tierName(serviceTier) === null;
  return isStandard && requestedTiers(call).length > 0 ? { names, logged: "default" } : STANDARD;
}

const STANDARD: ServedTiers = { names: NO_TIERS };

/** The usage with the searches that are charged: some models are charged per response that searches, not per query. */
const withSearches = (usage: Usage, { search_billing }: ModelInfo): Usage =>
  search_billing === "answer" ? { ...usage, toolCalls: { ...usage.toolCalls, google_search: 1 } } : usage;

/** The billed usage, and where it is from. */
type BilledUsage = Readonly<{ usage: Usage; evidence: UsageEvidence }>;

/** The usage that the upstream reported; null: it reported none or less than it may have sent, so it must be counted. */
export function reportedUsage(call: Call, ended: Ending): BilledUsage | null {
  const { ending, drained, reported, meter } = ended;
  if (!reported) return meter.isEmpty ? { usage: NO_USAGE, evidence: "none" } : null;
  const { capability } = call.endpoint;
  // It arrived before the end, as Anthropic's does, or has no output tokens despite output.
  const mayBeIncomplete = (ending !== "complete" && !drained) || reported.completionTokens === 0;
  const isText = capability === "chat" || capability === "completions";
  // The meter is asked last, because it must decode everything for it.
  if (isText && mayBeIncomplete && !meter.isEmpty) return null;
  // A response without content is free if the endpoint says so; a reported number of output tokens counts as content.
  const isFree = reported.completionTokens === 0 && call.endpoint.emptyIsFree && meter.isEmpty;
  return { usage: isFree ? NO_USAGE : reported, evidence: evidenceOf(ended) };
}

/** The usage of a response by counting its text. */
export const countUsage = (call: Call, ended: Ending): Promise<BilledUsage> =>
  ended.reported ? atLeastCounted(call, ended, ended.reported) : estimateUsage(call, ended.meter);

/** The reported output tokens, or the local count if that is larger. */
async function atLeastCounted(call: Call, ended: Ending, reported: Usage): Promise<BilledUsage> {
  const { text, extraTokens } = ended.meter.countable();
  const came = (await countText(call.summary.model, text)) + extraTokens;
  if (came <= reported.completionTokens) return { usage: reported, evidence: evidenceOf(ended) };
  return { usage: { ...reported, completionTokens: came }, evidence: "estimated" };
}

const evidenceOf = ({ drained, counted }: Ending): UsageEvidence =>
  counted ? "estimated" : drained ? "drained" : "reported";

async function estimateUsage(call: Call, meter: OutputMeter): Promise<BilledUsage> {
  const { text, extraTokens } = meter.countable();
  const { prompt, summary } = call;
  const [promptTokens, outputTokens] = await Promise.all([
    countPrompt(summary.model, prompt),
    countText(summary.model, text),
  ]);
  const usage = { ...NO_USAGE, promptTokens, completionTokens: outputTokens + extraTokens };
  return { usage, evidence: "estimated" };
}

/**
 * Uses of hosted tools that the upstream's usage does not report, derived from the response, the requested tools and
 * the model; null if none.
 */
function hostedTools(call: Call, route: Route, meter: OutputMeter, catalog: () => Catalog): ToolCalls | null {
  const { endpoint, body } = call;
  const { upstreamModel } = route;
  if (endpoint.capability !== "chat") return null;
  const info = catalog().find(upstreamModel);
  if (searchesEachAnswer(info)) return { web_search_preview: 1 };
  const searchTool = searchToolOf(call, route);
  const shown = meter.showsTools ? meter.toolCalls : null;
  // Some providers' responses show only the pages that their search found.
  const reported = searchTool !== null && meter.cites ? { ...shown, [searchTool]: 1 } : shown;
  // Some models are charged per response that uses search results, others per query.
  const perAnswer = reported?.google_search && info.search_billing === "answer";
  const used = perAnswer ? { ...reported, google_search: 1 } : reported;
  if (!used?.web_search) return used;
  const isPreview = recordsOf(body.json.tools).some(({ type }) => textOf(type)?.startsWith("web_search_preview"));
  const { web_search, ...others } = used;
  return isPreview ? { ...others, web_search_preview: web_search } : used;
}

/**
 * The price list's name of the search that the call requests, if the response must be inspected to charge it; else
 * null.
 */
export function searchToolOf({ body }: Call, { provider, upstreamModel }: Route): string | null {
  const tool = provider.chat?.searchTool;
  return tool && provider.chat?.requestsSearch(body.json, upstreamModel) ? tool(body.json) : null;
}
