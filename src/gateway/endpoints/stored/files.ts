import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { decodePath, requestIdOf } from "../../../lib/http/request.ts";
import { type RateLimitContext, rateLimit, refuseClosed } from "../../auth/rate-limit.ts";
import type { Caller } from "../../call/caller.ts";
import type { Uses } from "../../call/services.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import { chatCompletions } from "../../request/endpoints/text.ts";
import { corsHeaders } from "../../request/headers.ts";
import { type RefuseContext, refuse } from "../../request/refuse.ts";
import {
  addPart,
  type Create,
  type CreateObjectContext,
  createBatch,
  createFile,
  createJob,
  createUpload,
  runAction,
} from "../../state/files/create-object.ts";
import { listObjects, PATHS, readPart, refresh, removeObject } from "../../state/files/read-objects.ts";
import type { ObjectKind, RoutedKind, StoredObject } from "../../state/objects/store.ts";
import { unknownObject } from "../../state/references/may-refer.ts";
import type { UsesStores } from "../../state/stores.ts";
import { type Route, type RoutedRequest, route } from "../route.ts";

/** What `answerWith` works with. */
export type AnswerWithContext = AuthenticateInTurnContext & RateLimitContext & RefuseContext & Uses<"clientAddress">;

/** What `objectRoutes` works with. */
export type ObjectRoutesContext = AnswerWithContext & CreateObjectContext;

export type Work = (caller: Caller, routed: RoutedRequest) => Promise<object>;

const CREATE: Readonly<Record<RoutedKind, Create>> = {
  file: createFile,
  upload: createUpload,
  batch: createBatch,
  job: createJob,
};
const LISTED: readonly RoutedKind[] = ["file", "batch", "job"];
/** Actions on an object, by POST. */
const ACTIONS: readonly (readonly [RoutedKind, string])[] = [
  ["upload", "complete"],
  ["upload", "cancel"],
  ["batch", "cancel"],
  ["job", "cancel"],
  ["job", "pause"],
  ["job", "resume"],
];
const PARTS: readonly (readonly [RoutedKind, string])[] = [
  ["file", "content"],
  ["job", "events"],
  ["job", "checkpoints"],
];

/** Files, uploads, batches and fine-tuning jobs: users see only the objects that their own keys made. */
export function objectRoutes(context: ObjectRoutesContext): readonly Route[] {
  const answer = (work: Work) => (routed: RoutedRequest) => answerWith(context, routed, work);
  const ofObject = (kind: RoutedKind, work: (object: StoredObject, request: Request) => Promise<object>) =>
    answer(async (caller, { request, param }) => work(await find(context, caller, kind, param("id")), request));
  const kinds = Object.entries(PATHS) as [RoutedKind, string][];
  return [
    ...kinds.flatMap(([kind, path]) => [
      route(
        "POST",
        path,
        answer((caller, { request }) => CREATE[kind](context, caller, request)),
      ),
      route(
        "GET",
        `${path}/:id`,
        ofObject(kind, async (object) => (await refresh(context, object)).body),
      ),
    ]),
    ...LISTED.map((kind) =>
      route(
        "GET",
        PATHS[kind],
        answer((caller, { request }) => listObjects(context, caller, kind, new URL(request.url).searchParams)),
      ),
    ),
    ...PARTS.map(([kind, part]) =>
      route(
        "GET",
        `${PATHS[kind]}/:id/${part}`,
        ofObject(kind, (object, request) => readPart(context, object, part, new URL(request.url).search)),
      ),
    ),
    ...ACTIONS.map(([kind, action]) =>
      route(
        "POST",
        `${PATHS[kind]}/:id/${action}`,
        ofObject(kind, (object, request) => runAction(context, object, action, request)),
      ),
    ),
    route(
      "POST",
      "/uploads/:id/parts",
      ofObject("upload", (upload, request) => addPart(context, upload, request)),
    ),
    route(
      "DELETE",
      "/files/:id",
      ofObject("file", (file) => removeObject(context, file)),
    ),
  ];
}

/** The caller's own object; `id` as in the URL. Rejects GatewayError 404 if there is none. */
export async function find(
  { services }: UsesStores<"objects">,
  caller: Caller,
  kind: ObjectKind,
  id: string,
): Promise<StoredObject> {
  const object = await services.objects.find(kind, decodePath(id), caller.user.id);
  if (!object) throw unknownObject(id);
  return object;
}

/** Authenticates, applies the caller's limits, and responds; errors are in OpenAI's format. */
export async function answerWith(context: AnswerWithContext, routed: RoutedRequest, work: Work): Promise<Response> {
  const { request, server } = routed;
  server?.timeout(request, 0);
  try {
    const { services } = context;
    const caller = await authenticateInTurn(context, request, services.clientAddress.ip(request, server));
    refuseClosed(context, { request, endpoint: chatCompletions });
    await rateLimit(context, caller);
    const made = await work(caller, routed);
    const headers = { ...corsHeaders(request), "x-request-id": requestIdOf(request) };
    if (!(made instanceof Response)) return Response.json(made, { headers });
    for (const [name, value] of Object.entries(headers)) made.headers.set(name, value);
    return made;
  } catch (error) {
    return refuse(context, request, error, openaiChatClientCodec);
  }
}
