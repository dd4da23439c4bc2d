import { Elysia } from "elysia";
import type { MediaRow } from "../../../domain/tasks/task-view.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { refuse } from "../../http/refuse.ts";
import { admitTask } from "../admit-task.ts";
import { answer } from "../answers.ts";
import { video } from "../endpoints.ts";
import { orderFollowUp } from "./follow-up.ts";
import { removeVideo, showContent, showVideos } from "./kept-videos.ts";
import { askedVariant, formOfOrder, readVideoOrder } from "./order.ts";
import { ownVideo } from "./own-video.ts";
import { submitVideo, videosOf } from "./submit-video.ts";
import { viewGeneration, viewVideo } from "./view.ts";

const unread = { parse: "none" } as const;

/** Videos behind a version: OpenAI's way and the ecosystem's. */
export const videoRoutes = (context: GatewayContext, prefix: string) =>
  new Elysia({ name: `relay${prefix}/videos`, prefix })
    .post("/videos", ({ request, server }) => orderVideo(context, request, server, "videos"), unread)
    .get("/videos", ({ request, server }) => showVideos(context, request, server))
    .post("/videos/edits", ({ request, server }) => orderFollowUp(context, request, server, "edit"), unread)
    .post("/videos/extensions", ({ request, server }) => orderFollowUp(context, request, server, "extension"), unread)
    .get("/videos/:id", ({ request, server, params }) => fetchVideo(context, request, server, "videos", params.id))
    .delete("/videos/:id", ({ request, server, params }) => removeVideo(context, request, server, params.id), unread)
    .get("/videos/:id/content", ({ request, server, params }) => showContent(context, request, server, params.id))
    .post(
      "/videos/:id/remix",
      ({ request, server, params }) => orderFollowUp(context, request, server, "remix", params.id),
      unread,
    )
    .post("/video/generations", ({ request, server }) => orderVideo(context, request, server, "generations"), unread)
    .get("/video/generations/:id", ({ request, server, params }) =>
      fetchVideo(context, request, server, "generations", params.id),
    );

/** In which of the two protocols the client speaks. */
type VideoDoor = "videos" | "generations";

const view = (context: GatewayContext, door: VideoDoor, row: MediaRow): object =>
  door === "videos" ? viewVideo(row) : viewGeneration(context, row);

/** POST /v1/videos and /v1/video/generations: orders a video; the answer names the task. */
async function orderVideo(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  door: VideoDoor,
): Promise<Response> {
  try {
    const admitted = await admitTask(context, { request, server, endpoint: video }, async (_caller, body) => {
      const order = await readVideoOrder(body);
      return { ...order, asked: askedVariant(order), order };
    });
    const { call, body, planned } = admitted;
    const { order } = planned;
    try {
      const row = await submitVideo(context, call, {
        model: order.model,
        properties: { input: order.prompt, seconds: order.seconds, size: order.size },
        async request(channel, provider, model) {
          const sent = { ...order, model };
          const { url, action, body: fields, takesForm } = videosOf(provider).order(channel, sent);
          const form = takesForm && body.form ? await formOfOrder(body.form, sent) : null;
          return { url, action, body: form ?? JSON.stringify(fields) };
        },
      });
      return answer(request, view(context, door, row));
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
  door: VideoDoor,
  id: string,
): Promise<Response> {
  try {
    return answer(request, view(context, door, (await ownVideo(context, request, server, id)).row));
  } catch (error) {
    return refuse(context, request, error);
  }
}
