import { DecodeError } from "../../../formats/conversation/codec.ts";
import { embeddedMedia, partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import type { Provider, ProviderChannel } from "../../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../../contract/tasks.ts";
import { embeddingList, inputsOf, textInput } from "../../shared/embeddings.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";

/** Tasks expire after two days. */
const TIMEOUT_S = 50 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  cancelled: "FAILURE",
  expired: "FAILURE",
});
const PROGRESS = lookupTable<string>({ queued: "10%", running: "50%" });

/** What clients may set of the API's own members. */
const OWN = ["ratio", "seed", "camera_fixed", "watermark", "generate_audio", "return_last_frame"] as const;
const RESOLUTIONS: ReadonlySet<string> = new Set(["480p", "720p", "1080p"]);
const DEFAULT_RESOLUTION = "720p";
const BY_SIZE = lookupTable<string>({
  ...{ "864x480": "480p", "480x864": "480p", "1280x720": "720p", "720x1280": "720p" },
  ...{ "1920x1080": "1080p", "1080x1920": "1080p" },
});

/** Video generation by Seedance at Volcano Ark, https://www.volcengine.com/docs/82379/1520757. */
function seedanceVideos(base: (channel: Pick<ProviderChannel, "baseUrl">) => string) {
  const root = (channel: Pick<ProviderChannel, "baseUrl">) => `${base(channel)}/contents/generations/tasks`;
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: TIMEOUT_S,
    ask: (channel, [task]) => ({
      method: "GET",
      url: `${root(channel)}/${encodeURIComponent(task?.upstreamId ?? "")}`,
      body: "",
    }),
    readReports(answer, [task]) {
      const data = recordOf(answer);
      const state = textOf(data?.status);
      if (!data || !state || !task) return [];
      const status = STATUSES[state] ?? "SUBMITTED";
      const isOver = status === "SUCCESS" || status === "FAILURE";
      const updated = numberOf(data.updated_at) ?? 0;
      return [
        {
          upstreamId: task.upstreamId,
          status,
          progress: isOver ? "100%" : (PROGRESS[state] ?? "10%"),
          failReason: status === "FAILURE" ? problemOf(data) || UNKNOWN_FAIL_REASON : "",
          startMs: (numberOf(data.created_at) ?? 0) * 1000,
          finishMs: isOver ? updated * 1000 : 0,
          data,
        },
      ];
    },
  };
  const videos: VideoProtocol = {
    order(channel, { model, prompt, seconds, size, images, own }) {
      const ratio = aspectRatioOf(size);
      const frames = images.map((url, at) => ({
        type: "image_url",
        image_url: { url },
        ...(images.length > 1 && { role: at === 0 ? "first_frame" : at === 1 ? "last_frame" : "reference_image" }),
      }));
      return {
        url: root(channel),
        action: images.length === 0 ? "text2video" : "image2video",
        body: compact({
          model,
          content: [...(prompt === "" ? [] : [{ type: "text", text: prompt }]), ...frames],
          ...(ratio && images.length === 0 && { ratio }),
          ...Object.fromEntries(OWN.flatMap((name) => (own[name] == null ? [] : [[name, own[name]]]))),
          resolution: resolutionOf(own, size),
          duration: seconds,
        }),
      };
    },
    readOrder(answer) {
      const response = recordOf(answer);
      const upstreamId = textOf(response?.id);
      return upstreamId ? { upstreamId } : { problem: problemOf(response) || "the answer names no task" };
    },
    videoUrl: (data) => textOf(recordOf(recordOf(data)?.content)?.video_url),
  };
  return { tasks, videos };
}

/** A `resolution`, else that of a size in pixels, else the default: what a second costs depends on it. */
function resolutionOf({ resolution }: JsonObject, size: string): string {
  const named = textOf(resolution)?.trim().toLowerCase();
  return named && RESOLUTIONS.has(named) ? named : (BY_SIZE[size] ?? DEFAULT_RESOLUTION);
}

const problemOf = (data: JsonObject | null): string => {
  const error = recordOf(data?.error);
  return textOf(error?.message) || textOf(error?.code) || "";
};

const BASE_URL = "https://ark.cn-beijing.volces.com";
/** The coding plan has a path of its own; Anthropic's API stands at `/api/coding` there, at `/api/compatible` else. */
const ADDRESSES: AddressForms = {
  fallback: BASE_URL,
  root: "/api/v3",
  printed: [
    [/\/api\/coding(\/v\d)?$/, "/api/coding/v3"],
    [/\/api\/compatible(\/v1)?$/, "/api/v3"],
  ],
};

const THINKING = { on: { thinking: { type: "enabled" } }, off: { thinking: { type: "disabled" } } };

const chats = openAiCompatible({
  type: 45,
  name: "Volcano Ark",
  owner: "volcengine",
  baseUrl: BASE_URL,
  capabilities: ["chat", "embeddings", "images"],
  responses: true,
  models: [
    "doubao-seed-2-0-pro",
    "doubao-seed-2-0-lite",
    "doubao-seed-2-0-mini",
    "doubao-seed-2-0-code",
    "doubao-seed-1-8",
    "doubao-seed-1-6-251015",
    "doubao-1-5-pro-32k-250115",
    "doubao-1-5-lite-32k-250115",
    "deepseek-v3-2",
    "doubao-embedding-large",
  ],
  facts: {
    documented: { source: "https://www.volcengine.com/docs/82379/1494384", version: "v3", day: "2026-11-29" },
    hosts: [
      { region: "CN", url: "https://ark.cn-beijing.volces.com" },
      { region: "SG", url: "https://ark.ap-southeast.bytepluses.com" },
      { region: "CN", url: "https://ark.cn-beijing.volces.com/api/coding/v3", plan: "Coding Plan" },
    ],
    // https://www.volcengine.com/docs/82379/1449737
    chat: {
      // Inference endpoints.
      opaqueNames: /^ep-/,
      reasoning: [
        { models: /thinking/, off: "lowest", offCosts: "They always reason." },
        {
          models: /seed-(1-8|[2-9]|1-6-(lite-)?251015)/,
          ...THINKING,
          effort: { path: ["reasoning_effort"], efforts: ["minimal", "low", "medium", "high"] },
        },
        { models: /seed-|deepseek-v(3-[1-9]|[4-9])|^glm-|^kimi-/, ...THINKING },
      ],
    },
    requests: { rejected: ["n"] },
    // https://github.com/volcengine/volcengine-python-sdk: `fast` is for Responses.
    tiers: { auto: "auto", default: "default", fast: "fast" },
    addresses: ADDRESSES,
    // https://www.volcengine.com/docs/82379/1299023
    errors: { no_credit: [{ code: "AccountOverdueError" }, { code: "AccountOverdue" }] },
  },
});
const VISION = /^doubao-embedding-vision/;

/**
 * Embeddings of models that see: one embedding of one content, of a text or of texts, images and videos
 * (https://www.volcengine.com/docs/82379/1523520).
 */
const visionEmbeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", "encoding_format", "dimensions", "instructions"], dropped);
    const [entry, ...others] = inputsOf(call);
    if (others.length > 0) throw new DecodeError("Doubao's vision models embed one content per request.", "input");
    const input = partsOfEntry(entry)?.map(visionPart) ?? [{ type: "text", text: textInput(entry, "Volcano Ark") }];
    const { dimensions, instructions } = call;
    return compact({ model, input, encoding_format: "float", dimensions, instructions });
  },
  decode({ data, usage }) {
    const embedding = recordOf(data)?.embedding ?? recordsOf(data)[0]?.embedding;
    const reported = recordOf(usage);
    const tokens = countOf(reported?.prompt_tokens);
    const imageTokens = countOf(recordOf(reported?.prompt_tokens_details)?.image_tokens) ?? 0;
    return Array.isArray(embedding)
      ? embeddingList([embedding], tokens === null ? null : { tokens, imageTokens })
      : null;
  },
};

function visionPart(part: JsonObject): JsonObject {
  const media = embeddedMedia(part);
  if (!media) return { type: "text", text: part.text };
  const kind = media.mimeType.startsWith("video/") ? "video_url" : "image_url";
  return { type: kind, [kind]: { url: "data" in media ? `data:${media.mimeType};base64,${media.data}` : media.uri } };
}

/** Volcano Ark, which serves bots under a path of their own, and videos by Seedance as tasks. */
export const ark: Provider = {
  ...chats,
  ...seedanceVideos(({ baseUrl }) => resolveBase(baseUrl, ADDRESSES).api),
  capabilities: [...chats.capabilities, "video"],
  embedsMedia: true,
  nativeFormat: ({ capability, model }) =>
    capability === "embeddings" && VISION.test(model) ? visionEmbeddings : null,
  url(channel, params) {
    const url = chats.url(channel, params);
    if (params.capability === "embeddings" && VISION.test(params.model)) return `${url}/multimodal`;
    return params.model.startsWith("bot") ? url.replace("/chat/completions", "/bots/chat/completions") : url;
  },
};
