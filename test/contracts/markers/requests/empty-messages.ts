import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../../src/formats/json.ts";

/** Lists of messages in the requests of any provider's format, by the members on the way to them. */
const LISTS: readonly (readonly string[])[] = [
  ["messages"],
  ["Messages"],
  ["contents"],
  ["input"],
  ["input", "messages"],
  ["prompt"],
  ["prompt", "messages"],
  ["payload", "message", "text"],
];
/** What a message says, in any format; a call or its result is enough. */
const CONTENT: readonly string[] = [
  ...["content", "Content", "Contents", "parts", "tool_calls", "ToolCalls", "function_call", "images"],
  ...[
    "reasoning",
    "thinking",
    "arguments",
    "output",
    "result",
    "summary",
    "encrypted_content",
    "signature",
    "reasoning_content",
  ],
  ...["reasoning_details", "refusal", "action", "tools", "call_id", "audio"],
];

/** Messages of a written request that say nothing. The result of a call may be empty: its call needs one. */
export function emptyMessages(body: string): JsonObject[] {
  const request = recordOf(parseJson(body)) ?? {};
  return LISTS.flatMap((path) => listAt(request, path)).filter(
    (message) => !CONTENT.some((name) => says(message[name])),
  );
}

function listAt(request: JsonObject, path: readonly string[]): JsonObject[] {
  let value: unknown = request;
  for (const name of path) value = recordOf(value)?.[name];
  // Items of a type of their own, such as searches of an earlier turn, are no messages.
  return recordsOf(value).filter(
    ({ type, role, Role, author }) =>
      type === "message" ||
      [role, Role, author].some((who) => who !== undefined && who !== "tool" && who !== "function"),
  );
}

function says(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.some(isPart);
  return value !== null && value !== undefined;
}

/** Parts of text must have some. */
function isPart(part: unknown): boolean {
  const record = recordOf(part);
  if (!record) return part !== null && part !== undefined;
  const keys = Object.keys(record).filter((name) => !["type", "cache_control", "annotations"].includes(name));
  return keys.length > 0 && !(keys.length === 1 && keys[0] === "text" && String(record.text).trim() === "");
}
