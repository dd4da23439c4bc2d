import { compact, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { ProviderChannel } from "../../contract/provider.ts";
import type { TaskProtocol, VideoProtocol } from "../../contract/tasks.ts";

const TIMEOUT_S = 24 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  PENDING: "QUEUED",
  RUNNING: "IN_PROGRESS",
  SUCCEEDED: "SUCCESS",
  FAILED: "FAILURE",
  CANCELED: "FAILURE",
  UNKNOWN: "FAILURE",
});
const PROGRESS = lookupTable<string>({ PENDING: "10%", RUNNING: "50%" });

/** Wide pixels of each resolution. */
const SIZES = lookupTable<readonly [long: number, short: number]>({
  "480P": [832, 480],
  "720P": [1280, 720],
  "1080P": [1920, 1080],
});
const DEFAULT_RESOLUTION = "1080P";

/** What clients may set of the API's own parameters: nothing that the price depends on but `resolution`. */
const PARAMETERS = ["prompt_extend", "watermark", "seed", "audio", "shot_type"] as const;

/**
 * Video generation by Alibaba's Wan, https://help.aliyun.com/zh/model-studio/text-to-video-api-reference; `base` returns the base
 * URL of DashScope's own API.
 */
export function wanVideos(base: (channel: Pick<ProviderChannel, "baseUrl">) => string) {
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: TIMEOUT_S,
    ask: (channel, [task]) => ({
      method: "GET",
      url: `${base(channel)}/api/v1/tasks/${encodeURIComponent(task?.upstreamId ?? "")}`,
      body: "",
    }),
    readReports(answer, [task]) {
      const output = recordOf(recordOf(answer)?.output);
      const state = textOf(output?.task_status);
      if (!output || !state || !task) return [];
      const status = STATUSES[state] ?? "SUBMITTED";
      const isOver = status === "SUCCESS" || status === "FAILURE";
      return [
        {
          upstreamId: task.upstreamId,
          status,
          progress: isOver ? "100%" : (PROGRESS[state] ?? "10%"),
          failReason: status === "FAILURE" ? textOf(output.message) || textOf(output.code) || UNKNOWN_FAIL_REASON : "",
          startMs: 0,
          finishMs: 0,
          data: output,
        },
      ];
    },
  };
  const videos: VideoProtocol = {
    order(channel, { model, prompt, seconds, size, images, own }) {
      const [image] = images;
      const resolution = resolutionOf(own, size);
      const form = image === undefined ? { size: pixelsOf(resolution, size) } : { resolution };
      const parameters = Object.fromEntries(PARAMETERS.map((name) => [name, own[name]]));
      return {
        url: `${base(channel)}/api/v1/services/aigc/video-generation/video-synthesis`,
        headers: { "x-dashscope-async": "enable" },
        action: image === undefined ? "text2video" : "image2video",
        body: {
          model,
          input: compact({ prompt, img_url: image, negative_prompt: textOf(own.negative_prompt) }),
          parameters: compact({ ...parameters, ...form, duration: seconds }),
        },
      };
    },
    readOrder(answer) {
      const response = recordOf(answer);
      const upstreamId = textOf(recordOf(response?.output)?.task_id);
      return upstreamId
        ? { upstreamId }
        : { problem: textOf(response?.message) || textOf(response?.code) || "the answer names no task" };
    },
    videoUrl: (data) => textOf(recordOf(data)?.video_url),
  };
  return { tasks, videos };
}

/** “720P” of a `resolution`, else of a size in pixels, else the default: what a second costs depends on it. */
function resolutionOf({ resolution }: JsonObject, size: string): string {
  const named = textOf(resolution)?.trim().toUpperCase();
  if (named && SIZES[named]) return named;
  const sides = size.split("x").map(Number);
  const isSize = ([long, short]: readonly number[]) => Math.max(...sides) === long && Math.min(...sides) === short;
  return Object.entries(SIZES).find(([, pixels]) => pixels && isSize(pixels))?.[0] ?? DEFAULT_RESOLUTION;
}

/** The pixels of a resolution, upright where the requested size is. */
function pixelsOf(resolution: string, size: string): string {
  const [long, short] = SIZES[resolution] ?? [1920, 1080];
  const [width = 0, height = 0] = size.split("x").map(Number);
  return height > width ? `${short}*${long}` : `${long}*${short}`;
}
