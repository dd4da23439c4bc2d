import type { Dropped } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, textOf, textsOf } from "../../formats/json.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { FormFile, NativeFormat } from "../contract/chat.ts";

const ASPECTS = lookupTable<string>({
  "1024x1792": "9:16",
  "1792x1024": "16:9",
  "1536x1024": "4:3",
  "1024x1536": "3:4",
});

/** The aspect ratio closest to a size. */
export const aspectOf = ({ size }: JsonObject): string => ASPECTS[textOf(size) ?? ""] ?? "1:1";

/** Whether a member of a form is an image: `image`, `image[]` or `image[0]`, as clients name it. */
export const isImageField = (name: string): boolean => /^image(\[\d*\])?$/.test(name);

/** The number of images requested. */
export const imageCount = ({ n }: JsonObject): number => Math.max(1, Math.floor(numberOf(n) ?? 1));

/** OpenAI's response; null: it would hold no image. */
export const imageList = (data: readonly JsonObject[], usage?: JsonObject): JsonObject | null =>
  data.length === 0 ? null : { created: 0, data, ...(usage && { usage }) };

/**
 * Image generation that differs from OpenAI's only in field names: fields in `own` stay unchanged, `write` makes the
 * others.
 */
export const renamedImageFields = (
  own: readonly string[],
  write: (order: JsonObject, dropped: Dropped) => JsonObject,
): NativeFormat => ({
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format", ...own], dropped);
    const forwarded = Object.fromEntries(own.map((name) => [name, order[name]]));
    return compact({ ...forwarded, model, prompt: order.prompt, ...write(order, dropped) });
  },
  decode: (answer) => (Array.isArray(answer.data) && answer.data.length > 0 ? answer : null),
});

/** The images of an edit: files of its form, and those inside its JSON (`image`, `images`, `mask`) as data URIs or URLs. */
export function editedImages(
  { image, images, mask }: JsonObject,
  files: readonly FormFile[],
): Readonly<{ images: readonly string[]; mask: string | null }> {
  const uriOf = ({ bytes, type }: FormFile) =>
    `data:${type || "image/png"};base64,${Buffer.from(bytes).toString("base64")}`;
  const masks = files.filter(({ name }) => name === "mask").map(uriOf);
  const sent = files.filter(({ name }) => isImageField(name)).map(uriOf);
  return {
    images: [...sent, ...textsOf([image].flat()), ...textsOf(images)],
    mask: masks[0] ?? textOf(mask),
  };
}
