import type { ReportedUsage } from "../../formats/conversation/usage.ts";
import { parseJson, recordOf } from "../../formats/json.ts";
import { readUsage, usageIn } from "../../formats/openai-chat/response/usage.ts";
import { lastIndexOfBytes, textOfBytes } from "../../lib/values/bytes.ts";

const MAX_USAGE_BYTES = 2_048;
const USAGE_MEMBER = Buffer.from('"usage"');

/** Usage of a complete answer: its last usage object, cut out without parsing the rest (which may be long vectors). */
export function extractUsage(body: Uint8Array): ReportedUsage | null {
  const key = lastIndexOfBytes(body, USAGE_MEMBER);
  if (key < 0) return null;
  const start = key + USAGE_MEMBER.length;
  const text = textOfBytes(body, start, Math.min(body.length, start + MAX_USAGE_BYTES));
  const object = objectIn(text);
  const quick = object === null ? null : readUsage(parseJson(object));
  return quick ?? usageIn(recordOf(parseJson(textOfBytes(body))));
}

const BEFORE_OBJECT = /^\s*:\s*(?=\{)/;

/** The object behind a colon at the beginning; null: there is none, or its end is missing. Its texts have no braces. */
function objectIn(text: string): string | null {
  const before = BEFORE_OBJECT.exec(text);
  if (!before) return null;
  const start = before[0].length;
  let open = 0;
  let opens = start;
  for (let closes = text.indexOf("}", start); closes >= 0; closes = text.indexOf("}", closes + 1)) {
    for (; opens >= 0 && opens < closes; opens = text.indexOf("{", opens + 1)) open += 1;
    open -= 1;
    if (open === 0) return text.slice(start, closes + 1);
  }
  return null;
}
