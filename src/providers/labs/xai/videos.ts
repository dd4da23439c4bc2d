import { compact, numberOf, recordOf, textOf } from "../../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { ProviderChannel } from "../../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../../contract/tasks.ts";

const HOUR_S = 3600;
const DEFAULT_SECONDS = 8;
const STATUSES = lookupTable<TaskStatus>({
  pending: "IN_PROGRESS",
  done: "SUCCESS",
  failed: "FAILURE",
  expired: "FAILURE",
});
const RESOLUTIONS: ReadonlySet<string> = new Set(["480p", "720p", "1080p"]);
/** What a second costs depends on it, so it is always named. */
const DEFAULT_RESOLUTION = "480p";
const BY_SIZE = lookupTable<string>({
  ...{ "1280x720": "720p", "720x1280": "720p", "1920x1080": "1080p", "1080x1920": "1080p" },
});

/** Video generation by xAI, https://docs.x.ai/docs/guides/video-generations; `base` returns the base URL with its version. */
export function xaiVideos(base: (channel: ProviderChannel) => string) {
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: HOUR_S,
    ask: (channel, [task]) => ({
      method: "GET",
      url: `${base(channel)}/videos/${encodeURIComponent(task?.upstreamId ?? "")}`,
      body: "",
    }),
    readReports(answer, [task]) {
      const data = recordOf(answer);
      const status = STATUSES[textOf(data?.status) ?? ""];
      if (!data || !status || !task) return [];
      const isOver = status !== "IN_PROGRESS";
      const percent = Math.min(99, Math.max(10, Math.round(numberOf(data.progress) ?? 0)));
      return [
        {
          upstreamId: task.upstreamId,
          status,
          progress: isOver ? "100%" : `${percent}%`,
          failReason: status === "FAILURE" ? problemOf(data.error) || UNKNOWN_FAIL_REASON : "",
          startMs: 0,
          finishMs: 0,
          data,
        },
      ];
    },
  };
  const videos: VideoProtocol = {
    defaultSeconds: (model) => (model.startsWith("grok-imagine-video") ? DEFAULT_SECONDS : null),
    order(channel, { model, prompt, seconds, size, images, own }) {
      const [first, ...others] = images.map((url) => ({ url }));
      const named = textOf(own.resolution)?.trim().toLowerCase() ?? "";
      return {
        url: `${base(channel)}/videos/generations`,
        action: first === undefined ? "text2video" : "image2video",
        body: compact({
          model,
          prompt,
          duration: seconds,
          aspect_ratio: own.aspect_ratio ?? aspectRatioOf(size),
          resolution: RESOLUTIONS.has(named) ? named : (BY_SIZE[size] ?? DEFAULT_RESOLUTION),
          // One image is the first frame; several show what is to be in the video.
          ...(others.length > 0 ? { reference_images: [first, ...others] } : { image: first }),
        }),
      };
    },
    readOrder(answer) {
      const response = recordOf(answer);
      const upstreamId = textOf(response?.request_id);
      return upstreamId ? { upstreamId } : { problem: problemOf(response?.error) || "the answer names no video" };
    },
    videoUrl: (data) => textOf(recordOf(recordOf(data)?.video)?.url),
  };
  return { tasks, videos };
}

const problemOf = (error: unknown): string => textOf(error) ?? textOf(recordOf(error)?.message) ?? "";
