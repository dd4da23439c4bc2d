import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact, numberOf, recordOf, textOf } from "../../../formats/json.ts";
import { baseFailure } from "../../../formats/openai-chat/errors.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { imageList } from "../../shared/images.ts";

const FORMATS: ReadonlySet<unknown> = new Set(["mp3", "wav", "pcm"]);
/** What clients may set of the API's own members. */
const OWN = ["lyrics_optimizer", "audio_setting", "aigc_watermark"] as const;

/**
 * Songs by MiniMax, https://platform.minimax.io/docs/api-reference/music-generation, as hexadecimal digits or the URL of a
 * file. A song costs the same in every length.
 */
export const minimaxSongs: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "lyrics", "instrumental", "response_format", "output_format", ...OWN], dropped);
    const known = order.response_format == null || FORMATS.has(order.response_format);
    if (!known) dropped.add("response_format");
    const isInstrumental = order.instrumental === true;
    // A song needs words: without any, the model writes them.
    const writesLyrics = isInstrumental || textOf(order.lyrics) ? null : true;
    return compact({
      model,
      prompt: order.prompt,
      lyrics: order.lyrics,
      lyrics_optimizer: order.lyrics_optimizer ?? writesLyrics,
      is_instrumental: isInstrumental || null,
      stream: false,
      output_format: returnsUrl(order) ? "url" : "hex",
      audio_setting: { ...recordOf(order.audio_setting), format: known ? (order.response_format ?? "mp3") : "mp3" },
      aigc_watermark: order.aigc_watermark,
    });
  },
  decode(answer, order) {
    const audio = textOf(recordOf(answer.data)?.audio);
    if (!audio) return null;
    const milliseconds = numberOf(recordOf(answer.extra_info)?.music_duration);
    return {
      ...(returnsUrl(order) && imageList([{ url: audio }])),
      ...(milliseconds !== null && { duration: milliseconds / 1000 }),
    };
  },
  content(answer, order) {
    const audio = textOf(recordOf(answer.data)?.audio);
    if (!audio || returnsUrl(order)) return null;
    const { response_format: format } = order;
    const kind = FORMATS.has(format) && format !== "mp3" ? String(format) : "mpeg";
    return { body: new Uint8Array(Buffer.from(audio, "hex")), contentType: `audio/${kind}` };
  },
  failure: baseFailure,
};

const returnsUrl = ({ output_format }: Readonly<Record<string, unknown>>): boolean => output_format === "url";
