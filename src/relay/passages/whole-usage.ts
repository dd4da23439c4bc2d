import { parseJson, recordOf } from "../../dialects/json.ts";
import { readUsage } from "../../dialects/openai-chat/usage.ts";
import type { ReportedUsage } from "../../dialects/usage.ts";
import { lastIndexOfBytes, textOfBytes } from "../../lib/bytes.ts";

const MAX_USAGE_BYTES = 2_048;
const USAGE_MEMBER = Buffer.from('"usage"');

/** Usage of a complete answer: its last usage object, cut out without parsing the rest (which may be long vectors). */
export function readWholeUsage(body: Uint8Array): ReportedUsage | null {
  const key = lastIndexOfBytes(body, USAGE_MEMBER);
  if (key < 0) return null;
  const start = key + USAGE_MEMBER.length;
  const text = textOfBytes(body, start, Math.min(body.length, start + MAX_USAGE_BYTES));
  const object = /^\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/.exec(text);
  const quick = object ? readUsage(parseJson(object[1] ?? "")) : null;
  return quick ?? readUsage(recordOf(parseJson(textOfBytes(body)))?.usage);
}
