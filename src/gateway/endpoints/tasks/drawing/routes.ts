import { findDrawingRow, findDrawings } from "../../../../domain/tasks/find-tasks.ts";
import { applyReport } from "../../../../domain/tasks/polling/apply-report.ts";
import { findOpenDrawing } from "../../../../domain/tasks/task-rows.ts";
import { readSignedId, viewDrawing } from "../../../../domain/tasks/task-view.ts";
import { parseJson, textsOf } from "../../../../formats/json.ts";
import { noRules } from "../../../../formats/request-rules.ts";
import { readDrawing } from "../../../../formats/tasks/midjourney.ts";
import { requestIdOf } from "../../../../lib/http/request.ts";
import { trimSlashes } from "../../../../providers/contract/base-address.ts";
import { providerOf } from "../../../../providers/registry.ts";
import type { Caller } from "../../../call/caller.ts";
import { GatewayError } from "../../../call/errors.ts";
import { StoredAnswers, type StoredAnswersContext } from "../../../call/guardrails/answer/guard-stored.ts";
import type { CallTools, Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import { readBody } from "../../../request/client-body.ts";
import { corsHeaders } from "../../../request/headers.ts";
import type { UpstreamTools } from "../../../upstream/upstream.ts";
import { type Route, route } from "../../route.ts";
import { drawing } from "../endpoints.ts";
import { answer } from "../responses.ts";
import { callerOf, channelOfTask } from "../task-channel.ts";
import { readSwap, reason } from "./action.ts";
import { refusal } from "./responses.ts";
import type { SubmitDrawingContext } from "./submit-drawing.ts";
import { submitDrawing, submitNamed } from "./submit-drawing.ts";

/** What these functions work with. */
export type RoutesContext = SubmitDrawingContext & StoredAnswersContext & Pick<UpstreamTools, "mediaFetch">;

/** The Midjourney protocol, under /mj and with a mode as prefix. */
export const drawingRoutes = (context: RoutesContext): readonly Route[] => [
  route("POST", "/submit/:action", ({ request, server, param }) =>
    submitNamed(context, request, server, param("mode"), param("action")),
  ),
  route("POST", "/insight-face/swap", ({ request, server, param }) =>
    submitDrawing(context, request, server, param("mode"), readSwap),
  ),
  route("GET", "/task/:id/fetch", ({ request, server, param }) => fetchDrawing(context, request, server, param("id"))),
  route("GET", "/task/:id/image-seed", ({ request, server, param }) =>
    imageSeed(context, request, server, param("id")),
  ),
  route("POST", "/task/list-by-condition", ({ request, server }) => listDrawings(context, request, server)),
];

/** Signed URLs under /mj, which need no API key. */
export const openDrawingRoutes = (context: RoutesContext): readonly Route[] => [
  route("GET", "/image/:signed", ({ request, param }) => showImage(context, request, param("signed"))),
  route("POST", "/notify/:signed", ({ request, param }) => handleNotification(context, request, param("signed"))),
];

/** Endpoints without an API key: a signed id in the URL authorizes the request. */

const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const IMAGE_TIMEOUT_MS = 30_000;
const IMAGE = /^image\/(?:png|jpe?g|webp|gif|avif|bmp)\b/i;
const CACHE_ONE_DAY = "public, max-age=86400";

const notFound = () => new GatewayError(404, "task_no_found", "task_no_found", { type: "invalid_request" });

/** GET /mj/image/{signed id}: the image of a task, fetched from the upstream's storage. */
async function showImage(context: RoutesContext, request: Request, signed: string): Promise<Response> {
  try {
    const { tasks } = context.services;
    const id = readSignedId(tasks.vault, "mj-image", signed);
    const row = id === null ? null : await findDrawingRow(tasks.db, id);
    if (!row || row.imageUrl === "") throw notFound();
    const image = await context.mediaFetch(row.imageUrl, {
      timeoutMs: IMAGE_TIMEOUT_MS,
      maxBytes: MAX_IMAGE_BYTES,
    });
    const type = image.headers.get("content-type") ?? "";
    if (image.status !== 200 || !IMAGE.test(type)) {
      throw new GatewayError(502, "image_not_available", { code: "gateway_image_unavailable" });
    }
    return new Response(new Uint8Array(image.body), {
      headers: {
        ...corsHeaders(request),
        "content-type": type,
        "cache-control": row.status === "SUCCESS" ? CACHE_ONE_DAY : "no-store",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
      },
    });
  } catch (error) {
    return imageError(context, request, error);
  }
}

/** An error without a message: image viewers only read the status. */
function imageError(context: Uses<"log"> & Pick<CallTools, "metrics">, request: Request, error: unknown): Response {
  const status = error instanceof GatewayError ? error.status : 502;
  const { headers } = refusal(context, request, error);
  return new Response(null, { status, headers: { "x-request-id": headers.get("x-request-id") ?? "" } });
}

/** POST /mj/notify/{signed id}: the upstream reports a task's status, as in a response to polling. */
async function handleNotification(context: RoutesContext, request: Request, signed: string): Promise<Response> {
  try {
    const { tasks } = context.services;
    const id = readSignedId(tasks.vault, "mj-notify", signed);
    if (id === null) throw notFound();
    const report = readDrawing((await readBody(context, request, noRules)).json);
    const task = await findOpenDrawing(tasks.db, id);
    if (task && report && report.upstreamId === task.upstreamId) await applyReport(tasks, task, report);
    return answer(request, { code: 1 });
  } catch (error) {
    return refusal(context, request, error);
  }
}

const MAX_IDS = 500;
const SEED_TIMEOUT_MS = 30_000;

/** GET /mj/task/{id}/fetch: one of the caller's own tasks. */
const fetchDrawing = (context: RoutesContext, request: Request, server: GatewayServer | null, id: string) =>
  answerCaller(context, request, server, async (caller) => {
    const { tasks } = context.services;
    const [row] = await findDrawings(tasks.db, caller.user.id, [id]);
    if (!row) throw reason("task_no_found");
    return viewDrawing(tasks, row);
  });

/** POST /mj/task/list-by-condition: the caller's own tasks with the given ids, in their order. */
const listDrawings = (context: RoutesContext, request: Request, server: GatewayServer | null) =>
  answerCaller(context, request, server, async (caller) => {
    const { tasks } = context.services;
    const { json } = await readBody(context, request, drawing.rules);
    const ids = textsOf(json.ids).slice(0, MAX_IDS);
    const rows = await findDrawings(tasks.db, caller.user.id, ids);
    return ids.flatMap((id) => {
      const row = rows.find(({ mjId }) => mjId === id);
      return row ? [viewDrawing(tasks, row)] : [];
    });
  });

/** GET /mj/task/{id}/image-seed: requested from the channel that made the image. */
const imageSeed = (context: RoutesContext, request: Request, server: GatewayServer | null, id: string) =>
  answerCaller(context, request, server, async (caller) => {
    const [row] = await findDrawings(context.services.tasks.db, caller.user.id, [id]);
    if (!row) throw reason("task_no_found");
    const channel = channelOfTask(context, row);
    const [key = ""] = channel.keys;
    const headers = providerOf(channel.type)?.authHeaders(channel, key) ?? {};
    const url = `${trimSlashes(channel.baseUrl)}/mj/task/${encodeURIComponent(id)}/image-seed`;
    const response = await context.mediaFetch(url, { headers, timeoutMs: SEED_TIMEOUT_MS });
    const seed = response.status === 200 ? parseJson(response.text()) : undefined;
    if (seed === undefined) throw reason("get_image_seed_failed");
    return seed;
  });

async function answerCaller(
  context: RoutesContext,
  request: Request,
  server: GatewayServer | null,
  make: (caller: Caller) => Promise<unknown>,
): Promise<Response> {
  try {
    const caller = await callerOf(context, request, server, "DrawingEnabled");
    // Prompts that a model wrote and descriptions are answers, too.
    const guardrails = new StoredAnswers(context, caller, requestIdOf(request));
    const { made } = await guardrails.pass({ made: await make(caller) });
    return answer(request, made);
  } catch (error) {
    return refusal(context, request, error);
  }
}
