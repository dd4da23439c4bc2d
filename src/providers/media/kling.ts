import { createHmac } from "node:crypto";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { type TaskReport, type TaskStatus, UNKNOWN_FAIL_REASON } from "../../formats/tasks/report.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { Provider } from "../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../contract/tasks.ts";

const DEFAULT_BASE_URL = "https://api-singapore.klingai.com";
const TIMEOUT_S = 24 * 3600;
/** The largest page size. */
const PAGE_SIZE = 500;
const TOKEN_LIFETIME_S = 1800;
/** Allows for differing clocks: tokens are valid from this many seconds ago. */
const CLOCK_TOLERANCE_S = 5;
/** The API lists resource packs by purchase date; they are valid for a year at most. */
const PACK_HISTORY_S = 400 * 24 * 3600;

const STATUSES = lookupTable<TaskStatus>({
  submitted: "SUBMITTED",
  processing: "IN_PROGRESS",
  succeed: "SUCCESS",
  failed: "FAILURE",
});
const PROGRESS = lookupTable<string>({ submitted: "10%", processing: "50%" });

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).service;

function reportOf(data: JsonObject | null): TaskReport[] {
  const upstreamId = textOf(data?.task_id);
  if (!data || !upstreamId) return [];
  const upstreamStatus = textOf(data.task_status) ?? "";
  const status = STATUSES[upstreamStatus] ?? "SUBMITTED";
  const isOver = status === "SUCCESS" || status === "FAILURE";
  return [
    {
      upstreamId,
      status,
      progress: isOver ? "100%" : (PROGRESS[upstreamStatus] ?? "10%"),
      failReason: status === "FAILURE" ? textOf(data.task_status_msg) || UNKNOWN_FAIL_REASON : "",
      startMs: numberOf(data.created_at) ?? 0,
      finishMs: isOver ? (numberOf(data.updated_at) ?? 0) : 0,
      data,
    },
  ];
}

const tasks: TaskProtocol = {
  mostAtOnce: 1,
  timeoutSeconds: TIMEOUT_S,
  ask: ({ baseUrl }, [task]) => ({
    method: "GET",
    url: `${rootOf(baseUrl)}/v1/videos/${task?.action}/${encodeURIComponent(task?.upstreamId ?? "")}`,
    body: "",
  }),
  readReports: (answer) => reportOf(recordOf(recordOf(answer)?.data)),
  list: {
    ask: ({ baseUrl }, action, cursor) => ({
      method: "GET",
      url: `${rootOf(baseUrl)}/v1/videos/${action}?pageNum=${cursor ?? 1}&pageSize=${PAGE_SIZE}`,
      body: "",
    }),
    read(answer, cursor) {
      const page = recordsOf(recordOf(answer)?.data);
      return { reports: page.flatMap(reportOf), next: page.length < PAGE_SIZE ? null : `${Number(cursor ?? 1) + 1}` };
    },
  },
};

const videos: VideoProtocol = {
  order({ baseUrl }, { model, prompt, seconds, size, images, own }) {
    const action = images.length > 0 ? "image2video" : "text2video";
    const [image, tail] = images.map(withoutDataPrefix);
    const ratio = aspectRatioOf(size);
    return {
      url: `${rootOf(baseUrl)}/v1/videos/${action}`,
      action,
      body: {
        model_name: model,
        prompt,
        duration: String(seconds),
        ...(ratio && action === "text2video" && { aspect_ratio: ratio }),
        ...(image && { image }),
        ...(tail && { image_tail: tail }),
        ...own,
      },
    };
  },
  readOrder(answer) {
    const response = recordOf(answer);
    const upstreamId = textOf(recordOf(response?.data)?.task_id);
    if (response?.code === 0 && upstreamId) return { upstreamId };
    return { problem: textOf(response?.message) || "the answer names no task" };
  },
  videoUrl: (data) => textOf(recordsOf(recordOf(recordOf(data)?.task_result)?.videos)[0]?.url),
};

/**
 * The units left in active resource packs, which the service updates twice a day; null if there are none, because calls
 * may be billed otherwise.
 */
function unitsLeft(answer: unknown): number | null {
  const packs = recordsOf(recordOf(recordOf(answer)?.data)?.resource_pack_subscribe_infos);
  if (packs.length === 0) return null;
  const inUse = packs.filter(({ status }) => status === "online");
  return inUse.reduce((sum, { remaining_quantity }) => sum + (numberOf(remaining_quantity) ?? 0), 0);
}

/** Images inside the request are plain base64. */
const withoutDataPrefix = (image: string): string => image.replace(/^data:[^,]*;base64,/, "");

/** A short-lived token (JWT, HS256) signed with the secret key; the service expects it instead of the key. */
function token(key: string, now: number): string {
  const [accessKey = "", secretKey = ""] = key.split("|").map((part) => part.trim());
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: accessKey, exp: now + TOKEN_LIFETIME_S, nbf: now - CLOCK_TOLERANCE_S };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secretKey).update(signed).digest("base64url")}`;
}

export const kling: Provider = {
  type: 1010,
  name: "Kling",
  owner: "kling",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["video"],
  // https://app.klingai.com/global/dev/document-api/apiReference/errorCode
  facts: {
    documented: { source: "https://app.klingai.com/global/dev/document-api", version: "v1", day: "2026-11-29" },
    hosts: [
      { region: "SG", url: "https://api-singapore.klingai.com" },
      { region: "CN", url: "https://api-beijing.klingai.com" },
    ],
    errors: { no_credit: [{ code: "1101" }, { code: "1102" }] },
  },
  keyHint: "AccessKey|SecretKey",
  models: [
    "kling-v2-6",
    "kling-v2-5-turbo",
    "kling-v2-1-master",
    "kling-v2-1",
    "kling-v2-master",
    "kling-v1-6",
    "kling-v1-5",
    "kling-v1",
  ],
  url: ({ baseUrl }) => `${rootOf(baseUrl)}/v1/videos`,
  balance: {
    url({ baseUrl }) {
      const now = nowSeconds();
      return `${rootOf(baseUrl)}/account/costs?start_time=${(now - PACK_HISTORY_S) * 1000}&end_time=${now * 1000}`;
    },
    read: unitsLeft,
    currency: () => "units",
  },
  // A key without a separator belongs to another gateway, which signs by itself.
  authHeaders: (_channel, key) => ({
    authorization: `Bearer ${key.includes("|") ? token(key, nowSeconds()) : key}`,
  }),
  tasks,
  videos,
};
