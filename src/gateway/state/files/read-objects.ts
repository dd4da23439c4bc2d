import { type JsonObject, textOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import { invalidRequest } from "../../request/client-body.ts";
import { keepContainersOf } from "../collections/keep-containers.ts";
import { COLLECTIONS } from "../collections/kinds.ts";
import { ownerOf, requestDeletion, requestObject, requestUpstream } from "../objects/request-upstream.ts";
import { isFinal, type ObjectKind, type ObjectStore, type RoutedKind, type StoredObject } from "../objects/store.ts";
import { formatOfKind, requestStoredResponse } from "../responses/stored-formats.ts";
import type { UsesStores } from "../stores.ts";
import { abandonObject, type SettleObjectContext, settleObject } from "./settle-object.ts";

/** What these functions work with. */
export type ReadObjectsContext = SettleObjectContext & UsesStores<"responses">;

const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 20;
/** How many objects to refresh concurrently. */
const CONCURRENCY = 5;
const FORWARDED_HEADERS = ["content-type", "content-length", "content-disposition"] as const;

/** A page of the caller's own objects in their current state. Rejects GatewayError. */
export async function listObjects(
  context: ReadObjectsContext,
  caller: Caller,
  kind: ObjectKind,
  query: URLSearchParams,
  match = matchOf(kind, query),
): Promise<JsonObject> {
  const limit = Number(query.get("limit") ?? DEFAULT_PAGE_SIZE);
  if (!Number.isInteger(limit) || limit < 1)
    throw invalidRequest({ code: "gateway_integer", params: { field: "limit" } }, "limit");
  const before = query.get("before");
  const shown = Math.min(limit, MAX_PAGE_SIZE);
  const found = await context.services.objects.list({
    kind,
    userId: caller.user.id,
    match,
    after: query.get("after"),
    before,
    limit: shown + 1,
    newestFirst: (query.get("order") ?? (OLDEST_FIRST.has(kind) ? "asc" : "desc")) !== "asc",
  });
  const data: JsonObject[] = [];
  const page = before === null ? found.slice(0, shown) : found.slice(-shown);
  for (let at = 0; at < page.length; at += CONCURRENCY) {
    const states = await Promise.all(page.slice(at, at + CONCURRENCY).map((object) => currentState(context, object)));
    data.push(...states.filter((state) => state !== null));
  }
  return {
    object: "list",
    data,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: found.length > shown,
  };
}

/** Kinds whose lists begin with the oldest unless the client orders otherwise. */
const OLDEST_FIRST: ReadonlySet<ObjectKind> = new Set(["eval", "eval_run"]);
/** Kinds that change until they are in a final state. */
const FINISHING: ReadonlySet<ObjectKind> = new Set(["batch", "job", "eval_run"]);

function matchOf(kind: ObjectKind, query: URLSearchParams): Parameters<ObjectStore["list"]>[0]["match"] {
  const member = kind === "container" ? "name" : "purpose";
  const value = query.get(member);
  return value === null ? null : { member, value };
}

/**
 * The current state, or the last known one if the upstream cannot be reached; null if it no longer has a vector store or
 * container, which expire there.
 */
async function currentState(context: ReadObjectsContext, object: StoredObject): Promise<JsonObject | null> {
  const expires = object.kind === "vector_store" || object.kind === "container";
  const changes = FINISHING.has(object.kind) && !isFinal(object.body);
  const isBare = object.kind === "file" && object.body.filename === undefined;
  if (!changes && !isBare && !expires) return object.body;
  try {
    return (await refresh(context, object)).body;
  } catch (error) {
    if (!expires || !isUnknownUpstream(error)) return object.body;
    await context.services.objects.remove(object.id);
    return null;
  }
}

/** Whether the upstream says that it has no such object. */
const isUnknownUpstream = (error: unknown): boolean => error instanceof GatewayError && error.status === 404;

/** Part of an object: a file's content as a stream, a job's events or checkpoints. Rejects GatewayError. */
export async function readPart(
  context: ReadObjectsContext,
  object: StoredObject,
  part: string,
  query: string,
): Promise<Response> {
  const path = `${pathOf(object)}/${part}${query}`;
  const response = await requestUpstream(context, ownerOf(context, object), { method: "GET", path });
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = response.headers.get(name);
    // The runtime decompresses the content, which changes its length.
    if (value !== null && !(name === "content-length" && response.headers.has("content-encoding")))
      headers.set(name, value);
  }
  return new Response(response.body, { headers });
}

/** Deletes an object at its upstream, and its record; an object that the upstream no longer has loses its record too. */
export async function removeObject(context: ReadObjectsContext, object: StoredObject): Promise<JsonObject> {
  const { objects } = context.services;
  const deleting = requestDeletion(context, ownerOf(context, object), pathOf(object));
  const answer = await deleting.catch(async (error) => {
    if (isUnknownUpstream(error)) await objects.remove(object.id);
    throw error;
  });
  await objects.remove(object.id);
  return answer ?? { id: object.id, object: `${object.kind}.deleted`, deleted: true };
}

/** The path of each kind of object after the version. */
export const PATHS: Readonly<Record<RoutedKind, string>> = {
  file: "/files",
  upload: "/uploads",
  batch: "/batches",
  job: "/fine_tuning/jobs",
};

/** An object's path at its upstream, after the version. */
export function pathOf({ kind, id, body }: Pick<StoredObject, "kind" | "id" | "body">): string {
  const place = kind === "eval_run" ? `/evals/${encodeURIComponent(String(body.eval_id))}/runs` : ALL_PATHS[kind];
  return `${place}/${encodeURIComponent(id)}`;
}

const ALL_PATHS: Readonly<Record<Exclude<ObjectKind, "eval_run">, string>> = {
  ...PATHS,
  response: "/responses",
  interaction: "/interactions",
  conversation: COLLECTIONS.conversation.path,
  vector_store: COLLECTIONS.vector_store.path,
  container: COLLECTIONS.container.path,
  eval: COLLECTIONS.eval.path,
};

/** Requests an object's state from its upstream, and stores it. Rejects GatewayError. */
export async function refresh(context: ReadObjectsContext, object: StoredObject): Promise<StoredObject> {
  const body =
    object.kind === "response" || object.kind === "interaction"
      ? await requestStoredResponse(context, { ...object, dialect: formatOfKind(object.kind).dialect }, "retrieve")
      : await requestObject(context, ownerOf(context, object), { method: "GET", path: pathOf(object) });
  return storeObject(context, object, body);
}

/** Stores an object's state with the files it has created; a finished object is charged before its end is reported. */
export async function storeObject(
  context: ReadObjectsContext,
  object: StoredObject,
  body: JsonObject,
): Promise<StoredObject> {
  const { objects } = context.services;
  const now = { ...object, body };
  await objects.keep(now);
  if (object.kind === "response") await keepContainersOf(context, object, body);
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

function isLost({ services }: Uses<"channels">, { channelId, createdAt }: StoredObject, error: unknown): boolean {
  const age = nowSeconds() - createdAt;
  if (isUnknownUpstream(error)) return true;
  return age > (services.channels.get(channelId) ? GIVE_UP_SECONDS : GIVE_UP_WITHOUT_CHANNEL_SECONDS);
}

/** Charges finished batches, jobs, runs of evals and responses that no client has polled. */
export async function settleUnpolled(context: ReadObjectsContext): Promise<void> {
  const { objects } = context.services;
  let last: StoredObject | null = null;
  for (;;) {
    const page: StoredObject[] = await objects.unsettled(SWEEP_OBJECTS, last);
    for (const object of page) await settleOne(context, object);
    last = page.at(-1) ?? null;
    if (page.length < SWEEP_OBJECTS) return;
  }
}

async function settleOne(context: ReadObjectsContext, object: StoredObject): Promise<void> {
  try {
    await refresh(context, object);
  } catch (error) {
    if (isLost(context, object, error)) await abandonObject(context, object);
    else
      context.services.log.warn({ error, objectId: object.id }, "a batch, job, run or response could not be looked at");
  }
}
