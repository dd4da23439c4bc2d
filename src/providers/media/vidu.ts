import { numberOf, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../formats/tasks/report.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { Provider } from "../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../contract/tasks.ts";

const DEFAULT_BASE_URL = "https://api.vidu.com";
/** Off-peak jobs finish within two days. */
const TIMEOUT_S = 50 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  created: "SUBMITTED",
  queueing: "QUEUED",
  processing: "IN_PROGRESS",
  success: "SUCCESS",
  failed: "FAILURE",
});
const PROGRESS = lookupTable<string>({ created: "10%", queueing: "20%", processing: "50%" });

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/ent/v2" };

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).api;

const tasks: TaskProtocol = {
  mostAtOnce: 1,
  timeoutSeconds: TIMEOUT_S,
  ask: ({ baseUrl }, [task]) => ({
    method: "GET",
    url: `${rootOf(baseUrl)}/tasks/${encodeURIComponent(task?.upstreamId ?? "")}/creations`,
    body: "",
  }),
  readReports(answer, [task]) {
    const data = recordOf(answer);
    const state = textOf(data?.state);
    if (!data || !state || !task) return [];
    const status = STATUSES[state] ?? "SUBMITTED";
    const isOver = status === "SUCCESS" || status === "FAILURE";
    return [
      {
        upstreamId: task.upstreamId,
        status,
        progress: isOver ? "100%" : (PROGRESS[state] ?? "10%"),
        failReason: status === "FAILURE" ? textOf(data.err_code) || UNKNOWN_FAIL_REASON : "",
        startMs: 0,
        finishMs: 0,
        data,
      },
    ];
  },
};

const videos: VideoProtocol = {
  defaultSeconds: (model) => (/(^|\/)vidu(1\.5|2\.0)/.test(model) ? 4 : null),
  order({ baseUrl }, { model, prompt, seconds, size, images, own }) {
    const action = images.length === 0 ? "text2video" : images.length === 1 ? "img2video" : "start-end2video";
    const ratio = aspectRatioOf(size);
    return {
      url: `${rootOf(baseUrl)}/${action}`,
      action,
      body: {
        model,
        prompt,
        duration: seconds,
        ...(ratio && action === "text2video" && { aspect_ratio: ratio }),
        ...(images.length > 0 && { images }),
        ...own,
      },
    };
  },
  readOrder(answer) {
    const response = recordOf(answer);
    const upstreamId = textOf(response?.task_id);
    if (upstreamId && response?.state !== "failed") return { upstreamId };
    return { problem: textOf(response?.message) || textOf(response?.err_code) || "the answer names no task" };
  },
  videoUrl: (data) => textOf(recordsOf(recordOf(data)?.creations)[0]?.url),
};

/** The credits left in all packages; null also for accounts that pay for concurrency, whatever their credits. */
function creditsLeft(answer: unknown): number | null {
  const response = recordOf(answer)?.remains;
  if (!Array.isArray(response)) return null;
  const packages = recordsOf(response);
  const credits = packages.reduce((sum, { credit_remain }) => sum + (numberOf(credit_remain) ?? 0), 0);
  return credits === 0 && packages.some(({ type }) => type === "concurrent") ? null : credits;
}

export const vidu: Provider = {
  type: 1011,
  name: "Vidu",
  owner: "vidu",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["video"],
  keyHint: "vda_…",
  facts: { documented: { source: "https://platform.vidu.com/docs/introduction", version: "v2", day: "2026-11-29" } },
  models: ["viduq2", "viduq2-pro", "viduq2-turbo", "viduq1", "vidu2.0", "vidu1.5"],
  url: ({ baseUrl }) => rootOf(baseUrl),
  balance: {
    url: ({ baseUrl }) => `${rootOf(baseUrl)}/credits?show_detail=false`,
    read: creditsLeft,
    currency: () => "credits",
  },
  authHeaders: (_channel, key) => ({ authorization: `Token ${key}` }),
  tasks,
  videos,
};
