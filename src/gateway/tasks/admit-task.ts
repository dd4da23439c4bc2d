import type { RequestedVariant } from "../../billing/pricing/price-rules.ts";
import { recordOf } from "../../formats/json.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { rateLimit, refuseClosed } from "../auth/rate-limit.ts";
import { refuseUnserved } from "../billing/record.ts";
import { type Call, CallTiming, newCall } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import type { GatewayServer } from "../http/arrival.ts";
import type { ClientBody } from "../http/client-body.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import { parseRequest, readRequest } from "../http/parse-request.ts";
import { refuseForeign } from "../state/references/may-refer.ts";
import { findReferences, isFreeIn } from "../state/references/members.ts";
import { channelOfTask, type TaskOrigin } from "./task-channel.ts";

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
  context: GatewayContext,
  { request, server, endpoint }: OrderArrival,
  plan: (caller: Caller, body: ClientBody) => Promise<Planned>,
): Promise<{ call: Call; planned: Planned; body: ClientBody }> {
  const timing = new CallTiming(performance.now());
  const { services } = context;
  server?.timeout(request, 0);
  const ip = services.clientAddress.ip(request, server);
  const caller = await authenticate(services, request, ip);
  refuseClosed(context, { request, endpoint });
  await rateLimit(context, caller);
  const body = await readRequest(services, { request, server, endpoint }, timing);
  try {
    const references = findReferences([body.json], isFreeIn(endpoint.rules));
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
    const candidates = authorize(services, arrival, caller, parsed);
    const call = newCall(
      { request, endpoint: arrival.endpoint, caller, ip, candidates },
      parsed,
      timing,
      services.telemetry,
    );
    const unserved = refuseUnserved(context, call);
    if (unserved) throw unserved;
    return { call, planned, body };
  } catch (error) {
    await body.form?.discard();
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

/** Members with ids, URLs or data, which contain no words. */
const WORDLESS_MEMBERS = /(?:id|ids|url|urls|hook|filter|base64|base64array)$/i;
/** Matches URLs and file contents. */
const NON_PROSE = /^(?:data:|https?:\/\/\S+$|[A-Za-z0-9+/_=-]{256,}$)/;

/** Every text of an order, wherever its protocol has it: prompts of all kinds, titles, styles. */
export function textsOf(order: unknown): string[] {
  if (typeof order === "string") return order === "" || NON_PROSE.test(order) ? [] : [order];
  if (Array.isArray(order)) return order.flatMap(textsOf);
  const members = Object.entries(recordOf(order) ?? {});
  return members.flatMap(([name, value]) => (WORDLESS_MEMBERS.test(name) ? [] : textsOf(value)));
}
