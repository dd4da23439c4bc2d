import { type JsonObject, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import { type RequestRules, requestMembers } from "../../../formats/request-rules.ts";
import { bytesUpTo } from "../../../lib/http/limited-body.ts";
import { outgoingForm } from "../../../lib/http/multipart/form-stream.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Caller } from "../../call/caller.ts";
import type { ClientBody } from "../../call/endpoint.ts";
import { StoredAnswers, type StoredAnswersContext } from "../../call/guardrails/answer/guard-stored.ts";
import { refuseForbidden } from "../../call/guardrails/request/refuse-forbidden.ts";
import type { Choice } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import {
  invalidRequest,
  type ReadBodyContext,
  readBody,
  tooLarge,
  withBodyDeadline,
} from "../../request/client-body.ts";
import { textsOf as allTextsOf } from "../../request/order-texts.ts";
import type { RoutingMemory } from "../../routing/memory.ts";
import { chargeUse } from "../../state/collections/charge-use.ts";
import { gigabytesOf } from "../../state/collections/keep-containers.ts";
import { COLLECTION_KINDS, COLLECTIONS } from "../../state/collections/kinds.ts";
import { refuseForeignData } from "../../state/evals/admit-run.ts";
import {
  listObjects,
  pathOf,
  type ReadObjectsContext,
  readPart,
  refresh,
  removeObject,
} from "../../state/files/read-objects.ts";
import { chooseOwner, storedObjectOf } from "../../state/objects/choose-owner.ts";
import { ownerOf, requestDeletion, requestObject } from "../../state/objects/request-upstream.ts";
import type { CollectionKind, StoredObject } from "../../state/objects/store.ts";
import { findReferences } from "../../state/provider-state.ts";
import { findOwners, hasSameOwner, objectsApart, unknownObject } from "../../state/references/may-refer.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import { type Route, type RoutedRequest, route } from "../route.ts";
import { type AnswerWithContext, answerWith, find } from "./files.ts";

/** What these functions work with. */
export type CollectionsContext = AnswerWithContext &
  StoredAnswersContext &
  ReadObjectsContext &
  ReadBodyContext &
  Uses<"renewOrganizationBudgets"> &
  Pick<UpstreamTools, "limitations"> &
  Pick<RoutingMemory, "keys">;

/** Members by which requests are routed, checked or charged. */
const rules: RequestRules = {
  members: requestMembers(
    "file_id file_ids files vector_store_id vector_store_ids container container_id conversation items type role content text query memory_limit purpose file data_source_config testing_criteria model",
    { free: "metadata attributes arguments parameters schema item_schema" },
  ),
  numbers: [],
  switches: [],
};

/** POST to the collection: creates the object on the channel that has its files, else on one that offers the API. */
async function createObject(
  context: CollectionsContext,
  caller: Caller,
  kind: CollectionKind,
  routed: RoutedRequest,
): Promise<JsonObject> {
  const { json } = await readJson(context, routed.request);
  if (kind === "eval") refuseForeignData(json);
  refuseWordsOf(context, caller, kind, json);
  const references = findReferences([json], rules);
  const owners = references && (await findOwners(context, caller, references, kind !== "conversation"));
  const owner = owners?.objects ?? owners?.files;
  const choice = owner ? ownerOf(context, owner) : chooseMaker(context, caller, kind);
  const create = async () => {
    const ask = { method: "POST", path: COLLECTIONS[kind].path, body: JSON.stringify(json) } as const;
    const made = await requestObject(context, choice, ask);
    const object = storedObjectOf(caller, choice, kind, made);
    await context.services.objects.keep(kind === "container" ? { ...object, settledAt: object.createdAt } : object);
    return made;
  };
  if (kind !== "container") return create();
  const gigabytes = gigabytesOf(json);
  if (gigabytes === null) throw invalidRequest({ code: "gateway_memory_limit" }, "memory_limit");
  const use = {
    tool: "code_interpreter",
    count: gigabytes,
    content: ({ id }: JsonObject) => `Container ${textOf(id) ?? ""}, ${gigabytes} GB`,
  } as const;
  return chargeUse(context, caller, routed, choice, use, create);
}

/** POST to the object: changes it. */
async function changeObject(
  context: CollectionsContext,
  object: StoredObject,
  { request }: RoutedRequest,
): Promise<JsonObject> {
  const { json } = await readJson(context, request);
  const ask = { method: "POST", path: pathOf(object), body: JSON.stringify(json) } as const;
  const body = await requestObject(context, ownerOf(context, object), ask);
  await context.services.objects.keep({ ...object, body });
  return body;
}

/** POST to a part of the object: items, files and searches. `path` is that of the part, with its query. */
async function postPart(
  context: CollectionsContext,
  caller: Caller,
  object: StoredObject,
  path: string,
  routed: RoutedRequest,
): Promise<JsonObject> {
  const choice = ownerOf(context, object);
  const body = await readPartBody(context, routed.request);
  try {
    const { json, form } = body;
    refuseWordsOf(context, caller, object.kind, json);
    const references = findReferences([json], rules);
    const owners = references && (await findOwners(context, caller, references, object.kind !== "conversation"));
    const owner = owners?.objects ?? owners?.files;
    if (owner && !hasSameOwner(owner, object)) throw objectsApart();
    const outgoing = form ? await outgoingForm(form.parts, {}) : JSON.stringify(json);
    const send = () => requestObject(context, choice, { method: "POST", path: pathOf(object) + path, body: outgoing });
    if (object.kind !== "vector_store" || !/^\/search(?:\?|$)/.test(path)) return await send();
    const count = Math.max(1, textsOf(json.query).length);
    const use = { tool: "file_search", count, content: () => `Search in ${object.id}` } as const;
    return await chargeUse(context, caller, routed, choice, use, send);
  } finally {
    await body.form?.discard();
  }
}

/** DELETE of a part of the object. */
const deletePart = async (context: CollectionsContext, object: StoredObject, path: string): Promise<JsonObject> =>
  (await requestDeletion(context, ownerOf(context, object), pathOf(object) + path)) ?? { deleted: true };

async function readJson(context: ReadBodyContext, request: Request): Promise<ClientBody> {
  const body = await readPartBody(context, request);
  if (!body.form) return body;
  await body.form.discard();
  throw invalidRequest({ code: "gateway_body_no_object" });
}

/** Some requests have no body: a conversation without items, a cancellation. */
async function readPartBody(context: ReadBodyContext, request: Request): Promise<ClientBody> {
  const { config } = context.services;
  if (request.headers.has("content-type") && request.headers.get("content-length") !== "0")
    return readBody(context, request, rules, config.maxUploadBytes);
  const { maxRequestBodyBytes, requestBodyTimeoutMs } = config;
  const reading = bytesUpTo(request, maxRequestBodyBytes);
  const bytes = await withBodyDeadline(reading, maxRequestBodyBytes, requestBodyTimeoutMs);
  if (!bytes) throw tooLarge(maxRequestBodyBytes);
  if (bytes.byteLength > 0) throw invalidRequest({ code: "gateway_body_no_object" });
  return { text: "", size: 0, json: {} };
}

/** Items of a conversation are part of later prompts, so the word filters apply to them. */
function refuseWordsOf(context: Uses<"settings">, caller: Caller, kind: StoredObject["kind"], json: JsonObject): void {
  if (kind !== "conversation" || json.items === undefined) return;
  refuseForbidden(context, caller, null, { input: allTextsOf(recordsOf(json.items)) });
}

/** Prefers channels that are known to offer the API to servers that may. */
function chooseMaker(
  context: Uses<"channels"> & Pick<UpstreamTools, "limitations"> & Pick<RoutingMemory, "keys">,
  caller: Caller,
  kind: CollectionKind,
): Choice {
  const offers = (degree: "offered" | "unknown") => (channel: Choice["channel"]) =>
    providerOf(channel.type)?.files?.collections?.(channel) === degree &&
    !(kind === "conversation" && context.limitations.get(channel)?.has("responses"));
  try {
    return chooseOwner(context, caller, offers("offered"));
  } catch {
    return chooseOwner(context, caller, offers("unknown"));
  }
}

/** Conversations, vector stores, containers and evals: users reach only those that their own keys made. */
export const collectionRoutes = (context: CollectionsContext): readonly Route[] =>
  COLLECTION_KINDS.flatMap((kind) => routesOf(context, kind));

/** Ids of parts: `msg_…`, `file-…`. */
const PART_ID = /^[\w-]+$/;

type Work = (caller: Caller, object: StoredObject, routed: RoutedRequest) => Promise<object>;

function routesOf(context: CollectionsContext, kind: CollectionKind): readonly Route[] {
  const { path, isListed, canChange, parts } = COLLECTIONS[kind];
  const answer = (work: (caller: Caller, routed: RoutedRequest) => Promise<object>) => (routed: RoutedRequest) =>
    answerWith(context, routed, work);
  const ofObject = (work: Work) =>
    answer(async (caller, routed) => work(caller, await find(context, caller, kind, routed.param("id")), routed));
  const list = answer((caller, { request }) => listObjects(context, caller, kind, new URL(request.url).searchParams));
  const change = ofObject((_, object, routed) => changeObject(context, object, routed));
  const remove = ofObject((_, object) => removeObject(context, object));
  return [
    route(
      "POST",
      path,
      answer((caller, routed) => createObject(context, caller, kind, routed)),
    ),
    ...(isListed ? [route("GET", path, list)] : []),
    route(
      "GET",
      `${path}/:id`,
      ofObject(async (_, object) => (await refresh(context, object)).body),
    ),
    ...(canChange ? [route("POST", `${path}/:id`, change)] : []),
    // Deleting an eval first charges its runs.
    ...(kind === "eval" ? [] : [route("DELETE", `${path}/:id`, remove)]),
    ...parts.map(([method, part]) =>
      route(
        method,
        `${path}/:id${part}`,
        ofObject(async (caller, object, routed) => {
          const { search } = new URL(routed.request.url);
          const id = routed.param("part");
          if (id !== "" && !PART_ID.test(id)) throw unknownObject(id);
          const place = part.replace(":part", id) + search;
          if (method === "POST") return postPart(context, caller, object, place, routed);
          if (method === "DELETE") return deletePart(context, object, place);
          const read = await readPart(context, object, place.slice(1), "");
          // Items of a conversation are answers, too.
          if (kind !== "conversation") return read;
          return new StoredAnswers(context, caller, requestIdOf(routed.request)).passItems(read, object.id);
        }),
      ),
    ),
  ];
}
