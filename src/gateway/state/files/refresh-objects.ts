import type { JsonObject } from "../../../formats/json.ts";
import { textOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { requestStoredResponse } from "../responses/request-stored-response.ts";
import { ownerOf, requestObject } from "./request-upstream.ts";
import { abandonObject, settleObject } from "./settle-object.ts";
import type { RoutedKind, StoredObject } from "./store.ts";

/** The path of each kind of object after the version. */
export const PATHS: Readonly<Record<RoutedKind, string>> = {
  file: "/files",
  upload: "/uploads",
  batch: "/batches",
  job: "/fine_tuning/jobs",
};

export const pathOf = ({ kind, id }: Pick<StoredObject, "kind" | "id">): string =>
  `${kind === "response" ? "/responses" : PATHS[kind]}/${encodeURIComponent(id)}`;

/** Requests an object's state from its upstream, and stores it. Rejects GatewayError. */
export async function refresh(context: GatewayContext, object: StoredObject): Promise<StoredObject> {
  const body =
    object.kind === "response"
      ? await requestStoredResponse(context, object, "retrieve")
      : await requestObject(context, ownerOf(context, object), { method: "GET", path: pathOf(object) });
  return storeObject(context, object, body);
}

/** Stores an object's state with the files it has created; a finished object is charged before its end is reported. */
export async function storeObject(
  context: GatewayContext,
  object: StoredObject,
  body: JsonObject,
): Promise<StoredObject> {
  const { objects } = context.services;
  const now = { ...object, body };
  await objects.keep(now);
  for (const id of filesOf(body)) {
    await objects.keep({ ...object, id, kind: "file", body: { id, object: "file" }, createdAt: nowSeconds() });
  }
  await settleObject(context, now);
  return now;
}

/** Ids of the files that an object created. */
function filesOf(body: JsonObject): string[] {
  const made = [
    body.output_file_id,
    body.error_file_id,
    ...(Array.isArray(body.result_files) ? body.result_files : []),
  ];
  return made.map(textOf).filter((id) => id !== null && id !== "") as string[];
}

const SWEEP_OBJECTS = 200;
/** Objects that the upstream has lost, or whose key or channel was removed, are given up after this time. */
const GIVE_UP_SECONDS = 45 * 86_400;
const GIVE_UP_WITHOUT_CHANNEL_SECONDS = 2 * 86_400;

function isLost({ services }: GatewayContext, { channelId, createdAt }: StoredObject, error: unknown): boolean {
  const age = nowSeconds() - createdAt;
  if (error instanceof GatewayError && error.status === 404) return true;
  return age > (services.channels.get(channelId) ? GIVE_UP_SECONDS : GIVE_UP_WITHOUT_CHANNEL_SECONDS);
}

/** Charges finished batches, jobs and responses that no client has polled. */
export async function settleUnpolled(context: GatewayContext): Promise<void> {
  const { objects } = context.services;
  let last: StoredObject | null = null;
  for (;;) {
    const page: StoredObject[] = await objects.unsettled(SWEEP_OBJECTS, last);
    for (const object of page) await settleOne(context, object);
    last = page.at(-1) ?? null;
    if (page.length < SWEEP_OBJECTS) return;
  }
}

async function settleOne(context: GatewayContext, object: StoredObject): Promise<void> {
  try {
    await refresh(context, object);
  } catch (error) {
    if (isLost(context, object, error)) await abandonObject(context, object);
    else context.services.log.warn({ error, objectId: object.id }, "a batch, job or response could not be looked at");
  }
}
