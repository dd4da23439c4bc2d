import { compact, numberOf, recordOf, textOf, textsOf } from "../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../formats/tasks/report.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { Provider } from "../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../contract/tasks.ts";

const DEFAULT_BASE_URL = "https://api.dev.runwayml.com";
const API_VERSION = "2024-11-06";
/** Tasks wait while the account has as many as it may at the same time; results are gone after two days. */
const TIMEOUT_S = 24 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  PENDING: "QUEUED",
  THROTTLED: "QUEUED",
  RUNNING: "IN_PROGRESS",
  SUCCEEDED: "SUCCESS",
  FAILED: "FAILURE",
  CANCELLED: "FAILURE",
});

/** What clients may set of the API's own members. */
const OWN = ["ratio", "seed", "contentModeration"] as const;
/** Ratios are sizes in pixels. */
const RATIOS: ReadonlySet<string> = new Set(["1280:720", "720:1280", "1104:832", "832:1104", "960:960", "1584:672"]);
const BY_ASPECT = lookupTable<string>({ "16:9": "1280:720", "9:16": "720:1280", "1:1": "960:960" });
const DEFAULT_RATIO = "1280:720";

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).api;

const tasks: TaskProtocol = {
  mostAtOnce: 1,
  timeoutSeconds: TIMEOUT_S,
  ask: ({ baseUrl }, [task]) => ({
    method: "GET",
    url: `${rootOf(baseUrl)}/tasks/${encodeURIComponent(task?.upstreamId ?? "")}`,
    body: "",
  }),
  readReports(answer, [task]) {
    const data = recordOf(answer);
    const state = textOf(data?.status);
    if (!data || !state || !task) return [];
    const status = STATUSES[state] ?? "SUBMITTED";
    const isOver = status === "SUCCESS" || status === "FAILURE";
    const share = Math.min(1, Math.max(0, numberOf(data.progress) ?? 0));
    return [
      {
        upstreamId: task.upstreamId,
        status,
        progress: isOver ? "100%" : `${Math.max(10, Math.round(share * 100))}%`,
        failReason: status === "FAILURE" ? problemOf(data) || UNKNOWN_FAIL_REASON : "",
        startMs: Date.parse(textOf(data.createdAt) ?? "") || 0,
        finishMs: 0,
        data,
      },
    ];
  },
};

const videos: VideoProtocol = {
  order({ baseUrl }, { model, prompt, seconds, size, images, own }) {
    const action = images.length === 0 ? "text_to_video" : "image_to_video";
    const frames = images.map((uri, at) => ({ uri, position: at === 0 ? "first" : "last" }));
    return {
      url: `${rootOf(baseUrl)}/${action}`,
      action,
      body: compact({
        model,
        promptText: prompt === "" ? null : prompt,
        promptImage: frames.length > 1 ? frames : images[0],
        ratio: ratioOf(size),
        ...Object.fromEntries(OWN.map((name) => [name, own[name]]).filter(([, value]) => value != null)),
        duration: seconds,
      }),
    };
  },
  readOrder(answer) {
    const response = recordOf(answer);
    const upstreamId = textOf(response?.id);
    return upstreamId ? { upstreamId } : { problem: textOf(response?.error) || "the answer names no task" };
  },
  videoUrl: (data) => textsOf(recordOf(data)?.output)[0] ?? null,
};

/** The ratio of a size in pixels: its own, else one of the same orientation. */
function ratioOf(size: string): string {
  const own = size.replace("x", ":");
  return RATIOS.has(own) ? own : (BY_ASPECT[aspectRatioOf(size) ?? ""] ?? DEFAULT_RATIO);
}

const problemOf = ({ failure, failureCode }: Readonly<Record<string, unknown>>): string =>
  textOf(failure) || textOf(failureCode) || "";

/** Video generation by Runway, https://docs.dev.runwayml.com/api. */
export const runway: Provider = {
  type: 1012,
  name: "Runway",
  owner: "runway",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["video"],
  keyHint: "key_…",
  facts: { documented: { source: "https://docs.dev.runwayml.com/api", version: "2024-11-06", day: "2026-11-29" } },
  models: ["gen4.5", "gen4_turbo"],
  url: ({ baseUrl }) => rootOf(baseUrl),
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}`, "x-runway-version": API_VERSION }),
  tasks,
  videos,
};
