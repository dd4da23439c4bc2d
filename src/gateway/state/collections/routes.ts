import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import { type Route, type RoutedRequest, route } from "../../http/routes/route.ts";
import { unknownObject } from "../files/create-object.ts";
import { listObjects, readPart, refresh, removeObject } from "../files/read-objects.ts";
import { answerWith, find } from "../files/routes.ts";
import type { CollectionKind, StoredObject } from "../files/store.ts";
import { COLLECTION_KINDS, COLLECTIONS } from "./kinds.ts";
import { changeObject, createObject, deletePart, postPart } from "./requests.ts";

/** Conversations, vector stores, containers and evals: users reach only those that their own keys made. */
export const collectionRoutes = (context: GatewayContext): readonly Route[] =>
  COLLECTION_KINDS.flatMap((kind) => routesOf(context, kind));

/** Ids of parts: `msg_…`, `file-…`. */
const PART_ID = /^[\w-]+$/;

type Work = (caller: Caller, object: StoredObject, routed: RoutedRequest) => Promise<object>;

function routesOf(context: GatewayContext, kind: CollectionKind): readonly Route[] {
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
        ofObject((caller, object, routed) => {
          const { search } = new URL(routed.request.url);
          const id = routed.param("part");
          if (id !== "" && !PART_ID.test(id)) throw unknownObject(id);
          const place = part.replace(":part", id) + search;
          if (method === "POST") return postPart(context, caller, object, place, routed);
          if (method === "DELETE") return deletePart(context, object, place);
          return readPart(context, object, place.slice(1), "");
        }),
      ),
    ),
  ];
}
