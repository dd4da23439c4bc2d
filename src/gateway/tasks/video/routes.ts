import type { MediaRow } from "../../../domain/tasks/task-view.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { refuse } from "../../http/refuse.ts";
import { type Route, route } from "../../http/routes/route.ts";
import { admitTask } from "../admit-task.ts";
import { video } from "../endpoints.ts";
import { answer } from "../responses.ts";
import { orderFollowUp } from "./follow-up.ts";
import { formOfOrder, readVideoOrder, variantFields } from "./order.ts";
import { ownVideo } from "./own-video.ts";
import { removeVideo, showContent, showVideos } from "./stored-videos.ts";
import { submitVideo, videosOf } from "./submit-video.ts";
import { viewGeneration, viewVideo } from "./view.ts";

/** Videos in OpenAI's protocol and in that of /v1/video/generations, under /v1. */
export const videoRoutes = (context: GatewayContext): readonly Route[] => [
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

const view = (context: GatewayContext, protocol: VideoProtocol, row: MediaRow): object =>
  protocol === "videos" ? viewVideo(row) : viewGeneration(context, row);

/** POST /v1/videos and /v1/video/generations: orders a video; the response contains the task id. */
async function orderVideo(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  protocol: VideoProtocol,
): Promise<Response> {
  try {
    const admitted = await admitTask(context, { request, server, endpoint: video }, async (_caller, body) => {
      const order = await readVideoOrder(body);
      return { ...order, variant: variantFields(order), order };
    });
    const { call, body, planned } = admitted;
    const { order } = planned;
    try {
      const row = await submitVideo(context, call, {
        model: order.model,
        properties: { input: order.prompt, seconds: order.seconds, size: order.size },
        async request(channel, provider, model) {
          const sent = { ...order, model };
          const { url, headers, action, body: fields, takesForm } = videosOf(provider).order(channel, sent);
          const form = takesForm && body.form ? await formOfOrder(body.form, sent) : null;
          return { url, headers, action, body: form ?? JSON.stringify(fields) };
        },
      });
      return answer(request, view(context, protocol, row));
    } finally {
      await body.form?.discard();
    }
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** GET /v1/videos/{id} and /v1/video/generations/{id}: one of the caller's own videos. */
async function fetchVideo(
  context: GatewayContext,
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
