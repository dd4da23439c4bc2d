import { compact, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { baseFailure } from "../../../formats/openai-chat/errors.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { ProviderChannel } from "../../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../../contract/tasks.ts";

const TIMEOUT_S = 24 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  ...{ Preparing: "QUEUED", Queueing: "QUEUED", Processing: "IN_PROGRESS", Success: "SUCCESS", Fail: "FAILURE" },
  ...{ queued: "QUEUED", running: "IN_PROGRESS", succeeded: "SUCCESS", failed: "FAILURE", cancelled: "FAILURE" },
});
const PROGRESS: Readonly<Partial<Record<TaskStatus, string>>> = { QUEUED: "10%", IN_PROGRESS: "50%" };

/** Models of the second version of the API. */
const isSecond = (model: string): boolean => /^MiniMax-H\d/i.test(model);
const SECOND = "v2";

/** What clients may set of the API's own members. */
const FIRST_OWN = ["prompt_optimizer", "fast_pretreatment", "aigc_watermark"] as const;
const SECOND_OWN = ["ratio", "aigc_watermark"] as const;

const FIRST_RESOLUTIONS: ReadonlySet<string> = new Set(["512P", "720P", "768P", "1080P"]);
const SECOND_RESOLUTIONS: ReadonlySet<string> = new Set(["768P", "2K"]);
const BY_SIZE = lookupTable<string>({ "1920x1080": "1080P", "1080x1920": "1080P" });
const DEFAULT_RESOLUTION = "768P";

/**
 * Video generation by MiniMax: Hailuo, https://platform.minimax.io/docs/api-reference/video-generation-intro, and H3 in the second
 * version of the API. `root` returns the base URL without a version.
 */
export function minimaxVideos(root: (channel: ProviderChannel) => string) {
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: TIMEOUT_S,
    ask(channel, [task]) {
      const id = encodeURIComponent(task?.upstreamId ?? "");
      const url =
        task?.action === SECOND
          ? `${root(channel)}/v2/query/video_generation/${id}`
          : `${root(channel)}/v1/query/video_generation?task_id=${id}`;
      return { method: "GET", url, body: "" };
    },
    readReports(answer, [task]) {
      const response = recordOf(answer);
      const data = recordOf(response?.task) ?? response;
      const status = STATUSES[textOf(data?.status) ?? ""];
      if (!data || !status || !task) return [];
      const isOver = status === "SUCCESS" || status === "FAILURE";
      return [
        {
          upstreamId: task.upstreamId,
          status,
          progress: isOver ? "100%" : (PROGRESS[status] ?? "10%"),
          failReason: status === "FAILURE" ? problemOf(data) || UNKNOWN_FAIL_REASON : "",
          startMs: 0,
          finishMs: 0,
          data,
        },
      ];
    },
  };
  const videos: VideoProtocol = {
    defaultSeconds: (model) => (/^MiniMax-Hailuo/i.test(model) ? 6 : null),
    order(channel, { model, prompt, seconds, size, images, own }) {
      const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, own[name]]));
      if (isSecond(model)) {
        return {
          url: `${root(channel)}/v2/video_generation`,
          action: SECOND,
          body: compact({
            model,
            content: [...(prompt === "" ? [] : [{ type: "text", text: prompt }]), ...framesOf(images)],
            ratio: images.length === 0 ? aspectRatioOf(size) : null,
            ...compact(pick(SECOND_OWN)),
            resolution: resolutionOf(own, size, SECOND_RESOLUTIONS),
            duration: seconds,
          }),
        };
      }
      const [first, last] = images;
      return {
        url: `${root(channel)}/v1/video_generation`,
        action: "v1",
        body: compact({
          model,
          prompt: prompt === "" ? null : prompt,
          first_frame_image: first,
          last_frame_image: last,
          ...pick(FIRST_OWN),
          resolution: resolutionOf(own, size, FIRST_RESOLUTIONS),
          duration: seconds,
        }),
      };
    },
    readOrder(answer) {
      const response = recordOf(answer) ?? {};
      const upstreamId = textOf(response.task_id);
      return upstreamId ? { upstreamId } : { problem: problemOf(response) || "the answer names no task" };
    },
    videoUrl: (data) => textOf(recordOf(recordOf(data)?.content)?.url),
    // A file's URL is valid for hours: it is requested when a client wants the video.
    source(channel, { data }) {
      const file = textOf(recordOf(data)?.file_id);
      if (!file) return null;
      const url = `${root(channel)}/v1/files/retrieve?file_id=${encodeURIComponent(file)}`;
      return {
        request: { method: "GET", url, body: "" },
        read(answer) {
          const location = textOf(recordOf(recordOf(answer)?.file)?.download_url);
          return location && /^https?:/i.test(location) ? { url: location } : null;
        },
      };
    },
  };
  return { tasks, videos };
}

const framesOf = (images: readonly string[]): JsonObject[] =>
  images.map((url, at) => ({
    type: "image_url",
    image_url: { url },
    role: images.length > 2 ? "reference_image" : at === 0 ? "first_frame" : "last_frame",
  }));

/** A `resolution`, else that of a size in pixels, else the default: what a second costs depends on it. */
function resolutionOf({ resolution }: JsonObject, size: string, known: ReadonlySet<string>): string {
  const named = textOf(resolution)?.trim().toUpperCase();
  if (named && known.has(named)) return named;
  const bySize = BY_SIZE[size];
  return bySize && known.has(bySize) ? bySize : DEFAULT_RESOLUTION;
}

const problemOf = (data: JsonObject): string => {
  const error = recordOf(data.error);
  return textOf(error?.message) || textOf(error?.code) || baseFailure(data)?.message || "";
};
