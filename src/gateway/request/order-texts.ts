import { recordOf } from "../../formats/json.ts";

/** Members with ids, URLs or data, which contain no words. */
const WORDLESS_MEMBERS = /(?:id|ids|url|urls|hook|filter|base64|base64array)$/i;

/** Matches URLs and file contents. */
const NON_PROSE = /^(?:data:|https?:\/\/\S+$|[A-Za-z0-9+/_=-]{256,}$)/;

/** Every text of an order, wherever its protocol has it: prompts of all kinds, titles, styles. */
export function textsOf(order: unknown): string[] {
  if (typeof order === "string") return order === "" || NON_PROSE.test(order) ? [] : [order];
  if (Array.isArray(order)) return order.flatMap(textsOf);
  const members = Object.entries(recordOf(order) ?? {});
  return members.flatMap(([name, value]) => (WORDLESS_MEMBERS.test(name) ? [] : textsOf(value)));
}

/** All texts of a result of an MCP server, or of what it asks: a model may read them. */
export function textsIn(value: unknown): string {
  const texts: string[] = [];
  const add = (each: unknown, name: string): void => {
    if (typeof each === "string") {
      // Bytes are no text.
      if (name !== "data" && name !== "blob") texts.push(each);
    } else if (Array.isArray(each)) for (const entry of each) add(entry, "");
    else if (typeof each === "object" && each !== null)
      for (const [key, entry] of Object.entries(each)) if (key !== "type" && key !== "role") add(entry, key);
  };
  add(value, "");
  return texts.join("\n");
}
