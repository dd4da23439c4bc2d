import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { numberOf, recordOf, textOf } from "../../../formats/json.ts";
import { baseFailure } from "../../../formats/openai-chat/errors/base-resp.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { embeddingList, inputsOf } from "../../shared/embeddings.ts";

/** Embeddings, in a response that has only lists of numbers. `type` distinguishes stored documents from queries. */
export const minimaxEmbeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", "encoding_format", "type"], dropped);
    return { model, texts: inputsOf(call), type: textOf(call.type) ?? "db" };
  },
  decode({ vectors, total_tokens }) {
    if (!Array.isArray(vectors)) return null;
    return embeddingList(vectors, numberOf(total_tokens));
  },
  failure: baseFailure,
};

const FORMATS: ReadonlySet<unknown> = new Set(["mp3", "pcm", "flac", "wav"]);

/** Speech, which arrives as hexadecimal digits. */
export const minimaxSpeech: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", "voice", "speed", "response_format"], dropped);
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
  failure: baseFailure,
};
