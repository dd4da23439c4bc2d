import { createHash, createHmac } from "node:crypto";
import { DecodeError } from "../../../formats/conversation/codec.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, textOf, textsOf } from "../../../formats/json.ts";
import { type TaskStatus, UNKNOWN_FAIL_REASON } from "../../../formats/tasks/report.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { trimSlashes } from "../../contract/base-address.ts";
import type { FormFile, NativeFormat } from "../../contract/chat.ts";
import type { Provider, ProviderChannel, Signable } from "../../contract/provider.ts";
import { aspectRatioOf, type TaskProtocol, type VideoProtocol } from "../../contract/tasks.ts";
import { imageCount, imageList, isImageField } from "../../shared/images.ts";

const DEFAULT_BASE_URL = "https://visual.volcengineapi.com";
const VERSION = "2022-08-31";
const SUCCESS = 10_000;
/** How long results can be fetched. */
const TIMEOUT_S = 24 * 3600;

const urlOf = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">, action: "SubmitTask" | "GetResult"): string =>
  `${trimSlashes(baseUrl || DEFAULT_BASE_URL)}/?Action=CVSync2Async${action}&Version=${VERSION}`;

const FIXED_SCOPE = "cn-north-1/cv/request";
const SIGNED = "host;x-content-sha256;x-date";

/**
 * The headers that sign a POST request: HMAC-SHA256 over the canonical request, as in
 * https://www.volcengine.com/docs/6369/67269. `key` is `AccessKey|SecretKey`, `now` is Unix time in seconds.
 */
export function volcengineHeaders({ url, body }: Omit<Signable, "headers">, key: string, now: number) {
  const [accessKey = "", secretKey = ""] = key.split("|").map((part) => part.trim());
  const { host, pathname, searchParams } = new URL(url);
  const date = new Date(now * 1000).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = date.slice(0, 8);
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");
  const digest = sha256(body);
  const headers = `host:${host}\nx-content-sha256:${digest}\nx-date:${date}\n`;
  const canonical = ["POST", pathname, query, headers, SIGNED, digest].join("\n");
  const text = ["HMAC-SHA256", date, `${day}/${FIXED_SCOPE}`, sha256(canonical)].join("\n");
  const signingKey = [day, ...FIXED_SCOPE.split("/")].reduce<string | Buffer>(hmac, secretKey);
  const signature = hmac(signingKey, text).toString("hex");
  return {
    "x-date": date,
    "x-content-sha256": digest,
    authorization: `HMAC-SHA256 Credential=${accessKey}/${day}/${FIXED_SCOPE}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** HTTP statuses of error codes: contents that are refused, and limits. */
const ERROR_STATUSES: ReadonlyMap<number, number> = new Map([
  ...[50_411, 50_412, 50_413, 50_511, 50_512].map((code) => [code, 400] as const),
  ...[50_429, 50_430].map((code) => [code, 429] as const),
]);
const REFUSED = 400;

/** Why a response is a failure; null: it is none. */
function problemOf(answer: JsonObject): Readonly<{ message: string; code: string; status?: number }> | null {
  const error = recordOf(recordOf(answer.ResponseMetadata)?.Error);
  if (error) return { message: textOf(error.Message) ?? "The call failed.", code: textOf(error.Code) ?? "failed" };
  const code = numberOf(answer.code);
  const state = textOf(recordOf(answer.data)?.status);
  if (state === "not_found" || state === "expired") return { message: `The task is ${state}.`, code: state };
  if (code === null || code === SUCCESS) return null;
  const status = ERROR_STATUSES.get(code);
  const name = status === REFUSED ? "content_policy_violation" : String(code);
  return { message: textOf(answer.message) || "The call failed.", code: name, ...(status && { status }) };
}

/** What clients may set of the API's own members for images. */
const IMAGE_OWN = ["seed", "scale", "use_pre_llm", "min_ratio", "max_ratio"] as const;
/** Models that decide how many images they make, unless they are asked for one: each is charged. */
const DECIDES_COUNT = /_v[4-9]\d$/;

/** Images, made by tasks: https://www.volcengine.com/docs/85621/1817045. The model's name is the API's `req_key`. */
const jimengImages: NativeFormat = {
  encode(order, model, dropped, files) {
    const fields = Object.keys(order).filter(isImageField);
    recordDropped(order, ["prompt", "n", "size", "images", "response_format", ...IMAGE_OWN, ...fields], dropped);
    if (imageCount({ n: Number(order.n ?? 1) }) > 1) throw new DecodeError("Jimeng makes one image per request.", "n");
    if (order.response_format === "b64_json") dropped.add("response_format");
    const [, width, height] = /^(\d+)x(\d+)$/.exec(textOf(order.size) ?? "") ?? [];
    return compact({
      req_key: model,
      prompt: order.prompt,
      ...(width && height && { width: Number(width), height: Number(height) }),
      ...(DECIDES_COUNT.test(model) && { force_single: true }),
      ...imagesIn([...filesOf(files), ...textsOf([order.image].flat()), ...textsOf(order.images)]),
      ...Object.fromEntries(IMAGE_OWN.map((name) => [name, order[name]])),
    });
  },
  pending(channel, answer, { sent, first }) {
    const state = textOf(recordOf(answer.data)?.status);
    const taskId = textOf(recordOf(first.data)?.task_id);
    const isRunning = answer === first || state === "in_queue" || state === "generating";
    if (!taskId || answer.code !== SUCCESS || !isRunning) return null;
    return {
      url: urlOf(channel, "GetResult"),
      body: JSON.stringify({
        req_key: sent.req_key,
        task_id: taskId,
        req_json: JSON.stringify({ return_url: true }),
      }),
    };
  },
  decode({ data }) {
    const made = recordOf(data);
    return imageList([
      ...textsOf(made?.image_urls).map((url) => ({ url })),
      ...textsOf(made?.binary_data_base64).map((b64_json) => ({ b64_json })),
    ]);
  },
  failure: problemOf,
};

const filesOf = (files: readonly FormFile[]): string[] =>
  files.filter(({ name }) => isImageField(name)).map(({ bytes }) => Buffer.from(bytes).toString("base64"));

/** The API takes either URLs or base64. */
function imagesIn(images: readonly string[]): JsonObject {
  if (images.length === 0) return {};
  const areUrls = images.every((image) => /^https?:/i.test(image));
  return areUrls
    ? { image_urls: images }
    : { binary_data_base64: images.map((image) => image.replace(/^data:[^,]*;base64,/, "")) };
}

const STATUSES = lookupTable<TaskStatus>({
  in_queue: "QUEUED",
  generating: "IN_PROGRESS",
  done: "SUCCESS",
  not_found: "FAILURE",
  expired: "FAILURE",
});
const PROGRESS: Readonly<Partial<Record<TaskStatus, string>>> = { QUEUED: "10%", IN_PROGRESS: "50%" };

const tasks: TaskProtocol = {
  mostAtOnce: 1,
  timeoutSeconds: TIMEOUT_S,
  failureStatus: REFUSED,
  ask: (channel, [task]) => ({
    method: "POST",
    url: urlOf(channel, "GetResult"),
    body: JSON.stringify({ req_key: task?.action, task_id: task?.upstreamId }),
  }),
  readReports(answer, [task]) {
    const response = recordOf(answer);
    const problem = response && problemOf(response);
    const data = recordOf(response?.data);
    const status = problem && problem.status !== 429 ? "FAILURE" : STATUSES[textOf(data?.status) ?? ""];
    if (!task || !status) return [];
    const isOver = status === "SUCCESS" || status === "FAILURE";
    return [
      {
        upstreamId: task.upstreamId,
        status,
        progress: isOver ? "100%" : (PROGRESS[status] ?? "10%"),
        failReason: status === "FAILURE" ? problem?.message || UNKNOWN_FAIL_REASON : "",
        startMs: 0,
        finishMs: 0,
        data,
      },
    ];
  },
};

const FRAMES_PER_SECOND = 24;
/** What clients may set of the API's own members for videos. */
const VIDEO_OWN = ["seed", "aspect_ratio", "template_id", "camera_strength"] as const;

const videos: VideoProtocol = {
  order(channel, { model, prompt, seconds, size, images, own }) {
    const reqKey = reqKeyOf(model, images.length);
    return {
      url: urlOf(channel, "SubmitTask"),
      action: reqKey,
      body: compact({
        req_key: reqKey,
        prompt: prompt === "" ? null : prompt,
        aspect_ratio: images.length === 0 ? aspectRatioOf(size) : null,
        ...imagesIn(images),
        ...compact(Object.fromEntries(VIDEO_OWN.map((name) => [name, own[name]]))),
        frames: FRAMES_PER_SECOND * seconds + 1,
      }),
    };
  },
  readOrder(answer) {
    const response = recordOf(answer) ?? {};
    const upstreamId = textOf(recordOf(response.data)?.task_id);
    return upstreamId
      ? { upstreamId }
      : { problem: problemOf(response)?.message ?? (textOf(response.message) || "the answer names no task") };
  },
  videoUrl: (data) => textOf(recordOf(data)?.video_url),
};

/**
 * The API's name of a model, which depends on its images: none, a first one, a first and a last one
 * (https://www.volcengine.com/docs/85621/1792707). Other names are those of the API.
 */
function reqKeyOf(model: string, images: number): string {
  if (model === "jimeng_v30_pro") return "jimeng_ti2v_v30_pro";
  if (model !== "jimeng_v30" && model !== "jimeng_v30_1080p") return model;
  const isLarge = model.endsWith("_1080p");
  if (images === 0) return `jimeng_t2v_v30${isLarge ? "_1080p" : ""}`;
  return `jimeng_i2v_${images === 1 ? "first" : "first_tail"}_v30${isLarge ? "_1080" : ""}`;
}

/** Jimeng by the signed API of Volcano Engine's visual services. Keys without a separator are another gateway's. */
export const jimeng: Provider = {
  type: 1018,
  name: "Jimeng",
  owner: "jimeng",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["images", "image-edits", "video"],
  keyHint: "AccessKey|SecretKey",
  facts: {
    documented: { source: "https://www.volcengine.com/docs/85621/1817045", version: "2022-08-31", day: "2026-11-29" },
  },
  models: ["jimeng_v30_pro", "jimeng_v30_1080p", "jimeng_v30", "jimeng_t2i_v40", "jimeng_t2i_v31", "jimeng_t2i_v30"],
  url: (channel) => urlOf(channel, "SubmitTask"),
  authHeaders: (_channel, key): Record<string, string> => (key.includes("|") ? {} : { authorization: `Bearer ${key}` }),
  // Other gateways have the API under a path of its own.
  sign: async ({ url, body }, _channel, key, { nowSeconds }) =>
    key.includes("|")
      ? { headers: volcengineHeaders({ url, body }, key, nowSeconds()) }
      : { url: url.replace("/?Action=", "/jimeng/?Action=") },
  nativeFormat: ({ capability }) => (capability === "images" || capability === "image-edits" ? jimengImages : null),
  tasks,
  videos,
};
