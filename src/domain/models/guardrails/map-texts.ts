import { type JsonObject, recordOf } from "../../../formats/json.ts";

/** Members that name something by a word of the format or an id: changed, the request would mean something else. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "id task_id call_id callId tool_call_id tool_use_id item_id response_id previous_response_id previous_interaction_id " +
    "previous_message_id file_id file_ids container container_id vector_store_ids conversation cachedContent cached_content " +
    "model models type kind role status object dialect detail format mime_type mimeType media_type mediaType voice " +
    "service_tier serviceTier reasoning_effort effort verbosity encoding_format signature thoughtSignature thought_signature " +
    "encrypted_content language region anthropic_version"
  ).split(" "),
);

/** Members that hold media, next to one that says of which kind. */
const MEDIA: ReadonlySet<string> = new Set(["data", "file_data", "b64_json", "bytes", "blob"]);
const MEDIA_SIGNS = ["media_type", "mediaType", "mimeType", "mime_type", "format", "filename", "mimetype"];
const ENCRYPTED: ReadonlySet<unknown> = new Set(["redacted_thinking", "image", "audio", "video", "document", "base64"]);

/** Base64 and hexadecimal digits without an end: no text is so long without a blank. */
const isEncoded = (text: string): boolean => text.length >= SHORTEST_MEDIA && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
const SHORTEST_MEDIA = 256;

/** Members with addresses that the provider fetches: changed, it would find nothing. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "url",
  "image_url",
  "file_url",
  "fileUri",
  "file_uri",
  "uri",
  "server_url",
  ...["audio_url", "video_url", "image_large_url", "imageUrl"],
]);
const IS_ADDRESS = /^(?:https?|gs|s3|data|file):/i;

/** Members of tools and calls next to which `name` is the name of a function. */
const SIBLINGS = ["arguments", "input", "parameters", "input_schema", "inputSchema", "args", "response", "description"];
/** Members whose objects are a tool's own: everything in them is data. */
const DATA: ReadonlySet<string> = new Set([
  "input",
  "args",
  "response",
  "arguments",
  "result",
  "output",
  "structuredContent",
]);

/** Changes a text; `value` in place of a number or a name of data, too. */
type MapText = (text: string) => string;

/**
 * The value with `map` applied to every text that people or tools wrote, in requests of any format and in conversations. Words of the
 * formats, ids, signatures and media stay. The same object if nothing changes. `isData`: names and numbers are texts, too.
 */
export function mapTexts(value: unknown, map: MapText, isData = false, name = ""): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value === "number" && isData) return mapNumber(value, String(value), map);
  if (value instanceof LongNumber) return mapNumber(value, value.source, map);
  if (Array.isArray(value)) {
    let changed: unknown[] | null = null;
    for (const [at, item] of value.entries()) {
      const mapped = mapTexts(item, map, isData, name);
      if (mapped === item) continue;
      changed ??= [...value];
      changed[at] = mapped;
    }
    return changed ?? value;
  }
  const record = recordOf(value);
  return record ? mapMembers(record, map, isData, name) : value;
}

function mapMembers(record: JsonObject, map: MapText, isData: boolean, parent: string): JsonObject {
  let isChanged = false;
  const entries = Object.entries(record).map(([name, item]): [string, unknown] => {
    const mappedName = isData ? map(name) : name;
    const mapped =
      isData || !stays(record, name, item, parent) ? mapTexts(item, map, isData || isDataOf(name, item), name) : item;
    if (mapped !== item || mappedName !== name) isChanged = true;
    return [mappedName, mapped];
  });
  return isChanged ? Object.fromEntries(entries) : record;
}

const isDataOf = (name: string, item: unknown): boolean => DATA.has(name) && recordOf(item) !== null;

/** Whether a member is none of the texts. */
function stays(record: JsonObject, name: string, item: unknown, parent: string): boolean {
  if (NAMES.has(name)) return name !== "container" || typeof item === "string";
  if (typeof item !== "string") return false;
  if (name === "audio") return isEncoded(item);
  if (MEDIA.has(name))
    return MEDIA_SIGNS.some((sign) => record[sign] != null) || ENCRYPTED.has(record.type) || isEncoded(item);
  if (ADDRESSES.has(name)) return IS_ADDRESS.test(item);
  if (name !== "name") return false;
  return parent === "function" || parent === "tool_choice" || SIBLINGS.some((sibling) => record[sibling] !== undefined);
}

/** A number that changes as a text becomes one. */
function mapNumber(value: unknown, text: string, map: MapText): unknown {
  const mapped = map(text);
  return mapped === text ? value : mapped;
}

/** Every text of a value that `mapTexts` would change. */
export function textsOf(value: unknown, isData = false): string[] {
  const texts: string[] = [];
  mapTexts(
    value,
    (text) => {
      texts.push(text);
      return text;
    },
    isData,
  );
  return texts;
}

/** A text with `map` applied to it, or, if it is JSON, to each text in it, however deep JSON is inside of JSON. */
export function mapInJson(text: string, map: MapText): string {
  const value = jsonIn(text);
  if (value === undefined) return map(text);
  const mapped = mapTexts(value, (inner) => mapInJson(inner, map), true);
  return mapped === value ? text : JSON.stringify(mapped);
}

/** A number with more digits than a double holds. */
class LongNumber {
  constructor(readonly source: string) {}
  /** TypeScript's types lack the function (https://tc39.es/proposal-json-parse-with-source/). */
  toJSON(): unknown {
    return Reflect.get(JSON, "rawJSON")(this.source);
  }
}

const longNumbers = (_name: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === "number" && source !== undefined && String(value) !== source ? new LongNumber(source) : value;

const LONG_NUMBER = /\d{16}/;

const IS_JSON = /^\s*[[{]/;
/** Nobody nests data so deep: a text that does is no JSON here, and is read as it stands. */
const DEEPEST = 500;

/** Whether brackets are open in a text to such a depth that no function should follow it. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** The value of a text that is a JSON object or list, its numbers as they stand there; undefined: it is none. */
export function jsonIn(text: string): unknown {
  if (!IS_JSON.test(text) || isDeep(text)) return undefined;
  try {
    const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, longNumbers) : JSON.parse(text);
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
