import { adapt } from "./adapters/adapt.ts";
import { authenticate } from "./auth/authenticate.ts";
import { authorize } from "./auth/authorize.ts";
import { rateLimit } from "./auth/rate-limit.ts";
import { type CallPrices, priceCall } from "./billing/price-call.ts";
import { beginCall, failCall, record, refuseUnserved } from "./billing/record.ts";
import { type Reservation, reserve } from "./billing/reserve.ts";
import { settle } from "./billing/settle.ts";
import { type Call, newCall } from "./call/call.ts";
import { CallTiming } from "./call/call-timing.ts";
import type { GatewayContext } from "./call/context.ts";
import type { Arrival } from "./http/arrival.ts";
import type { ClientBody } from "./http/client-body.ts";
import { refuseIfClientLeft } from "./http/client-presence.ts";
import { withEarlyPings } from "./http/early-pings.ts";
import { parseRequest, readRequest } from "./http/parse-request.ts";
import { refuse, respondWithError, toGatewayError } from "./http/refuse.ts";
import { acrossModels, bindAcross, findFallbacks, type PricedCall, selectModel } from "./routing/model-fallbacks.ts";
import { withPreferencesFor } from "./routing/preferences/prefer-channels.ts";
import { Router } from "./routing/router.ts";
import { queued } from "./routing/routes/busy/call-queues.ts";
import { hedged } from "./routing/routes/busy/hedged.ts";
import type { Choice } from "./routing/scheduler/choose.ts";
import { bindState } from "./state/provider-state.ts";
import { type Finish, respond } from "./streaming/respond.ts";
import { trackAttempt } from "./upstream/attempt.ts";
import type { Received } from "./upstream/receive.ts";
import { send } from "./upstream/send.ts";

/** Handles a call of an API key or of the playground. Responds to every failure in the client's format. */
export async function handleCall(context: GatewayContext, arrival: Arrival): Promise<Response> {
  const { request, server, endpoint, signedIn } = arrival;
  const timing = signedIn?.timing ?? new CallTiming(performance.now());
  server?.timeout(request, 0);
  let body: ClientBody | null = null;
  try {
    const ip = context.services.clientAddress.ip(request, server);
    const caller = signedIn?.caller ?? (await authenticate(context.services, request, ip));
    await rateLimit(context, arrival, caller);
    body = await readRequest(context.services, arrival, timing);
    const parsed = parseRequest(arrival, body);
    const candidates = authorize(context.services, arrival, caller, parsed);
    const authorized = { request, endpoint, caller, ip, ...parsed, candidates };
    const call = selectModel(context, newCall(authorized, timing, context.services.telemetry));
    const unserved = refuseUnserved(context, call);
    if (unserved) return respondWithError(context, request, unserved, endpoint.codec, body);
    return await runCall(context, await bindAcross(call, (each) => bindState(context, each)));
  } catch (error) {
    return refuse(context, request, error, endpoint.codec, body);
  }
}

/** price → reserve → route → adapt → send → respond → settle → record */
async function runCall(context: GatewayContext, call: Call): Promise<Response> {
  call.client.watch(context.pendingDisconnects);
  try {
    const prices = priceCall(context.prices, call);
    const reserved = await reserve(context, call, prices, findFallbacks(context, call));
    return await withEarlyPings(context, call, relay(context, call, reserved));
  } catch (error) {
    call.client.end();
    const refusal = toGatewayError(context, error, call.requestId);
    return respondWithError(context, call.request, refusal, call.endpoint.codec, call.body);
  }
}

/** The response to a call whose quota is reserved. If it rejects (GatewayError), the reservation is released. */
async function relay(context: GatewayContext, call: Call, reserved: Reservation): Promise<Response> {
  let answered: Readonly<{ served: PricedCall; result: Received }>;
  try {
    await beginCall(context, call);
    const models = [{ call, prices: reserved.prices }, ...reserved.fallbacks];
    const tryOne = (model: PricedCall) =>
      failOver(context, model.call, model.prices, (choice, router) => hedged(context, model, choice, router, attempt));
    answered = await queued(context, call, () => acrossModels(context, models, tryOne));
  } catch (error) {
    throw failCall(context, call, reserved, error);
  } finally {
    // Each attempt reads a form's files again.
    void call.body.form?.discard();
  }
  const { call: served, prices } = answered.served;
  return respond(context, served, { ...reserved, prices }, answered.result, finish);
}

/** Tries channels until one responds; until then the client receives nothing. Rejects GatewayError. */
export async function failOver<Result>(
  context: GatewayContext,
  call: Call,
  prices: CallPrices,
  attempt: (choice: Choice, router: Router) => Promise<Result>,
): Promise<Result> {
  const router = new Router(context, call, prices);
  for (;;) {
    const choice = await router.next();
    refuseIfClientLeft(call);
    try {
      const result = await attempt(choice, router);
      router.succeeded(choice);
      return result;
    } catch (error) {
      router.failed(choice, error);
    }
  }
}

/** Tries one channel. Rejects AttemptFailure if another channel may be tried. */
export const attempt = (context: GatewayContext, { call, prices }: PricedCall, choice: Choice): Promise<Received> =>
  trackAttempt(context, call, prices, choice, async (running) => {
    const own = withPreferencesFor(call, running.route);
    for (;;) {
      const request = await adapt(context, own, running.route);
      const received = await send(context, own, running, request);
      if (received) return received;
    }
  });

/** Charges a completed call and writes its log row. Resolves with the billed usage. */
export const finish: Finish = async (context, call, reserved, ending) =>
  record(context, call, reserved, await settle(context, call, reserved, ending));
