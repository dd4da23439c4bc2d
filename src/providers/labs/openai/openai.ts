import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { readOpenAiModelList } from "../../../formats/openai-chat/model-list.ts";
import { decodeResponsesCount, encodeResponsesCount } from "../../../formats/openai-responses/token-count.ts";
import { type TaskReport, type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, openaiPath, resolveBase } from "../../contract/base-address.ts";
import { chatApi, type TokenCount } from "../../contract/chat.ts";
import { EVERY_CAPABILITY, type Provider, type ProviderChannel } from "../../contract/provider.ts";
import type { TaskProtocol, VideoProtocol } from "../../contract/tasks.ts";
import { onResponsesRejected } from "../../shared/fit-request.ts";
import { OPENAI_MODELS } from "./models.ts";
import { onlyFormatOf, prepareForOpenAi, searchesInResponses } from "./reasoning-models.ts";

const TIMEOUT_S = 2 * 3600;
/** The largest page size. */
const PAGE_SIZE = 100;

const STATUSES = lookupTable<TaskStatus>({
  queued: "QUEUED",
  in_progress: "IN_PROGRESS",
  completed: "SUCCESS",
  failed: "FAILURE",
});

function reportOf(video: JsonObject | null): TaskReport[] {
  const upstreamId = textOf(video?.id);
  const status = STATUSES[textOf(video?.status) ?? ""];
  if (!video || !upstreamId || !status) return [];
  const error = recordOf(video.error);
  return [
    {
      upstreamId,
      status,
      progress: `${numberOf(video.progress) ?? 0}%`,
      failReason: status === "FAILURE" ? textOf(error?.message) || textOf(error?.code) || UNKNOWN_FAIL_REASON : "",
      startMs: (numberOf(video.created_at) ?? 0) * 1000,
      finishMs: (numberOf(video.completed_at) ?? 0) * 1000,
      data: video,
    },
  ];
}

/** Video generation by OpenAI; `base` returns the base URL with its version. */
function openaiVideos(base: (channel: ProviderChannel) => string): {
  tasks: TaskProtocol;
  videos: VideoProtocol;
} {
  const urlOf = (channel: ProviderChannel, upstreamId: string) =>
    `${base(channel)}/videos/${encodeURIComponent(upstreamId)}`;
  const tasks: TaskProtocol = {
    mostAtOnce: 1,
    timeoutSeconds: TIMEOUT_S,
    ask: (channel, [task]) => ({ method: "GET", url: urlOf(channel, task?.upstreamId ?? ""), body: "" }),
    readReports: (answer) => reportOf(recordOf(answer)),
    list: {
      ask: (channel, _action, cursor) => ({
        method: "GET",
        url: `${base(channel)}/videos?limit=${PAGE_SIZE}&order=desc${cursor ? `&after=${encodeURIComponent(cursor)}` : ""}`,
        body: "",
      }),
      read(answer) {
        const page = recordOf(answer);
        const found = recordsOf(page?.data);
        const last = textOf(page?.last_id) ?? textOf(found.at(-1)?.id);
        return { reports: found.flatMap(reportOf), next: page?.has_more === true ? last : null };
      },
    },
  };
  const videos: VideoProtocol = {
    defaultSeconds: (model) => (/(^|\/)sora/.test(model) ? 4 : null),
    order: (channel, { model, prompt, seconds, size, images, own }) => ({
      url: `${base(channel)}/videos`,
      action: "generate",
      body: {
        ...own,
        model,
        prompt,
        seconds: String(seconds),
        ...(size !== "" && { size }),
        ...(images[0] !== undefined && { input_reference: { image_url: images[0] } }),
      },
      takesForm: true,
    }),
    followUp(channel, { kind, upstreamId, prompt, seconds }) {
      if (kind === "remix") return { url: `${urlOf(channel, upstreamId)}/remix`, body: { prompt } };
      const body = { prompt, video: { id: upstreamId } };
      if (kind === "edit") return { url: `${base(channel)}/videos/edits`, body };
      return { url: `${base(channel)}/videos/extensions`, body: { ...body, seconds: String(seconds) } };
    },
    readOrder(answer) {
      const video = recordOf(answer);
      const upstreamId = textOf(video?.id);
      if (upstreamId && video?.status !== "failed") return { upstreamId };
      return { problem: textOf(recordOf(video?.error)?.message) || "the answer names no video" };
    },
    videoUrl: () => null,
    isKeyScoped: true,
  };
  return { tasks, videos };
}

const DEFAULT_BASE_URL = "https://api.openai.com";
/** OpenAI itself, or Cloudflare's gateway in front of it. */
const OWN_HOST = /^https:\/\/(([\w-]+\.)*openai\.com|gateway\.ai\.cloudflare\.com)(\/|:|$)/i;
const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "/v1",
  // Cloudflare's gateway and GitHub Models have no version at the end.
  printed: [[/^(https:\/\/(gateway\.ai\.cloudflare\.com\/.*|models\.github\.ai\/inference))$/, "$1"]],
};

/** OpenAI, and every compatible server with its own base URL. */
export const openai: Provider = {
  type: 1,
  name: "OpenAI",
  owner: "openai",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: [...EVERY_CAPABILITY, "video"],
  keyHint: "sk-…",
  models: OPENAI_MODELS,
  url: ({ baseUrl }, params) => resolveBase(baseUrl, ADDRESSES).api + openaiPath(params),
  files: {
    url: (channel, path) => versionedBase(channel) + path,
    collections: ({ baseUrl }) => (baseUrl === "" || OWN_HOST.test(baseUrl) ? "offered" : "unknown"),
  },
  modelList: { url: (channel) => `${versionedBase(channel)}/models`, read: readOpenAiModelList },
  authHeaders({ openaiOrganization }, key) {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (openaiOrganization) headers["openai-organization"] = openaiOrganization;
    return headers;
  },
  prepare: prepareForOpenAi,
  onRejected: onResponsesRejected,
  facts: {
    documented: { source: "https://platform.openai.com/docs/api-reference", version: "v1", day: "2026-11-29" },
    hosts: [
      { region: "US", url: "https://api.openai.com" },
      { region: "EU", url: "https://eu.api.openai.com" },
    ],
    chat: { customTools: true, compaction: true, cacheBreakpoints: true },
  },
  chat: chatApi({
    formats: ["openai-chat", "openai-responses"],
    formatOf: onlyFormatOf,
    searchesInResponses,
    runsMcp: ({ baseUrl }, format, isDeclared) =>
      format === "openai-responses" && (isDeclared ?? (baseUrl === "" || OWN_HOST.test(baseUrl))),
    countFormat: "openai-responses",
    tokenCount: (format) => (format === "openai-responses" ? tokenCount : null),
  }),
  ...openaiVideos(versionedBase),
};

const tokenCount: TokenCount = {
  url: (channel) => `${versionedBase(channel)}/responses/input_tokens`,
  encode: encodeResponsesCount,
  decode: decodeResponsesCount,
};

/** The base URL with its `/v1`, which operators may omit. */
function versionedBase({ baseUrl }: ProviderChannel): string {
  return resolveBase(baseUrl, ADDRESSES).api;
}
