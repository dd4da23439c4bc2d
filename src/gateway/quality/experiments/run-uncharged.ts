import type { Price } from "../../../billing/types.ts";
import { NO_USAGE, type Usage } from "../../../formats/conversation/reply.ts";
import { sayReason } from "../../../lib/reason.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import { ONE } from "../../../lib/values/decimal.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { AttemptLog, CallTiming, ClientPresence } from "../../call/progress.ts";
import type { RouteTarget } from "../../call/route.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import { type CallPrices, type Pricing, priceCall } from "../../money/price.ts";
import { countUsage, type PricedUsage, priceUsage, reportedUsage } from "../../money/price-usage.ts";
import { upperCost } from "../../money/reserve.ts";
import type { AttemptContext } from "../../pipeline/contexts.ts";
import { attempt } from "../../pipeline/pipeline.ts";
import { Router, type RouterContext } from "../../routing/router.ts";
import { keepContainers } from "../../state/collections/keep-containers.ts";
import { storedFormatOf } from "../../state/responses/stored-formats.ts";
import type { UsesStores } from "../../state/stores.ts";
import { type RespondBackgroundContext, respond } from "../../streaming/respond.ts";
import { AttemptFailure } from "../../upstream/attempt-failure.ts";

/** What these functions work with. */
export type RunUnchargedContext = RespondBackgroundContext & AttemptContext & RouterContext;

/** What came of a call that nobody is charged for. */
export type UnchargedResult = Readonly<{
  /** Why it failed, in English; null: it did not. */
  error: string | null;
  /** The upstream's HTTP status; 0: it sent none. */
  status: number;
  model: string;
  channelId: number;
  latencyMs: number;
  /** Null: it is no stream, or nothing came. */
  firstTokenMs: number | null;
  usage: Usage;
  /** In quota units, at list price. */
  cost: number;
  text: string;
}>;

/** A call that nobody is charged for, with list prices: without the group's factor. */
export type UnchargedCall = Readonly<{ call: Call; prices: CallPrices }>;

/** The call's request for another model, without its client. Throws GatewayError if the model has no price. */
export function copyCall(context: Pricing, call: Call, { model, candidates }: RouteTarget): UnchargedCall {
  const { url, headers } = call.request;
  const request = new Request(url, { method: "POST", headers });
  const isStored = storedFormatOf(call.endpoint.codec.dialect) !== null;
  const copy: Call = {
    ...call,
    request,
    requestId: Bun.randomUUIDv7(),
    recordId: Bun.randomUUIDv7(),
    summary: { ...call.summary, model },
    candidates,
    changes: { ...call.changes, model, ...(isStored && { store: false }) },
    progress: {
      timing: new CallTiming(performance.now()),
      client: new ClientPresence(request),
      attempts: new AttemptLog(),
      cache: null,
      guard: null,
    },
    keepsText: true,
    // Its body names another model.
    fallbackFrom: call.fallbackFrom ?? call.summary.model,
    ...{ trace: null, servedBy: null, route: null, excluded: null },
  };
  return { call: copy, prices: listPrices(priceCall(context.prices, copy)) };
}

/** The most that the call can cost, as far as that is known, in quota units. */
export const upperListCost = (
  context: Uses<"settings"> & Pick<CallTools, "catalog"> & Pricing,
  { call, prices }: UnchargedCall,
): number => upperCost(context, call, prices);

/**
 * Sends a call to one channel and reads its whole response, which is discarded but for its text. Nobody is charged, nothing is
 * logged, and its failure neither cools down nor disables the channel.
 */
export async function runUncharged(
  context: RunUnchargedContext,
  { call, prices }: UnchargedCall,
): Promise<UnchargedResult> {
  const own = withoutStorage(context);
  const settled: PricedUsage[] = [];
  try {
    // What nobody is charged for counts in no limit.
    const router = new Router({ ...own, limitRules: null }, call, prices);
    const choice = router.next() ?? (await router.nextByCount());
    const answer = await attempt(own, { call, prices }, choice);
    const reserved = { prices, fallbacks: [], hold: null };
    const answered = { ...call, servedBy: answer.route };
    const response = await respond(own, answered, reserved, answer, async (_context, served, held, ending) => {
      if (ending.meter.containers) await keepContainers(own, served, ending.meter);
      const billed = reportedUsage(served, ending) ?? (await countUsage(served, ending));
      const priced = priceUsage(own, served, held, ending, billed);
      settled.push(priced);
      return priced.usage;
    });
    await response.arrayBuffer();
    call.progress.attempts.endStream(call.progress.timing.elapsedMs);
  } catch (error) {
    return { ...resultOf(call, settled[0]), ...failureOf(error) };
  } finally {
    call.progress.client.end(0);
  }
  return resultOf(call, settled[0]);
}

function resultOf(call: Call, priced: PricedUsage | undefined): UnchargedResult {
  const { entries, latest } = call.progress.attempts;
  const last = entries.at(-1);
  const ended = priced?.ended;
  const isComplete = ended?.ending === "complete";
  return {
    error: isComplete ? null : ended?.error ? sayReason(ended.error, "en") : (ended?.ending ?? "no response"),
    status: last?.status ?? 0,
    model: call.summary.model,
    channelId: latest?.channel.id ?? 0,
    ...durationsOf(call),
    usage: priced?.usage ?? NO_USAGE,
    cost: priced?.charged.quota ?? 0,
    text: ended?.meter.countable().text ?? "",
  };
}

/** How long the last attempt of a call took. */
export function durationsOf({
  progress: { attempts },
  summary,
}: Call): Readonly<{ latencyMs: number; firstTokenMs: number | null }> {
  const last = attempts.entries.at(-1);
  if (!last) return { latencyMs: 0, firstTokenMs: null };
  const isTimed = summary.stream && last.firstByteMs !== null;
  return {
    latencyMs: Math.max(0, last.endMs - last.startMs),
    firstTokenMs: isTimed ? Math.max(0, (last.firstByteMs ?? 0) - last.startMs) : null,
  };
}

function failureOf(error: unknown): Readonly<{ error: string; status?: number }> {
  if (error instanceof GatewayError) return { error: sayReason(error.reason, "en"), status: error.status };
  if (error instanceof AttemptFailure) return { error: sayReason(error.detail, "en") };
  return { error: messageOf(error) };
}

/** Nothing of such a call is stored for later references. */
const withoutStorage = <Context extends UsesStores<"responses">>(context: Context): Context => ({
  ...context,
  services: { ...context.services, responses: { ...context.services.responses, keep: () => {} } },
});

/** Prices without the group's factor and discount: what the operator pays, as far as that is known. */
const listPrices = ({ price, byName, byChannel }: CallPrices): CallPrices => ({
  price: listPrice(price),
  byChannel: byChannel && new Map([...byChannel].map(([channel, each]) => [channel, listPrice(each)])),
  byName: byName && new Map([...byName].map(([name, each]) => [name, listPrice(each)])),
});

export const listPrice = <P extends Price>(price: P): P => ({ ...price, groupRatio: ONE, discount: undefined });
