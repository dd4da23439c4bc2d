import { type JsonObject, numberOf, recordOf, textOf, textsOf } from "../../../dialects/json.ts";
import type { VideoOrder } from "../../../providers/tasks/protocol.ts";
import { type ClientBody, invalidRequest } from "../../client-body.ts";

const DEFAULT_SECONDS = 5;
const MOST_SECONDS = 60;
const MOST_IMAGES = 7;
/** Read here; of the provider's own fields none may change what was priced, or where the upstream calls back. */
const TAKEN: ReadonlySet<string> = new Set([
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

/** Reads an order of a video, JSON or form, of OpenAI's API or of /v1/video/generations. Rejects RelayError. */
export async function readVideoOrder(body: ClientBody): Promise<VideoOrder> {
  const { json } = body;
  const metadata = recordOf(json.metadata) ?? {};
  const model = textOf(json.model) ?? "";
  const prompt = textOf(json.prompt)?.trim() ?? "";
  if (model === "") throw invalidRequest("“model” is missing.", "model");
  const images = await imagesOf(body);
  if (prompt === "" && images.length === 0) throw invalidRequest("“prompt” is missing.", "prompt");
  if (images.length > MOST_IMAGES) throw invalidRequest(`${MOST_IMAGES} pictures at most.`, "images");
  const seconds = Number(json.seconds ?? json.duration ?? metadata.duration ?? DEFAULT_SECONDS);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) {
    throw invalidRequest(`“seconds” must be a whole number from 1 to ${MOST_SECONDS}.`, "seconds");
  }
  const [width, height] = [numberOf(json.width), numberOf(json.height)];
  const size = textOf(json.size) ?? (width && height ? `${width}x${height}` : "");
  return { model, prompt, seconds, size, images, own: ownFields({ ...(body.form ? {} : json), ...metadata }) };
}

const ownFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !TAKEN.has(name)));

async function imagesOf({ json, form }: ClientBody): Promise<string[]> {
  const files = (form?.parts ?? []).flatMap((part) => ("file" in part ? [part.file] : []));
  const uploaded = await Promise.all(
    files.slice(0, MOST_IMAGES).map(async (file) => {
      const type = file.type || "image/png";
      return `data:${type};base64,${Buffer.from(await file.arrayBuffer()).toString("base64")}`;
    }),
  );
  const named = [json.input_reference, json.image, json.image_tail].flatMap((image) => textOf(image) || []);
  return [...uploaded, ...named, ...textsOf(json.images)];
}
