import { recordOf } from "../../formats/json.ts";

/** Members that name, address or hold something; what is in them by chance are no words. */
const NO_WORDS = /(?:id|ids|url|urls|hook|filter|base64|base64array)$/i;
/** Addresses and the contents of files. */
const NO_PROSE = /^(?:data:|https?:\/\/\S+$|[A-Za-z0-9+/_=-]{256,}$)/;

/** Every text of an order, wherever its protocol has it: prompts of all kinds, titles, styles. */
export function textsOf(order: unknown): string[] {
  if (typeof order === "string") return order === "" || NO_PROSE.test(order) ? [] : [order];
  if (Array.isArray(order)) return order.flatMap(textsOf);
  const members = Object.entries(recordOf(order) ?? {});
  return members.flatMap(([name, value]) => (NO_WORDS.test(name) ? [] : textsOf(value)));
}
