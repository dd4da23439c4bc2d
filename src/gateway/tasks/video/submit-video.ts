import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import { findMedia } from "../../../domain/tasks/find-tasks.ts";
import { addMedia, takeMedia } from "../../../domain/tasks/submit-task.ts";
import type { MediaRow } from "../../../domain/tasks/task-view.ts";
import { randomId } from "../../../lib/http/request-id.ts";
import type { Provider } from "../../../providers/contract/provider.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { type SubmitResult, submitTask, type UpstreamOrder } from "../submit.ts";
import { videoNotFound } from "./own-video.ts";

/** A video to order: what to store about it, and how to request it from a channel. */
type VideoTask = Readonly<{
  model: string;
  properties: Readonly<{ input: string; seconds: number; size: string; remixedFrom?: string }>;
  /** `action` is stored with the task. */
  request(
    channel: ChannelEntry,
    provider: Provider,
    model: string,
  ): Promise<UpstreamOrder & Readonly<{ action: string }>> | (UpstreamOrder & Readonly<{ action: string }>);
}>;

/** Orders a video as a task and resolves with its row. Rejects GatewayError. */
export async function submitVideo(context: GatewayContext, call: Call, task: VideoTask): Promise<MediaRow> {
  const { db } = context.services.tasks;
  const { caller } = call;
  const taskId = randomId("video_");
  let action = "";
  const { sent } = await submitTask(context, call, {
    kind: "media",
    store: () =>
      addMedia(db, {
        userId: caller.user.id,
        tokenId: caller.token?.id ?? 0,
        channelId: 0,
        platform: "video",
        action: "",
        modelName: task.model,
        taskId,
        properties: task.properties,
        notifyHook: "",
        chargeId: call.recordId,
        createdAt: call.createdAt,
      }),
    async request(channel, provider, model) {
      const ordered = await task.request(channel, provider, model);
      action = ordered.action;
      return ordered;
    },
    read: readOrdered,
    take: (id, taken, { answer: platform }) => takeMedia(db, id, taken, { action, platform }),
  });
  if (sent.upstreamId === null) throw new GatewayError(400, "video_refused", sent.reason, { type: "upstream_error" });
  const [row] = await findMedia(db, caller.user.id, null, [taskId]);
  if (!row) throw videoNotFound(taskId);
  return row;
}

export function videosOf({ name, videos }: Provider) {
  if (!videos) throw new TypeError(`${name} offers videos and does not say how they are ordered`);
  return videos;
}

/** Reads the response to an order; `answer` is the provider's name. */
function readOrdered(answered: unknown, provider: Provider): SubmitResult<string> {
  const read = videosOf(provider).readOrder(answered);
  const problem = "problem" in read ? read.problem : "";
  return { answer: provider.owner, upstreamId: "problem" in read ? null : read.upstreamId, code: 0, reason: problem };
}
