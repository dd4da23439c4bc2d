import { compact } from "../../dialects/compact.ts";
import { type JsonObject, numberOf, recordOf, textOf } from "../../dialects/json.ts";
import { noteUnsaid } from "../../dialects/unsaid.ts";
import { inputsOf, vectorList } from "../embeddings-answer.ts";
import type { OwnFormat } from "../own-format.ts";

/** MiniMax's codes by what they mean; it answers failures with status 200. */
const STATUSES: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1039: 429,
  2013: 400,
  2049: 401,
  2056: 429,
};

/** What a failed answer of any of its calls says. */
export function minimaxFailure({ base_resp }: JsonObject): { message: string; code: string; status?: number } | null {
  const told = recordOf(base_resp);
  const code = numberOf(told?.status_code);
  if (code === null || code === 0) return null;
  const status = STATUSES[code];
  const message = textOf(told?.status_msg) ?? "The call failed.";
  return { message, code: String(code), ...(status !== undefined && { status }) };
}

/** Vectors, as lists of numbers alone. `type` tells texts that are kept from questions. */
export const minimaxEmbeddings: OwnFormat = {
  encode(call, model, dropped) {
    noteUnsaid(call, ["input", "encoding_format", "type"], dropped);
    return { model, texts: inputsOf(call), type: textOf(call.type) ?? "db" };
  },
  decode({ vectors, total_tokens }) {
    if (!Array.isArray(vectors)) return null;
    return vectorList(vectors, numberOf(total_tokens));
  },
  failure: minimaxFailure,
};

const FORMATS: ReadonlySet<unknown> = new Set(["mp3", "pcm", "flac", "wav"]);

/** Speech, which comes as hexadecimal digits. */
export const minimaxSpeech: OwnFormat = {
  encode(call, model, dropped) {
    noteUnsaid(call, ["input", "voice", "speed", "response_format"], dropped);
    const known = call.response_format == null || FORMATS.has(call.response_format);
    if (!known) dropped.add("response_format");
    return {
      model,
      text: call.input,
      stream: false,
      voice_setting: compact({ voice_id: textOf(call.voice), speed: numberOf(call.speed) }),
      audio_setting: { format: known ? (call.response_format ?? "mp3") : "mp3" },
    };
  },
  decode: () => null,
  content(answer, { response_format: format }) {
    const audio = textOf(recordOf(answer.data)?.audio);
    if (!audio) return null;
    const kind = FORMATS.has(format) && format !== "mp3" ? String(format) : "mpeg";
    return { body: new Uint8Array(Buffer.from(audio, "hex")), contentType: `audio/${kind}` };
  },
  failure: minimaxFailure,
};
