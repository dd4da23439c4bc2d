import type { RequestedVariant } from "../../../billing/pricing/price-rules.ts";
import { authorize } from "../../auth/authorize.ts";
import type { Limits } from "../../auth/limits/limits.ts";
import { rateLimit, refuseClosed } from "../../auth/rate-limit.ts";
import { type Call, newCall } from "../../call/call.ts";
import type { Caller } from "../../call/caller.ts";
import type { ClientBody, Endpoint } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import { emptyGuardLog } from "../../call/guardrails/call-guard.ts";
import { refuseForbidden } from "../../call/guardrails/request/refuse-forbidden.ts";
import { CallTiming } from "../../call/progress.ts";
import type { Uses } from "../../call/services.ts";
import {
  type RecordRefusalContext,
  type RefuseUnservedContext,
  recordRefusal,
  refuseUnserved,
} from "../../money/settle-call.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import type { ReadBodyContext } from "../../request/client-body.ts";
import { textsOf } from "../../request/order-texts.ts";
import { parseRequest, readRequest } from "../../request/parse-request.ts";
import { findReferences } from "../../state/provider-state.ts";
import { refuseForeign } from "../../state/references/may-refer.ts";
import type { UsesStores } from "../../state/stores.ts";
import { channelOfTask, type TaskOrigin } from "./task-channel.ts";

/** What these functions work with. */
export type AdmitTaskContext = RefuseUnservedContext &
  RecordRefusalContext &
  AuthenticateInTurnContext &
  ReadBodyContext &
  Uses<"clientAddress" | "config" | "tasks"> &
  UsesStores<"objects" | "responses"> &
  Pick<Limits, "tokenLimits">;

/** What a client orders, as far as routing and price depend on it. */
export type Plan = Readonly<{
  model: string;
  /** The text to log. The word filter also checks every other text of the order. */
  prompt: string;
  /** Requested length of a video in seconds. */
  seconds?: number;
  variant?: RequestedVariant;
  /** The earlier task that this one continues: only its channel and key can do that. */
  parent?: TaskOrigin;
}>;

/** The request of an order. */
export type OrderArrival = Readonly<{ request: Request; server: GatewayServer | null; endpoint: Endpoint }>;

/**
 * The call of an order: authenticate → limits → body → plan → channels. `plan` runs once caller and body are known.
 * Rejects GatewayError. The caller must discard a form.
 */
export async function admitTask<Planned extends Plan>(
  context: AdmitTaskContext,
  { request, server, endpoint }: OrderArrival,
  plan: (caller: Caller, body: ClientBody) => Promise<Planned>,
): Promise<{ call: Call; planned: Planned; body: ClientBody }> {
  const timing = new CallTiming(performance.now());
  const { services } = context;
  const ip = services.clientAddress.ip(request, server);
  const caller = await authenticateInTurn(context, request, ip);
  refuseClosed(context, { request, endpoint });
  await rateLimit(context, caller);
  const body = await readRequest(context, { request, server, endpoint }, timing);
  try {
    const references = findReferences([body.json], endpoint.rules);
    if (references) await refuseForeign(context, caller, references);
    const planned = await plan(caller, body);
    const only = planned.parent && channelOfTask(context, planned.parent);
    const arrival = {
      request,
      server,
      endpoint: endpointForPlan(endpoint, planned, textsOf(body.json)),
      ...(only && { only }),
    };
    const parsed = parseRequest(arrival, body);
    const authorized = authorize(context, arrival, caller, parsed);
    const call = newCall(
      { request, server, endpoint: arrival.endpoint, ip, ...authorized },
      parsed,
      timing,
      services.telemetry,
    );
    guardOrder(context, call);
    if (call.candidates.tiers.length === 0) throw refuseUnserved(context, call);
    return { call, planned, body };
  } catch (error) {
    await body.form?.discard();
    throw error;
  }
}

/** Refuses an order that guardrails forbid, and notes what they found for its log. Throws GatewayError. */
function guardOrder(context: AdmitTaskContext, call: Call): void {
  const log = emptyGuardLog();
  try {
    refuseForbidden(context, call.caller, call.summary.model, call.prompt, {
      note: (verdict) => {
        log.verdicts.push(verdict);
        call.progress.guard = log;
      },
    });
  } catch (error) {
    if (error instanceof GatewayError) recordRefusal(context, call, error);
    throw error;
  }
}

/** The endpoint for an order that is already read. */
const endpointForPlan = (
  endpoint: Endpoint,
  { model, prompt, seconds, variant }: Plan,
  input: readonly string[],
): Endpoint => ({
  ...endpoint,
  read: () => ({
    summary: {
      model,
      stream: false,
      wantsUsage: false,
      choices: 1,
      maxOutputTokens: null,
      reasoningEffort: null,
    },
    prompt: { prompt, input, ...(seconds !== undefined && { seconds }), ...(variant && { variant }) },
    conversation: null,
  }),
});
