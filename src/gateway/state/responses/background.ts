import { DecodeError } from "../../../formats/conversation/codec.ts";
import { type Reply, stepsOf } from "../../../formats/conversation/collect-reply.ts";
import type { Processing, Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { readEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Call } from "../../call/call.ts";
import type { Uses } from "../../call/services.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { Reservation } from "../../money/reserve.ts";
import { storedObjectOf } from "../objects/choose-owner.ts";
import type { StoredObject } from "../objects/store.ts";
import type { UsesStores } from "../stores.ts";
import { formatOfKind, type StoredFormat, storedFormatOf } from "./stored-formats.ts";

const RUNNING_STATUSES: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** The reply of a response that has only begun. */
export const EMPTY_REPLY: Reply = {
  id: "",
  model: "",
  createdAt: null,
  choices: [],
  usage: null,
  serviceTier: null,
};

/** The background response that an upstream is still generating; null for other responses. */
export function findRunningResponse({ member }: StoredFormat, body: Uint8Array): JsonObject | null {
  const answer = recordOf(parseJson(textOfBytes(body)));
  const isResponse = member === "interaction" ? textOf(answer?.id) !== null : answer?.object === "response";
  return isResponse && RUNNING_STATUSES.has(answer?.status) ? answer : null;
}

/** The same for the first events of a stream; upstreams without background mode never report one. */
export function findRunningInStream({ member, startsBackground }: StoredFormat, first: Uint8Array): JsonObject | null {
  for (const { data } of readEvents(textOfBytes(first))) {
    const response = recordOf(recordOf(parseJson(data))?.[member]);
    if (response && startsBackground(response) && RUNNING_STATUSES.has(response.status) && textOf(response.id))
      return response;
  }
  return null;
}

/** Throws DecodeError for a background response that no client could retrieve later. */
export function refuseUnstoredBackground(isStored: boolean): void {
  if (!isStored) throw new DecodeError({ code: "gateway_background_unstored" }, "store");
}

/**
 * Stores a background response, to charge it once it is complete; until then the call's hold stays. Returns the stored
 * object and what remains to charge the call by. Rejects if it cannot be stored.
 */
export async function chargeLater(
  { services }: Uses<"billing" | "log"> & UsesStores<"objects">,
  { servedBy: route, caller, summary, endpoint }: Call,
  reserved: Reservation,
  body: JsonObject,
): Promise<Readonly<{ object: StoredObject | null; reserved: Reservation }>> {
  if (!route) return { object: null, reserved };
  const model = { requested: summary.model, upstream: route.upstreamModel };
  const object = storedObjectOf(caller, route, storedFormatOf(endpoint.codec.dialect)?.kind ?? "response", body, model);
  await services.objects.keep(object);
  const { hold } = reserved;
  if (!hold) return { object, reserved };
  // Even without its hold the response is charged when it is complete.
  await services.billing.keepHold(hold, textOf(body.id) ?? "").catch((error) => {
    services.log.error({ error, responseId: body.id }, "nothing is held for a response while it is made");
  });
  return { object, reserved: { ...reserved, hold: null } };
}

/** What a complete response used, and how it was served. */
type UsedByReply = Readonly<{ usage: Usage; processing: Processing }>;

/** The usage of a complete response, including hosted tools; null if not reported. */
export function usedBy(kind: StoredFormat["kind"], body: JsonObject): UsedByReply | null {
  const reply = formatOfKind(kind).codec.decodeReply(body);
  if (!reply?.usage) return null;
  const meter = new OutputMeter();
  for (const step of stepsOf(reply)) meter.step(step);
  const { toolCalls, processing } = meter;
  const usage = { ...reply.usage, ...(toolCalls && { toolCalls: { ...toolCalls, ...reply.usage.toolCalls } }) };
  return { usage, processing };
}
