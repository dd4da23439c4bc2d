import type { MediaRow } from "../../../../domain/tasks/task-view.ts";
import { numberOf, recordOf, textOf } from "../../../../formats/json.ts";
import type { FollowUpKind } from "../../../../providers/contract/tasks.ts";
import { providerOf } from "../../../../providers/registry.ts";
import type { Caller } from "../../../call/caller.ts";
import type { ClientBody } from "../../../call/endpoint.ts";
import type { Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import { invalidRequest } from "../../../request/client-body.ts";
import { refuse } from "../../../request/refuse.ts";
import { notOffered } from "../../../state/objects/request-upstream.ts";
import type { UpstreamTools } from "../../../upstream/upstream.ts";
import { type Route, route } from "../../route.ts";
import { type AdmitTaskContext, admitTask, type OrderArrival } from "../admit-task.ts";
import { video } from "../endpoints.ts";
import { answer } from "../responses.ts";
import type { SubmitContext } from "../submit.ts";
import type { ShowContentContext } from "./show-content.ts";
import { showContent } from "./show-content.ts";
import { findVideo, ownVideo, removeVideo, showVideos, viewGeneration, viewVideo } from "./stored-videos.ts";
import {
  formOfOrder,
  inlineImages,
  memberOf,
  type ReadOrder,
  readVideoOrder,
  secondsOf,
  submitVideo,
  variantFields,
  videosOf,
} from "./submit-video.ts";

/** What these functions work with. */
export type VideoRoutesContext = SubmitContext &
  AdmitTaskContext &
  ShowContentContext &
  Pick<UpstreamTools, "clientMediaFetch">;

/** Videos in OpenAI's protocol and in that of /v1/video/generations, under /v1. */
export const videoRoutes = (context: VideoRoutesContext): readonly Route[] => [
  route("POST", "/videos", ({ request, server }) => orderVideo(context, request, server, "videos")),
  route("GET", "/videos", ({ request, server }) => showVideos(context, request, server)),
  route("POST", "/videos/edits", ({ request, server }) => orderFollowUp(context, request, server, "edit")),
  route("POST", "/videos/extensions", ({ request, server }) => orderFollowUp(context, request, server, "extension")),
  route("GET", "/videos/:id", ({ request, server, param }) =>
    fetchVideo(context, request, server, "videos", param("id")),
  ),
  route("DELETE", "/videos/:id", ({ request, server, param }) => removeVideo(context, request, server, param("id"))),
  route("GET", "/videos/:id/content", ({ request, server, param }) =>
    showContent(context, request, server, param("id")),
  ),
  route("POST", "/videos/:id/remix", ({ request, server, param }) =>
    orderFollowUp(context, request, server, "remix", param("id")),
  ),
  route("POST", "/video/generations", ({ request, server }) => orderVideo(context, request, server, "generations")),
  route("GET", "/video/generations/:id", ({ request, server, param }) =>
    fetchVideo(context, request, server, "generations", param("id")),
  ),
];

/** The protocol that the client uses. */
type VideoProtocol = "videos" | "generations";

const view = (context: Uses<"channels">, protocol: VideoProtocol, row: MediaRow): object =>
  protocol === "videos" ? viewVideo(row) : viewGeneration(context, row);

/** POST /v1/videos and /v1/video/generations: orders a video; the response contains the task id. */
async function orderVideo(
  context: VideoRoutesContext,
  request: Request,
  server: GatewayServer | null,
  protocol: VideoProtocol,
): Promise<Response> {
  try {
    const row = await orderVideoTask(context, { request, server, endpoint: video }, readVideoOrder);
    return answer(request, view(context, protocol, row));
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** Orders a video and resolves with its row; `read` reads the order in the client's format. Rejects GatewayError. */
export async function orderVideoTask(
  context: VideoRoutesContext,
  arrival: OrderArrival,
  read: (body: ClientBody) => Promise<ReadOrder>,
): Promise<MediaRow> {
  const admitted = await admitTask(context, arrival, async (_caller, body) => {
    const order = await read(body);
    return { ...order, variant: variantFields(order), order };
  });
  const { call, body, planned } = admitted;
  const { order } = planned;
  try {
    return await submitVideo(context, call, {
      model: order.model,
      properties: { input: order.prompt, seconds: order.seconds, size: order.size },
      async request({ channel, key, provider, upstreamModel }) {
        const videos = videosOf(provider);
        const images = await inlineImages(context, videos, order.images);
        const sent = { ...order, images, model: upstreamModel, requestedModel: order.model, key };
        const { url, headers, action, body: fields, takesForm } = videos.order(channel, sent);
        const form = takesForm && body.form ? await formOfOrder(body.form, sent) : null;
        return { url, headers, action, body: form ?? JSON.stringify(fields) };
      },
    });
  } finally {
    await body.form?.discard();
  }
}

/** GET /v1/videos/{id} and /v1/video/generations/{id}: one of the caller's own videos. */
async function fetchVideo(
  context: VideoRoutesContext,
  request: Request,
  server: GatewayServer | null,
  protocol: VideoProtocol,
  id: string,
): Promise<Response> {
  try {
    return answer(request, view(context, protocol, (await ownVideo(context, request, server, id)).row));
  } catch (error) {
    return refuse(context, request, error);
  }
}

/**
 * POST /v1/videos/{id}/remix, /v1/videos/edits and /extensions: a video based on one of the caller's finished videos,
 * made by the same channel and key. It costs as much as any video of its model, size and length.
 */
async function orderFollowUp(
  context: VideoRoutesContext,
  request: Request,
  server: GatewayServer | null,
  kind: FollowUpKind,
  id?: string,
): Promise<Response> {
  try {
    const arrival = { request, server, endpoint: video };
    const { call, planned, body } = await admitTask(context, arrival, (caller, request) =>
      plan(context, caller, request, kind, id),
    );
    const { parent, prompt, size, seconds, upstreamId } = planned;
    try {
      const row = await submitVideo(context, call, {
        model: planned.model,
        properties: { input: prompt, seconds, size, remixedFrom: parent.taskId },
        async request({ channel, provider }) {
          const order = videosOf(provider).followUp?.(channel, { kind, upstreamId, prompt, seconds });
          if (!order) throw notOffered();
          return { url: order.url, body: JSON.stringify(order.body), action: kind };
        },
      });
      return answer(request, viewVideo(row));
    } finally {
      await body.form?.discard();
    }
  } catch (error) {
    return refuse(context, request, error);
  }
}

async function plan(
  context: Uses<"channels" | "tasks">,
  caller: Caller,
  { json }: ClientBody,
  kind: FollowUpKind,
  id?: string,
) {
  const parentId = id ?? memberOf(json, "video", "id");
  if (!parentId) throw invalidRequest({ code: "gateway_video_not_own" }, "video");
  const prompt = textOf(json.prompt)?.trim() ?? "";
  if (prompt === "") throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
  const parent = await findVideo(context, caller, parentId);
  if (parent.status !== "SUCCESS") throw invalidRequest({ code: "gateway_video_running" }, "video");
  const channel = context.services.channels.get(parent.channelId);
  if (channel && !providerOf(channel.type)?.videos?.followUp) throw notOffered();
  const properties = recordOf(parent.properties);
  const size = textOf(properties?.size) ?? "";
  const seconds =
    kind === "extension" && json.seconds !== undefined ? secondsOf(json.seconds) : (numberOf(properties?.seconds) ?? 1);
  const variant = variantFields({ own: {}, size, seconds });
  return { model: parent.modelName, prompt, seconds, size, variant, parent, upstreamId: parent.upstreamId };
}
