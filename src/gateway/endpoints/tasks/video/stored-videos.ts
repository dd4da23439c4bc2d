import { deleteVideo, findMedia, listVideos } from "../../../../domain/tasks/find-tasks.ts";
import type { MediaRow } from "../../../../domain/tasks/task-view.ts";
import { numberOf, recordOf, textOf } from "../../../../formats/json.ts";
import { sayStored } from "../../../../lib/reason.ts";
import { providerOf } from "../../../../providers/registry.ts";
import type { Caller } from "../../../call/caller.ts";
import { GatewayError } from "../../../call/errors.ts";
import type { Choice } from "../../../call/route.ts";
import type { Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import { invalidRequest } from "../../../request/client-body.ts";
import type { RefuseContext } from "../../../request/refuse.ts";
import { refuse } from "../../../request/refuse.ts";
import type { SendContext } from "../../../state/objects/request-upstream.ts";
import { requestObject } from "../../../state/objects/request-upstream.ts";
import { answer } from "../responses.ts";
import type { TaskChannelContext } from "../task-channel.ts";
import { callerOf, channelOfTask } from "../task-channel.ts";

/** What these functions work with. */
export type StoredVideosContext = TaskChannelContext & SendContext & RefuseContext & Uses<"channels" | "tasks">;

type State = "queued" | "in_progress" | "completed" | "failed";

const stateOf = (status: string): State => {
  if (status === "SUCCESS") return "completed";
  if (status === "FAILURE") return "failed";
  return status === "IN_PROGRESS" ? "in_progress" : "queued";
};

const secondsOf = (row: MediaRow): number => numberOf(recordOf(row.properties)?.seconds) ?? 0;
const errorOf = ({ status, failReason }: MediaRow) =>
  status === "FAILURE" ? { code: "video_generation_failed", message: sayStored(failReason, "en") } : null;

/** URL of the finished video; null if it is not done. */
export function videoUrlOf({ services }: Uses<"channels">, row: MediaRow): string | null {
  const channel = services.channels.get(row.channelId);
  const videos = channel && providerOf(channel.type)?.videos;
  return row.status === "SUCCESS" && videos ? videos.videoUrl(row.data) : null;
}

/** A video as in OpenAI's API. */
export const viewVideo = (row: MediaRow) => ({
  id: row.taskId,
  object: "video",
  model: row.modelName,
  status: stateOf(row.status),
  progress: Number.parseInt(row.progress, 10) || 0,
  created_at: row.createdAt,
  completed_at: row.finishTime || null,
  expires_at: numberOf(recordOf(row.data)?.expires_at) ?? null,
  size: textOf(recordOf(row.properties)?.size) ?? "",
  seconds: String(secondsOf(row)),
  prompt: textOf(recordOf(row.properties)?.input),
  remixed_from_video_id: textOf(recordOf(row.properties)?.remixedFrom),
  error: errorOf(row),
});

/** A video as in /v1/video/generations. */
export const viewGeneration = (context: Uses<"channels">, row: MediaRow) => ({
  task_id: row.taskId,
  status: stateOf(row.status),
  url: videoUrlOf(context, row) ?? "",
  format: "mp4",
  metadata: { duration: secondsOf(row) },
  error: errorOf(row),
});

/** A video of the caller. Rejects GatewayError if it does not exist or was deleted. */
export async function ownVideo(
  context: StoredVideosContext,
  request: Request,
  server: GatewayServer | null,
  id: string,
) {
  const caller = await callerOf(context, request, server, "TaskEnabled");
  return { caller, row: await findVideo(context, caller, id) };
}

/** The caller's video with this id. Rejects GatewayError. */
export async function findVideo({ services }: Uses<"tasks">, caller: Caller, id: string): Promise<MediaRow> {
  const [row] = id.startsWith("video_") ? await findMedia(services.tasks.db, caller.user.id, null, [id]) : [];
  if (!row || recordOf(row.properties)?.deleted === true) throw videoNotFound(id);
  return row;
}

/** The error of a video that does not exist, or not for the caller. */
export const videoNotFound = (id: string): GatewayError =>
  new GatewayError(
    404,
    "video_not_found",
    { code: "gateway_video_unknown", params: { id } },
    { type: "invalid_request_error" },
  );

const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 20;

/** GET /v1/videos: a page of the caller's own videos, newest first by default. */
export async function showVideos(context: StoredVideosContext, request: Request, server: GatewayServer | null) {
  try {
    const caller = await callerOf(context, request, server, "TaskEnabled");
    const query = new URL(request.url).searchParams;
    const limit = Number(query.get("limit") ?? DEFAULT_PAGE_SIZE);
    if (!Number.isInteger(limit) || limit < 1)
      throw invalidRequest({ code: "gateway_integer", params: { field: "limit" } }, "limit");
    const shown = Math.min(limit, MAX_PAGE_SIZE);
    const newestFirst = query.get("order") !== "asc";
    const page = { userId: caller.user.id, after: query.get("after"), limit: shown + 1, newestFirst };
    const found = await listVideos(context.services.tasks.db, page);
    const rows = found.slice(0, shown);
    return answer(request, {
      object: "list",
      data: rows.map(viewVideo),
      first_id: rows[0]?.taskId ?? null,
      last_id: rows.at(-1)?.taskId ?? null,
      has_more: found.length > shown,
    });
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** DELETE /v1/videos/{id}: deletes a finished video, at the provider, too, if it stores the video. The charge stays. */
export async function removeVideo(
  context: StoredVideosContext,
  request: Request,
  server: GatewayServer | null,
  id: string,
) {
  try {
    const { row } = await ownVideo(context, request, server, id);
    if (row.isOpen) throw invalidRequest({ code: "gateway_video_undeletable" });
    if (isStoredUpstream(context, row) && row.upstreamId !== "") {
      const path = pathOf(row);
      await requestObject(context, ownerChannelOf(context, row), { method: "DELETE", path }).catch((error) => {
        // Already deleted there.
        if (!(error instanceof GatewayError && error.status === 404)) throw error;
      });
    }
    await deleteVideo(context.services.tasks.db, row.id);
    return answer(request, { id, object: "video.deleted", deleted: true });
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** Whether the video is at the upstream, under `/videos`, for the key that ordered it. */
export function isStoredUpstream({ services }: Uses<"channels">, { channelId }: MediaRow): boolean {
  const channel = services.channels.get(channelId);
  return (channel && providerOf(channel.type)?.videos?.isKeyScoped) === true;
}

/** The channel and key that made the video. Throws GatewayError. */
export function ownerChannelOf(context: Uses<"channels" | "tasks">, row: MediaRow): Choice {
  const channel = channelOfTask(context, row);
  return { channel, key: channel.keys[0] ?? "" };
}

/** The path of a video that is stored upstream. */
export const pathOf = ({ upstreamId }: MediaRow): string => `/videos/${encodeURIComponent(upstreamId)}`;
