import { compact, type JsonObject, recordOf, textOf, textsOf } from "../../../formats/json.ts";
import { UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { ProviderChannel } from "../../contract/provider.ts";
import {
  aspectRatioOf,
  type TaskProtocol,
  type TaskRequest,
  type VideoOrder,
  type VideoProtocol,
  type VideoSource,
} from "../../contract/tasks.ts";

/** Finished videos are stored for two days. */
const TIMEOUT_S = 24 * 3600;
const DEFAULT_SECONDS = 8;

const RESOLUTIONS: ReadonlySet<string> = new Set(["720p", "1080p", "4k"]);
const BY_SIZE = lookupTable<string>({
  ...{ "1280x720": "720p", "720x1280": "720p", "1920x1080": "1080p", "1080x1920": "1080p" },
  ...{ "3840x2160": "4k", "2160x3840": "4k" },
});

/** What clients may set of the parameters: nothing that the price depends on but `resolution`. */
const PARAMETERS = ["aspectRatio", "negativePrompt", "personGeneration", "enhancePrompt", "seed"] as const;

/** Where Google's two APIs differ. */
type VeoApi = Readonly<{
  orderUrl(channel: ProviderChannel, order: VideoOrder): string;
  /** Asks about an operation by its name. */
  poll(channel: ProviderChannel, name: string): TaskRequest;
  /** Members of a finished operation to store. */
  finished(response: JsonObject): Readonly<{ videos: readonly JsonObject[]; filtered: JsonObject }>;
  /** How a finished video is read. */
  source(channel: ProviderChannel, name: string, video: JsonObject): VideoSource | null;
  answersWithMedia: boolean;
  /** Parameters of this API alone. */
  parameters: readonly string[];
}>;

/**
 * Videos of Veo: an order is a long-running operation, https://ai.google.dev/gemini-api/docs/video and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation.
 */
export function veoVideos(api: VeoApi) {
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: TIMEOUT_S,
    answersWithMedia: api.answersWithMedia,
    ask: (channel, [task]) => api.poll(channel, task?.upstreamId ?? ""),
    readReports(answer, [task]) {
      const operation = recordOf(answer);
      if (!operation || !task || textOf(operation.name) === null) return [];
      const outcome = outcomeOf(api, operation);
      const isOver = outcome !== null;
      const problem = isOver && "problem" in outcome ? outcome.problem : null;
      return [
        {
          upstreamId: task.upstreamId,
          status: !isOver ? "IN_PROGRESS" : problem === null ? "SUCCESS" : "FAILURE",
          progress: isOver ? "100%" : "50%",
          failReason: problem === null ? "" : problem || UNKNOWN_FAIL_REASON,
          startMs: 0,
          finishMs: 0,
          data: { name: task.upstreamId, video: isOver && "video" in outcome ? outcome.video : null },
        },
      ];
    },
  };
  const videos: VideoProtocol = {
    defaultSeconds: (model) => (model.startsWith("veo-") ? DEFAULT_SECONDS : null),
    order(channel, order) {
      const { prompt, seconds, size, images, own } = order;
      const names = [...PARAMETERS, ...api.parameters];
      return {
        url: api.orderUrl(channel, order),
        action: images.length === 0 ? "text2video" : "image2video",
        body: {
          instances: [compact({ prompt: prompt === "" ? null : prompt, ...framesOf(images) })],
          parameters: compact({
            aspectRatio: ratioOf(size),
            negativePrompt: own.negative_prompt,
            ...Object.fromEntries(names.filter((name) => own[name] != null).map((name) => [name, own[name]])),
            resolution: resolutionOf(own, size),
            durationSeconds: seconds,
            sampleCount: 1,
          }),
        },
      };
    },
    readOrder(answer) {
      const response = recordOf(answer);
      const upstreamId = textOf(response?.name);
      return upstreamId
        ? { upstreamId }
        : { problem: textOf(recordOf(response?.error)?.message) || "the answer names no operation" };
    },
    videoUrl: () => null,
    source(channel, { upstreamId, data }) {
      const video = recordOf(recordOf(data)?.video);
      return video && api.source(channel, upstreamId, video);
    },
    inlinesImage: (url) => /^https?:/i.test(url),
  };
  return { tasks, videos };
}

/** The video of a finished operation, or why there is none; null: it is still running. */
function outcomeOf(
  api: VeoApi,
  { done, error, response }: JsonObject,
): Readonly<{ video: JsonObject }> | Readonly<{ problem: string }> | null {
  const failure = recordOf(error);
  if (failure) return { problem: textOf(failure.message) ?? "" };
  if (done !== true) return null;
  const { videos, filtered } = api.finished(recordOf(response) ?? {});
  const [video] = videos;
  return video ? { video } : { problem: textsOf(filtered.raiMediaFilteredReasons).join(" ") };
}

/** One image is the first frame, two are the first and the last one, more show what is to be in the video. */
function framesOf(images: readonly string[]): JsonObject {
  const [first, last] = images.map(imageOf);
  if (images.length < 3) return { image: first, lastFrame: last };
  return { referenceImages: images.map((image) => ({ image: imageOf(image), referenceType: "asset" })) };
}

function imageOf(image: string): JsonObject {
  const [, mimeType, bytesBase64Encoded] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(image) ?? [];
  return bytesBase64Encoded === undefined
    ? { gcsUri: image, mimeType: image.endsWith(".png") ? "image/png" : "image/jpeg" }
    : { bytesBase64Encoded, mimeType: mimeType || "image/png" };
}

/** Veo makes wide and upright videos. */
const ratioOf = (size: string): string | null => {
  const ratio = aspectRatioOf(size);
  return ratio === "1:1" ? null : ratio;
};

/** A `resolution`, else that of a size in pixels, else the model's default: what a second costs depends on it. */
function resolutionOf({ resolution }: JsonObject, size: string): string | null {
  const named = textOf(resolution)?.trim().toLowerCase();
  if (named && RESOLUTIONS.has(named)) return named;
  return BY_SIZE[size] ?? null;
}
