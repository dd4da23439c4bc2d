import type { AskedVariant } from "../../billing/pricing/rules/price-variants.ts";
import { recordOf } from "../../formats/json.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { rateLimit } from "../auth/rate-limit.ts";
import { refuseUnserved } from "../billing/record.ts";
import { type Call, newCall } from "../call/call.ts";
import { CallTiming } from "../call/call-timing.ts";
import type { GatewayContext } from "../call/context.ts";
import type { GatewayServer } from "../http/arrival.ts";
import type { ClientBody } from "../http/client-body.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import { parseRequest, readRequest } from "../http/parse-request.ts";
import { channelOfTask, type TaskOrigin } from "./task-channel.ts";
/** What a client orders, as far as channel and price depend on it. */
export type Plan = Readonly<{
  model: string;
  /** What is logged; every other text of the order is checked for words that the site does not allow as well. */
  prompt: string;
  /** Length of the video that is asked for, and what else its price may depend on. */
  seconds?: number;
  variant?: AskedVariant;
  /** A task that the new one goes on from: only its channel, and its key there, can do that. */
  parent?: TaskOrigin;
}>;

/** Where an order comes from. */
export type OrderArrival = Readonly<{ request: Request; server: GatewayServer | null; endpoint: Endpoint }>;

/**
 * The call behind an order: authenticate → limits → body → plan → channels. `plan` is made once caller and body are known.
 * Rejects GatewayError. A form is the caller's to discard.
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
  await rateLimit(context, { request, endpoint }, caller);
  const body = await readRequest(services, { request, server, endpoint }, timing);
  try {
    const planned = await plan(caller, body);
    const only = planned.parent && channelOfTask(context, planned.parent);
    const arrival = {
      request,
      server,
      endpoint: planning(endpoint, planned, textsOf(body.json)),
      ...(only && { only }),
    };
    const parsed = parseRequest(arrival, body);
    const candidates = authorize(services, arrival, caller, parsed);
    const call = newCall(
      { request, endpoint: arrival.endpoint, caller, ip, ...parsed, candidates },
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

/** The endpoint for this very order: what it asks for is read already. */
const planning = (
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

/** Members that name, address or hold something; what is in them by chance are no words. */
const NO_WORDS = /(?:id|ids|url|urls|hook|filter|base64|base64array)$/i;
/** Addresses and the contents of files. */
const NO_PROSE = /^(?:data:|https?:\/\/\S+$|[A-Za-z0-9+/_=-]{256,}$)/;

/** Every text of an order, wherever its protocol has it: prompts of all kinds, titles, styles. */
export function textsOf(order: unknown): string[] {
  if (typeof order === "string") return order === "" || NO_PROSE.test(order) ? [] : [order];
  if (Array.isArray(order)) return order.flatMap(textsOf);
  const members = Object.entries(recordOf(order) ?? {});
  return members.flatMap(([name, value]) => (NO_WORDS.test(name) ? [] : textsOf(value)));
}
