import { parseJson, recordOf } from "../dialects/json.ts";
import { readUsage } from "../dialects/openai-chat/usage.ts";
import type { ReportedUsage } from "../dialects/usage.ts";
import { lastIndexOfBytes, textOfBytes } from "../lib/bytes.ts";
import { answerHeaders } from "./answer-headers.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import { settle } from "./settle.ts";
import { OutputTally } from "./tally.ts";

/** Charges a complete answer and hands its bytes to the client as they came. */
export async function answerWhole(
  context: RelayContext,
  call: Call,
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Response> {
  call.firstByteMs = null;
  const reported = readWholeUsage(body);
  const tally = new OutputTally();
  // Looked into only where it decides something: no figures, an empty answer, contents to be logged.
  if (!reported || reported.completionTokens === 0 || context.services.settings.get("LogChatContentEnabled")) {
    tally.pushWhole(body);
  }
  const settled = settle(context, call, {
    ending: call.clientLeft ? "client_left" : "complete",
    reported,
    drained: call.clientLeft,
    tally,
  });
  if (settled instanceof Promise) await settled;
  return new Response(body, { headers: answerHeaders(call, contentType) });
}

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
