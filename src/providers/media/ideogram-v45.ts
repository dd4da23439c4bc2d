import { DecodeError } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/conversation/dropped-fields.ts";
import { compact, textOf } from "../../formats/json.ts";
import type { FormFile, NativeFormat } from "../contract/chat.ts";
import { editedImages, imageCount, isImageField } from "../shared/images.ts";

/** The quality decides what an image costs, so it is part of the name: `ideogram-v4.5-low`. */
const QUALITY = /^ideogram-v4\.5(?:-(low|high))?$/;
const MAX_REFERENCES = 4;

/** Whether the model is Ideogram 4.5, which has paths and members of its own. */
export const isIdeogram45 = (model: string): boolean => QUALITY.test(model);

const qualityOf = (model: string): string => QUALITY.exec(model)?.[1] ?? "medium";

/**
 * Ideogram 4.5, by forms. Its edits keep the size of the original; those of high quality cost more than an image of that name.
 * Sources: https://developer.ideogram.ai/api-reference/images/generate, https://ideogram.ai/blog/ideogram-api-pricing
 *
 * @param shared what all versions have in common
 * @param fileOf a file of the form from a data URI; throws DecodeError for other addresses
 */
export function ideogram45(
  shared: Pick<NativeFormat, "decode" | "failure">,
  fileOf: (name: string, image: string) => FormFile,
  isEdit: boolean,
): NativeFormat {
  return {
    ...shared,
    encode(order, model, dropped) {
      const images = Object.keys(order).filter(isImageField);
      const known = [
        "prompt",
        "n",
        "size",
        "response_format",
        "seed",
        ...(isEdit ? ["images", "mask", ...images] : []),
      ];
      recordDropped(order, known, dropped);
      if (order.response_format === "b64_json") dropped.add("response_format");
      const size = textOf(order.size);
      if (isEdit && size !== null) dropped.add("size");
      return compact({
        prompt: order.prompt,
        num_images: imageCount({ n: Number(order.n ?? 1) }),
        quality: qualityOf(model),
        seed: order.seed,
        size: isEdit || size === "auto" ? null : size,
      });
    },
    formFiles(order, model, files) {
      if (!isEdit) return [];
      const { images, mask } = editedImages(order, files);
      const [first, ...references] = images;
      if (mask !== null) throw new DecodeError("Ideogram 4.5 takes no mask. Use ideogram-v3 for one.", "mask");
      if (first === undefined || references.length > MAX_REFERENCES) {
        throw new DecodeError(`Ideogram 4.5 edits one image, with up to ${MAX_REFERENCES} references.`, "image");
      }
      if (qualityOf(model) === "high") {
        throw new DecodeError("Edits of high quality have no price. Use ideogram-v4.5 or ideogram-v4.5-low.", "model");
      }
      return [fileOf("image", first), ...references.map((reference) => fileOf("reference_images", reference))];
    },
    urlTail: () => (isEdit ? "/precise-edit/ideogram-4-5" : "/generate/ideogram-4-5"),
  };
}
