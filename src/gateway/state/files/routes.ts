import { Elysia } from "elysia";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { requestIdOf } from "../../../lib/http/request-id.ts";
import { authenticate, type Caller } from "../../auth/authenticate.ts";
import { rateLimit } from "../../auth/rate-limit.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { chatCompletions } from "../../http/endpoints/text.ts";
import { corsHeaders } from "../../http/headers.ts";
import { refuse } from "../../http/refuse.ts";
import {
  act,
  addPart,
  type Create,
  createBatch,
  createFile,
  createJob,
  createUpload,
  unknownObject,
} from "./create-object.ts";
import { PATHS, refresh } from "./follow.ts";
import { listObjects, readPart, removeObject } from "./read-objects.ts";
import type { RoutedKind, StoredObject } from "./store.ts";

type Arrival = Readonly<{ request: Request; server: GatewayServer | null; params: Readonly<Record<string, string>> }>;
type Work = (caller: Caller, arrival: Arrival) => Promise<object>;

const CREATE: Readonly<Record<RoutedKind, Create>> = {
  file: createFile,
  upload: createUpload,
  batch: createBatch,
  job: createJob,
};
const LISTED: readonly RoutedKind[] = ["file", "batch", "job"];
/** What can be done with an object, by POST. */
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

/** Files, uploads, batches and fine-tuning jobs: each user sees those that the user's keys made, and nobody else's. */
export function objectRoutes(context: GatewayContext, prefix: string) {
  const unread = { parse: "none" } as const;
  const answer = (work: Work) => (arrival: Arrival) => answerWith(context, arrival, work);
  const ofObject = (kind: RoutedKind, work: (object: StoredObject, arrival: Arrival) => Promise<object>) =>
    answer(async (caller, arrival) => work(await find(context, caller, kind, arrival.params.id ?? ""), arrival));
  const app = new Elysia({ name: `objects${prefix}`, prefix });
  for (const [kind, path] of Object.entries(PATHS) as [RoutedKind, string][]) {
    app.post(
      path,
      answer((caller, { request }) => CREATE[kind](context, caller, request)),
      unread,
    );
    app.get(
      `${path}/:id`,
      ofObject(kind, async (object) => (await refresh(context, object)).body),
    );
  }
  for (const kind of LISTED) {
    app.get(
      PATHS[kind],
      answer((caller, { request }) => listObjects(context, caller, kind, new URL(request.url).searchParams)),
    );
  }
  for (const [kind, part] of PARTS) {
    app.get(
      `${PATHS[kind]}/:id/${part}`,
      ofObject(kind, (object, { request }) => readPart(context, object, part, new URL(request.url).search)),
    );
  }
  for (const [kind, action] of ACTIONS) {
    app.post(
      `${PATHS[kind]}/:id/${action}`,
      ofObject(kind, (object, { request }) => act(context, object, action, request)),
      unread,
    );
  }
  return app
    .post(
      "/uploads/:id/parts",
      ofObject("upload", (upload, { request }) => addPart(context, upload, request)),
      unread,
    )
    .delete(
      "/files/:id",
      ofObject("file", (file) => removeObject(context, file)),
      unread,
    );
}

async function find({ services }: GatewayContext, caller: Caller, kind: RoutedKind, id: string): Promise<StoredObject> {
  const object = await services.objects.find(kind, decodeURIComponent(id), caller.user.id);
  if (!object) throw unknownObject(id);
  return object;
}

/** Authenticates, counts the call in its caller's limits, and answers; failures in OpenAI's form. */
async function answerWith(context: GatewayContext, arrival: Arrival, work: Work): Promise<Response> {
  const { request, server } = arrival;
  server?.timeout(request, 0);
  try {
    const { services } = context;
    const caller = await authenticate(services, request, services.clientAddress.ip(request, server));
    await rateLimit(context, { request, endpoint: chatCompletions }, caller);
    const made = await work(caller, arrival);
    const headers = { ...corsHeaders(request), "x-request-id": requestIdOf(request) };
    if (!(made instanceof Response)) return Response.json(made, { headers });
    for (const [name, value] of Object.entries(headers)) made.headers.set(name, value);
    return made;
  } catch (error) {
    return refuse(context, request, error, openaiChatClientCodec);
  }
}
