import { findDrawingRow } from "../../../domain/tasks/find-tasks.ts";
import { applyReport } from "../../../domain/tasks/polling/apply-report.ts";
import { readSignedId } from "../../../domain/tasks/signed-ids.ts";
import { findOpenDrawing } from "../../../domain/tasks/task-rows.ts";
import { noRules } from "../../../formats/request-rules/request-rules.ts";
import { readDrawing } from "../../../formats/tasks/midjourney.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { readBody } from "../../http/client-body.ts";
import { corsHeaders } from "../../http/headers.ts";
import { answer } from "../responses.ts";
import { refusal } from "./responses.ts";

/** Endpoints without an API key: a signed id in the URL authorizes the request. */

const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const IMAGE_TIMEOUT_MS = 30_000;
const IMAGE = /^image\/(?:png|jpe?g|webp|gif|avif|bmp)\b/i;
const CACHE_ONE_DAY = "public, max-age=86400";

const notFound = () => new GatewayError(404, "task_no_found", "task_no_found", { type: "invalid_request" });

/** GET /mj/image/{signed id}: the image of a task, fetched from the upstream's storage. */
export async function showImage(context: GatewayContext, request: Request, signed: string): Promise<Response> {
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
function imageError(context: GatewayContext, request: Request, error: unknown): Response {
  const status = error instanceof GatewayError ? error.status : 502;
  const { headers } = refusal(context, request, error);
  return new Response(null, { status, headers: { "x-request-id": headers.get("x-request-id") ?? "" } });
}

/** POST /mj/notify/{signed id}: the upstream reports a task's status, as in a response to polling. */
export async function handleNotification(context: GatewayContext, request: Request, signed: string): Promise<Response> {
  try {
    const { tasks, config } = context.services;
    const id = readSignedId(tasks.vault, "mj-notify", signed);
    if (id === null) throw notFound();
    const report = readDrawing((await readBody(request, config, noRules)).json);
    const task = await findOpenDrawing(tasks.db, id);
    if (task && report && report.upstreamId === task.upstreamId) await applyReport(tasks, task, report);
    return answer(request, { code: 1 });
  } catch (error) {
    return refusal(context, request, error);
  }
}
