import type { RequestedVariant } from "../../../../billing/pricing/price-rules.ts";
import { findMedia } from "../../../../domain/tasks/find-tasks.ts";
import { addMedia, takeMedia } from "../../../../domain/tasks/submit-task.ts";
import type { MediaRow } from "../../../../domain/tasks/task-view.ts";
import { type JsonObject, numberOf, recordOf, textOf, textsOf } from "../../../../formats/json.ts";
import { outgoingForm } from "../../../../lib/http/multipart/form-stream.ts";
import type { Form } from "../../../../lib/http/multipart/read-form.ts";
import { randomId } from "../../../../lib/http/request.ts";
import type { StreamedBody } from "../../../../lib/http/streamed-body.ts";
import type { Provider } from "../../../../providers/contract/provider.ts";
import type { VideoOrder, VideoProtocol } from "../../../../providers/contract/tasks.ts";
import { defaultVideoSeconds } from "../../../../providers/registry.ts";
import { fetchMedia } from "../../../adapters/conversation/inline-media.ts";
import type { Call } from "../../../call/call.ts";
import type { ClientBody } from "../../../call/endpoint.ts";
import { GatewayError } from "../../../call/errors.ts";
import { invalidRequest } from "../../../request/client-body.ts";
import type { UpstreamTools } from "../../../upstream/upstream.ts";
import { type OrderRoute, type SubmitContext, type SubmitResult, submitTask, type UpstreamOrder } from "../submit.ts";
import { videoNotFound } from "./stored-videos.ts";

/** A video to order: what to store about it, and how to request it from a channel. */
type VideoTask = Readonly<{
  model: string;
  properties: Readonly<{ input: string; seconds: number; size: string; remixedFrom?: string }>;
  /** `action` is stored with the task. */
  request(route: OrderRoute): Promise<UpstreamOrder & Readonly<{ action: string }>>;
}>;

/** Orders a video as a task and resolves with its row. Rejects GatewayError. */
export async function submitVideo(context: SubmitContext, call: Call, task: VideoTask): Promise<MediaRow> {
  const { db } = context.services.tasks;
  const { caller } = call;
  const taskId = randomId("video_");
  let action = "";
  const { sent } = await submitTask(context, call, {
    kind: "media",
    store: () =>
      addMedia(db, {
        userId: caller.user.id,
        tokenId: caller.token?.id ?? 0,
        channelId: 0,
        platform: "video",
        action: "",
        modelName: task.model,
        taskId,
        properties: task.properties,
        notifyHook: "",
        chargeId: call.recordId,
        createdAt: call.createdAt,
      }),
    async request(route) {
      const ordered = await task.request(route);
      action = ordered.action;
      return ordered;
    },
    read: readOrdered,
    take: (id, taken, { answer: platform }) => takeMedia(db, id, taken, { action, platform }),
  });
  if (sent.upstreamId === null) throw new GatewayError(400, "video_refused", sent.reason, { type: "upstream_error" });
  const [row] = await findMedia(db, caller.user.id, null, [taskId]);
  if (!row) throw videoNotFound(taskId);
  return row;
}

/** How a provider orders videos. Throws TypeError: it does not. */
export function videosOf({ name, videos }: Provider) {
  if (!videos) throw new TypeError(`${name} offers videos and does not say how they are ordered`);
  return videos;
}

/** Reads the response to an order; `answer` is the provider's name. */
function readOrdered(answered: unknown, provider: Provider): SubmitResult<string> {
  const read = videosOf(provider).readOrder(answered);
  const problem = "problem" in read ? read.problem : "";
  return { answer: provider.owner, upstreamId: "problem" in read ? null : read.upstreamId, code: 0, reason: problem };
}

/** The default of OpenAI's API. */
const DEFAULT_MODEL = "sora-2";
const MAX_SECONDS = 60;
const MAX_IMAGES = 7;
/**
 * Members that the gateway reads. The provider's own fields must not change the price or the upstream's callback URL.
 */
export const READ_VIDEO_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "model_name",
  "prompt",
  "seconds",
  "duration",
  "size",
  "width",
  "height",
  "image",
  "image_tail",
  "images",
  "input_reference",
  "metadata",
  "n",
  "user",
  "response_format",
  "callback_url",
  "payload",
]);

/** A video order as a client states it, for any channel. */
export type ReadOrder = Omit<VideoOrder, "key" | "requestedModel">;

/** Reads a video order, JSON or form, of OpenAI's API or of /v1/video/generations. Rejects GatewayError. */
export async function readVideoOrder(body: ClientBody): Promise<ReadOrder> {
  const { json } = body;
  const metadata = recordOf(json.metadata) ?? {};
  const model = textOf(json.model) ?? DEFAULT_MODEL;
  const prompt = textOf(json.prompt)?.trim() ?? "";
  if (model === "") throw invalidRequest({ code: "gateway_field_missing", params: { field: "model" } }, "model");
  const images = await imagesOf(body);
  if (prompt === "" && images.length === 0)
    throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
  if (images.length > MAX_IMAGES)
    throw invalidRequest({ code: "gateway_video_images", params: { count: MAX_IMAGES } }, "images");
  if (memberOf(json, "input_reference", "file_id")) {
    throw invalidRequest({ code: "gateway_video_image" }, "input_reference");
  }
  const seconds = secondsOf(json.seconds ?? json.duration ?? metadata.duration ?? defaultVideoSeconds(model));
  const [width, height] = [numberOf(json.width), numberOf(json.height)];
  const size = textOf(json.size) ?? (width && height ? `${width}x${height}` : "");
  return { model, prompt, seconds, size, images, own: ownFields({ ...textsOfForm(body), ...metadata }) };
}

/** A text inside an object, which forms write as `name[member]`. */
export const memberOf = (json: JsonObject, name: string, member: string): string | null =>
  textOf(recordOf(json[name])?.[member]) ?? textOf(json[`${name}[${member}]`]);

/** The number of seconds, an integer from 1 to 60. Throws GatewayError. */
export function secondsOf(requested: unknown): number {
  const seconds =
    typeof requested === "string" && /^\d{1,4}$/.test(requested) ? Number(requested) : numberOf(requested);
  if (seconds !== null && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw invalidRequest({ code: "gateway_integer_to", params: { field: "seconds", most: MAX_SECONDS } }, "seconds");
}

/** The images of an order, those that the provider does not fetch as data URIs. Rejects GatewayError. */
export const inlineImages = (
  context: Pick<UpstreamTools, "clientMediaFetch">,
  { inlinesImage }: VideoProtocol,
  images: readonly string[],
): Promise<string[]> =>
  Promise.all(
    images.map(async (image) => {
      if (!inlinesImage?.(image)) return image;
      const { mediaType, data } = await fetchMedia(context, image, "image");
      return `data:${mediaType};base64,${data}`;
    }),
  );

/** The simple fields of an order that prices may depend on, with the provider's names, in lower case. */
export function variantFields({ own, size, seconds }: Pick<VideoOrder, "own" | "size" | "seconds">): RequestedVariant {
  const simple = Object.entries({ ...own, size, seconds }).filter(([, value]) => typeof value !== "object");
  return Object.fromEntries(simple.map(([field, value]) => [field, String(value).trim().toLowerCase()]));
}

/** The text fields of a form; files are read separately. */
const textsOfForm = ({ json, form }: ClientBody): JsonObject =>
  form ? Object.fromEntries(Object.entries(json).filter(([, value]) => typeof value === "string")) : json;

const ownFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !READ_VIDEO_FIELDS.has(name)));

async function imagesOf({ json, form }: ClientBody): Promise<string[]> {
  const files = (form?.parts ?? []).flatMap((part) => ("file" in part ? [part.file] : []));
  const uploaded = await Promise.all(
    files.slice(0, MAX_IMAGES).map(async (file) => {
      const type = file.type || "image/png";
      return `data:${type};base64,${Buffer.from(await file.arrayBuffer()).toString("base64")}`;
    }),
  );
  const reference = textOf(json.input_reference) ?? memberOf(json, "input_reference", "image_url");
  const named = [reference, json.image, json.image_tail].flatMap((image) => textOf(image) || []);
  return [...uploaded, ...named, ...textsOf(json.images)];
}

/** The form for a provider that accepts forms: unchanged except for model, length and size. */
export function formOfOrder(form: Form, { model, seconds, size }: VideoOrder): Promise<StreamedBody> {
  const left = [...READ_VIDEO_FIELDS].filter((name) => !OPENAI_FIELDS.has(name)).map((name) => [name, undefined]);
  const changes = { ...Object.fromEntries(left), model, seconds: String(seconds), ...(size !== "" && { size }) };
  return outgoingForm(form.parts, changes);
}

const OPENAI_FIELDS: ReadonlySet<string> = new Set(["prompt", "input_reference", "user"]);
