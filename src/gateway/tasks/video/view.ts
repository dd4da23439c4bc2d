import type { MediaRow } from "../../../domain/tasks/task-view.ts";
import { numberOf, recordOf, textOf } from "../../../formats/json.ts";
import { sayStored } from "../../../lib/reason.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { GatewayContext } from "../../call/context.ts";

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
export function videoUrlOf({ services }: GatewayContext, row: MediaRow): string | null {
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
export const viewGeneration = (context: GatewayContext, row: MediaRow) => ({
  task_id: row.taskId,
  status: stateOf(row.status),
  url: videoUrlOf(context, row) ?? "",
  format: "mp4",
  metadata: { duration: secondsOf(row) },
  error: errorOf(row),
});
