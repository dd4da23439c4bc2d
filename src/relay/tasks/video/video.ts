import { randomId } from "../../../lib/request-id.ts";
import type { Provider } from "../../../providers/provider.ts";
import { findMedia } from "../../../tasks/find-tasks.ts";
import { addMedia, takeMedia } from "../../../tasks/submit-task.ts";
import type { MediaRow } from "../../../tasks/task-view.ts";
import type { RelayContext } from "../../context.ts";
import { RelayError } from "../../errors.ts";
import { type RelayServer, refuse } from "../../handle.ts";
import { admitTask } from "../admit-task.ts";
import { answer } from "../answers.ts";
import { callerOf } from "../caller.ts";
import { video } from "../endpoints.ts";
import { type Sent, submitTask } from "../submit.ts";
import { readVideoOrder } from "./order.ts";
import { videoUrlOf, viewGeneration, viewVideo } from "./view.ts";

/** In which of the two protocols the client speaks. */
export type VideoDoor = "videos" | "generations";

const view = (context: RelayContext, door: VideoDoor, row: MediaRow): object =>
  door === "videos" ? viewVideo(row) : viewGeneration(context, row);

/** POST /v1/videos and /v1/video/generations: orders a video; the answer names the task. */
export async function orderVideo(
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
  door: VideoDoor,
): Promise<Response> {
  try {
    const { call, planned } = await admitTask(context, { request, server, endpoint: video }, async (_caller, body) => {
      const order = await readVideoOrder(body);
      return { ...order, order };
    });
    const { tasks } = context.services;
    const { caller } = call.admitted;
    const { order } = planned;
    const taskId = randomId("video_");
    let action = "";
    const { sent } = await submitTask(context, call, {
      kind: "media",
      store: () =>
        addMedia(tasks.db, {
          userId: caller.user.id,
          tokenId: caller.token?.id ?? 0,
          channelId: 0,
          platform: "video",
          action: "",
          modelName: order.model,
          taskId,
          properties: { input: order.prompt, seconds: order.seconds, size: order.size },
          notifyHook: "",
          chargeId: call.recordId,
          createdAt: call.createdAt,
        }),
      request(channel, provider, model) {
        const ordered = videosOf(provider).order(channel, { ...order, model });
        action = ordered.action;
        return { url: ordered.url, body: JSON.stringify(ordered.body) };
      },
      read: readOrdered,
      take: (id, taken, { answer: platform }) => takeMedia(tasks.db, id, taken, { action, platform }),
    });
    if (sent.upstreamId === null) {
      throw new RelayError(400, "video_refused", sent.reason, { type: "upstream_error" });
    }
    const [row] = await findMedia(tasks.db, caller.user.id, null, [taskId]);
    if (!row) throw notFound(taskId);
    return answer(request, view(context, door, row));
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** GET /v1/videos/{id} and /v1/video/generations/{id}: one of the caller's own videos. */
export async function fetchVideo(
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
  door: VideoDoor,
  id: string,
): Promise<Response> {
  try {
    return answer(request, view(context, door, await ownVideo(context, request, server, id)));
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** GET /v1/videos/{id}/content: leads to where the provider keeps the video. */
export async function showVideo(context: RelayContext, request: Request, server: RelayServer | null, id: string) {
  try {
    const url = videoUrlOf(context, await ownVideo(context, request, server, id));
    if (url !== null && /^https?:\/\//.test(url))
      return new Response(null, { status: 302, headers: { location: url } });
    throw new RelayError(404, "video_not_ready", "The video is not done yet.", { type: "invalid_request_error" });
  } catch (error) {
    return refuse(context, request, error);
  }
}

async function ownVideo(context: RelayContext, request: Request, server: RelayServer | null, id: string) {
  const caller = callerOf(context, request, server, "TaskEnabled");
  const [row] = id.startsWith("video_") ? await findMedia(context.services.tasks.db, caller.user.id, null, [id]) : [];
  if (!row) throw notFound(id);
  return row;
}

const notFound = (id: string): RelayError =>
  new RelayError(404, "video_not_found", `There is no video “${id}”.`, { type: "invalid_request_error" });

function videosOf({ name, videos }: Provider) {
  if (!videos) throw new TypeError(`${name} offers videos and does not say how they are ordered`);
  return videos;
}

/** The answer that is kept is which provider it was. */
function readOrdered(answered: unknown, provider: Provider): Sent<string> {
  const read = videosOf(provider).readOrder(answered);
  const problem = "problem" in read ? read.problem : "";
  return { answer: provider.owner, upstreamId: "problem" in read ? null : read.upstreamId, code: 0, reason: problem };
}
