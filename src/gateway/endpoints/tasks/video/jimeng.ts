import type { MediaRow } from "../../../../domain/tasks/task-view.ts";
import { numberOf, textOf, textsOf } from "../../../../formats/json.ts";
import { integer, requestMembers } from "../../../../formats/request-rules.ts";
import { requestIdOf } from "../../../../lib/http/request.ts";
import { sayStored } from "../../../../lib/reason.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import { siteForCaller } from "../../../../settings/option/public-address.ts";
import type { ClientBody, Endpoint } from "../../../call/endpoint.ts";
import type { CallTools, Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import { invalidRequest, readBody } from "../../../request/client-body.ts";
import { type Route, route } from "../../route.ts";
import { video } from "../endpoints.ts";
import { answer, taskErrorOf } from "../responses.ts";
import { callerOf } from "../task-channel.ts";
import { orderVideoTask, type VideoRoutesContext } from "./routes.ts";
import { findVideo, videoUrlOf } from "./stored-videos.ts";
import { type ReadOrder, readVideoOrder } from "./submit-video.ts";

const FRAMES_PER_SECOND = 24;
const MAX_FRAMES = 60 * FRAMES_PER_SECOND + 1;

const jimengVideo: Endpoint = {
  ...video,
  rules: {
    members: requestMembers("req_key prompt image_urls binary_data_base64 frames aspect_ratio seed task_id"),
    numbers: [integer("frames", 1, MAX_FRAMES)],
    switches: [],
  },
};

const SUCCESS = 10_000;
/** The API's error codes by HTTP status; others are internal errors. */
const CODES: Readonly<Record<number, number>> = { 400: 50_215, 401: 50_400, 403: 50_400, 429: 50_429 };
const INTERNAL = 50_500;

/**
 * Jimeng's own API with a key of the gateway instead of a signature, as new-api has it: `POST /jimeng/?Action=…`. `req_key`
 * is the model, which may be another provider's, too.
 */
export const jimengRoutes = (context: VideoRoutesContext): readonly Route[] =>
  ["", "/"].map((path) => ({
    ...route("POST", path, ({ request, server }) => perform(context, request, server)),
    ...(path === "/" && { isHidden: true as const }),
  }));

async function perform(context: VideoRoutesContext, request: Request, server: GatewayServer | null): Promise<Response> {
  try {
    const action = new URL(request.url).searchParams.get("Action");
    if (action === "CVSync2AsyncSubmitTask") {
      const row = await orderVideoTask(context, { request, server, endpoint: jimengVideo }, readOrder);
      return succeeded(request, { task_id: row.taskId });
    }
    if (action === "CVSync2AsyncGetResult") return await showResult(context, request, server);
    // Callers without a key learn nothing else.
    await callerOf(context, request, server, "TaskEnabled");
    throw invalidRequest({ code: "gateway_field_missing", params: { field: "Action" } }, "Action");
  } catch (error) {
    return refuseAsJimeng(context, request, error);
  }
}

/** An order in the members of the gateway's own. Rejects GatewayError. */
async function readOrder(body: ClientBody): Promise<ReadOrder> {
  const { req_key: reqKey, frames, image_urls, binary_data_base64, prompt, ...own } = body.json;
  const model = textOf(reqKey);
  if (!model) throw invalidRequest({ code: "gateway_field_missing", params: { field: "req_key" } }, "req_key");
  if (/_(t2i|i2i)_/.test(model)) throw invalidRequest("Images are made by /v1/images/generations.", "req_key");
  const count = numberOf(frames);
  const inline = textsOf(binary_data_base64).map((image) => `data:image/png;base64,${image}`);
  const json = {
    ...own,
    model,
    prompt,
    images: [...textsOf(image_urls), ...inline],
    ...(count !== null && { seconds: Math.max(1, Math.ceil((count - 1) / FRAMES_PER_SECOND)) }),
  };
  return readVideoOrder({ ...body, json });
}

async function showResult(
  context: VideoRoutesContext,
  request: Request,
  server: GatewayServer | null,
): Promise<Response> {
  const caller = await callerOf(context, request, server, "TaskEnabled");
  const { json } = await readBody(context, request, jimengVideo.rules);
  const row = await findVideo(context, caller, textOf(json.task_id) ?? "");
  if (row.status !== "FAILURE") return succeeded(request, view(context, request, row));
  return failed(request, INTERNAL, sayStored(row.failReason, "en"), 200);
}

const STATES = lookupTable<string>({ SUCCESS: "done", IN_PROGRESS: "generating" });

const view = (context: Uses<"channels" | "settings" | "config">, request: Request, row: MediaRow) => ({
  status: STATES[row.status] ?? "in_queue",
  video_url: row.status === "SUCCESS" ? (videoUrlOf(context, row) ?? contentUrl(context, request, row)) : "",
  binary_data_base64: null,
  image_urls: null,
  resp_data: "",
});

/** Where a video without a public address is read, with the client's key. */
const contentUrl = ({ services }: Uses<"settings" | "config">, request: Request, { taskId }: MediaRow): string =>
  `${siteForCaller(services.settings, request, services.config.basePath)}/v1/videos/${taskId}/content`;

const succeeded = (request: Request, data: object): Response =>
  answer(request, bodyOf(request, SUCCESS, "Success", data));

const failed = (request: Request, code: number, message: string, status: number): Response =>
  answer(request, bodyOf(request, code, message, null), status);

const bodyOf = (request: Request, code: number, message: string, data: object | null) => ({
  code,
  data,
  message,
  request_id: requestIdOf(request),
  status: code,
});

/** An error in the API's format, with the status of the failure. */
export function refuseAsJimeng(
  context: Uses<"log"> & Pick<CallTools, "metrics">,
  request: Request,
  error: unknown,
): Response {
  const { status, message } = taskErrorOf(context, error);
  return failed(request, CODES[status] ?? INTERNAL, message, status);
}
