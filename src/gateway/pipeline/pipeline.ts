import { adapt } from "../adapters/adapt.ts";
import { serveMcp } from "../adapters/mcp/serve-mcp.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { isLimited, rateLimit, refuseClosed } from "../auth/rate-limit.ts";
import { type Call, newCall } from "../call/call.ts";
import { guardRequest } from "../call/guardrails/request/guard-request.ts";
import { CallTiming, refuseIfClientLeft } from "../call/progress.ts";
import type { Choice } from "../call/route.ts";
import type { PricedCall } from "../money/price.ts";
import { countUsage, type Ending, priceUsage, reportedUsage } from "../money/price-usage.ts";
import { type Reservation, reserveAffordable } from "../money/reserve.ts";
import { beginCall, failCall, refuseUnserved, settleCall } from "../money/settle-call.ts";
import type { Arrival } from "../request/arrival.ts";
import { parseRequest, readRequest } from "../request/parse-request.ts";
import { refuse, respondWithError } from "../request/refuse.ts";
import { acrossModels, findFallbacks, type Served, selectModel } from "../routing/model-fallbacks.ts";
import { Router, type RouterContext } from "../routing/router.ts";
import { hedged, type TryChannel } from "../routing/routes/busy/race-channels.ts";
import { bindState } from "../state/provider-state.ts";
import { keepStored } from "../state/references/keep-parts.ts";
import { fromCache } from "../streaming/cache/from-cache.ts";
import { withEarlyPings } from "../streaming/early-pings.ts";
import { refuseCall, respond } from "../streaming/respond.ts";
import { RunningAttempt } from "../upstream/attempt.ts";
import { type Answer, receive } from "../upstream/receive.ts";
import type { AttemptContext, EndCallContext, HandleCallContext, RelayContext } from "./contexts.ts";

/** Handles a call of an API key or of the playground. Responds to every failure in the client's format. */
export async function handleCall(context: HandleCallContext, arrival: Arrival): Promise<Response> {
  const { request, server, endpoint, signedIn } = arrival;
  const timing = signedIn?.timing ?? new CallTiming(performance.now());
  let [body, call]: [Call["body"]?, Call?] = [];
  try {
    const ip = context.services.clientAddress.ip(request, server);
    const caller = signedIn?.caller ?? (await authenticate(context, request, ip));
    await context.turns.enter(caller.user.id);
    refuseClosed(context, arrival);
    if (!arrival.isAdmitted && isLimited(context, caller)) await rateLimit(context, caller);
    body = signedIn?.body ?? (await readRequest(context, arrival, timing));
    const parsed = parseRequest(arrival, body);
    const authorized = { request, server, endpoint, ip, ...authorize(context, arrival, caller, parsed) };
    const requested = selectModel(context, newCall(authorized, parsed, timing, context.services.telemetry));
    if (requested.candidates.tiers.length === 0)
      return respondWithError(context, request, refuseUnserved(context, requested), endpoint.codec, body);
    call = await bindState(context, requested);
    const planned = endpoint.namesMcpServers?.(call.body.json)
      ? await serveMcp(context, arrival, { ...call, body }, (round) => handleCall(context, round))
      : call;
    if (planned instanceof Response) return planned;
    call = await guardRequest(context, planned);
    call.progress.client.watch(context.pendingDisconnects);
    const affordable = await reserveAffordable(context, call, findFallbacks(context, call));
    call = affordable.call;
    const response = relay(context, call, affordable.reserved);
    return await (call.summary.stream ? withEarlyPings(context, call, response) : response);
  } catch (error) {
    return call ? refuseCall(context, call, error) : refuse(context, request, error, endpoint.codec, body);
  }
}

/** The response to a call whose quota is reserved. If it rejects (GatewayError), the reservation is released. */
async function relay(context: RelayContext, call: Call, reserved: Reservation): Promise<Response> {
  const tryChannel = call.route?.hedge ? hedged<RelayContext>(call.route.hedge, attempt) : attempt;
  let answered: Served;
  try {
    await beginCall(context, call);
    const hit = context.services.settings.values.ResponseCacheEnabled && (await fromCache(context, call, reserved));
    if (hit) return hit;
    const models = [{ call, prices: reserved.prices }, ...reserved.fallbacks] as const;
    answered = await acrossModels(context, models, (model) => failOver(context, model, tryChannel));
  } catch (error) {
    throw failCall(context, call, reserved, error);
  } finally {
    void call.body.form?.discard(); // Each attempt reads its files again.
  }
  const { served: by, result } = answered;
  return respond(context, { ...by.call, servedBy: result.route }, { ...reserved, prices: by.prices }, result, endCall);
}

/** Tries channels until one responds; until then the client receives nothing. Rejects GatewayError. */
export async function failOver<C extends RouterContext, T>(context: C, model: PricedCall, tryOne: TryChannel<C, T>) {
  const router = new Router(context, model.call, model.prices);
  for (;;) {
    const choice = router.next() ?? (await router.nextByCount());
    refuseIfClientLeft(model.call);
    const tried = { ...choice, hasAlternative: () => router.hasAlternativeTo(choice) };
    try {
      const result = await tryOne(context, model, tried, router);
      router.succeeded(choice);
      return result;
    } catch (error) {
      router.failed(choice, error);
    }
  }
}

/** Tries one channel: adapt → send → receive. Rejects AttemptFailure if another channel may be tried. */
export async function attempt(context: AttemptContext, { call, prices }: PricedCall, choice: Choice): Promise<Answer> {
  const running = new RunningAttempt(context, call, prices, choice);
  try {
    for (;;) {
      const request = await adapt(context, call, running.route);
      const received = await receive(context, call, running, request, await running.send(request));
      if (!received) continue;
      running.end(false);
      return { ...received, route: request.route };
    }
  } catch (error) {
    throw running.failed(error);
  }
}

/** Charges a completed call and writes its log row. Resolves with the billed usage. */
export async function endCall(context: EndCallContext, call: Call, reserved: Reservation, ended: Ending) {
  if (call.storesParts || ended.meter.containers) await keepStored(context, call, ended.meter);
  const billed = reportedUsage(call, ended) ?? (await countUsage(call, ended));
  await settleCall(context, call, reserved, priceUsage(context, call, reserved, ended, billed));
  return billed.usage;
}
