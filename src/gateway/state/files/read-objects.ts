import type { JsonObject } from "../../../formats/json.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import { invalidRequest } from "../../http/client-body.ts";
import { pathOf, refresh } from "./refresh-objects.ts";
import { ownerOf, requestObject, requestUpstream } from "./request-upstream.ts";
import { isFinal } from "./settle-object.ts";
import type { ObjectKind, StoredObject } from "./store.ts";

const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 20;
/** How many objects to refresh concurrently. */
const CONCURRENCY = 5;
const FORWARDED_HEADERS = ["content-type", "content-length", "content-disposition"] as const;

/** A page of the caller's own objects in their current state. Rejects GatewayError. */
export async function listObjects(
  context: GatewayContext,
  caller: Caller,
  kind: ObjectKind,
  query: URLSearchParams,
): Promise<JsonObject> {
  const limit = Number(query.get("limit") ?? DEFAULT_PAGE_SIZE);
  if (!Number.isInteger(limit) || limit < 1)
    throw invalidRequest({ code: "gateway_integer", params: { field: "limit" } }, "limit");
  const shown = Math.min(limit, MAX_PAGE_SIZE);
  const found = await context.services.objects.list({
    kind,
    userId: caller.user.id,
    purpose: query.get("purpose"),
    after: query.get("after"),
    limit: shown + 1,
    newestFirst: query.get("order") !== "asc",
  });
  const data: JsonObject[] = [];
  const page = found.slice(0, shown);
  for (let at = 0; at < page.length; at += CONCURRENCY) {
    data.push(...(await Promise.all(page.slice(at, at + CONCURRENCY).map((object) => currentState(context, object)))));
  }
  return {
    object: "list",
    data,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: found.length > shown,
  };
}

/** The current state, or the last known one if the upstream cannot be reached. */
async function currentState(context: GatewayContext, object: StoredObject): Promise<JsonObject> {
  const changes = (object.kind === "batch" || object.kind === "job") && !isFinal(object.body);
  const isBare = object.kind === "file" && object.body.filename === undefined;
  if (!changes && !isBare) return object.body;
  return (await refresh(context, object).catch(() => object)).body;
}

/** Part of an object: a file's content as a stream, a job's events or checkpoints. Rejects GatewayError. */
export async function readPart(
  context: GatewayContext,
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

/** DELETE /v1/files/{id} */
export async function removeObject(context: GatewayContext, object: StoredObject): Promise<JsonObject> {
  const answer = await requestObject(context, ownerOf(context, object), { method: "DELETE", path: pathOf(object) });
  await context.services.objects.remove(object.id);
  return answer;
}
