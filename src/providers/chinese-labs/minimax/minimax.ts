import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import { baseFailure } from "../../../formats/openai-chat/errors.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { embeddingList, inputsOf } from "../../shared/embeddings.ts";
import { aspectOf, imageCount, imageList } from "../../shared/images.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { minimaxVideos } from "./videos.ts";

const SONG_FORMATS: ReadonlySet<unknown> = new Set(["mp3", "wav", "pcm"]);
/** What clients may set of the API's own members. */
const OWN = ["lyrics_optimizer", "audio_setting", "aigc_watermark"] as const;

/**
 * Songs by MiniMax, https://platform.minimax.io/docs/api-reference/music-generation, as hexadecimal digits or the URL of a
 * file. A song costs the same in every length.
 */
const minimaxSongs: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "lyrics", "instrumental", "response_format", "output_format", ...OWN], dropped);
    const known = order.response_format == null || SONG_FORMATS.has(order.response_format);
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
    const kind = SONG_FORMATS.has(format) && format !== "mp3" ? String(format) : "mpeg";
    return { body: new Uint8Array(Buffer.from(audio, "hex")), contentType: `audio/${kind}` };
  },
  failure: baseFailure,
};

const returnsUrl = ({ output_format }: Readonly<Record<string, unknown>>): boolean => output_format === "url";

/** Image generation by MiniMax, which reports failures with status 200. */
const minimaxImages: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format"], dropped);
    return {
      model,
      prompt: order.prompt,
      n: imageCount(order),
      aspect_ratio: aspectOf(order),
      response_format: order.response_format === "b64_json" ? "base64" : "url",
    };
  },
  decode({ data }) {
    const made = recordOf(data);
    return imageList([
      ...textsOf(made?.image_urls).map((url) => ({ url })),
      ...textsOf(made?.image_base64).map((b64_json) => ({ b64_json })),
    ]);
  },
  failure: baseFailure,
};

/** Embeddings, in a response that has only lists of numbers. `type` distinguishes stored documents from queries. */
const minimaxEmbeddings: NativeFormat = {
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
const minimaxSpeech: NativeFormat = {
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

/**
 * A message of MiniMax's as it was: reasoning comes in tags at the beginning of the content, and must return there. Source:
 * https://platform.minimax.io/docs/guides/text-m2-function-call
 */
function withThinkTags(message: JsonObject): JsonObject {
  const { reasoning_content, ...rest } = message;
  const thought = textOf(reasoning_content);
  if (!thought) return message;
  return { ...rest, content: `<think>\n${thought}</think>\n\n${textOf(rest.content) ?? ""}` };
}

/** The international platform is `https://api.minimax.io`; keys of one are unknown to the other. */
const BASE_URL = "https://api.minimaxi.com";
const ADDRESSES: AddressForms = { fallback: BASE_URL, root: "/v1", printed: [[/\/anthropic(\/v1)?$/, "/v1"]] };

const api = openAiCompatible({
  type: 35,
  name: "MiniMax",
  owner: "minimax",
  baseUrl: BASE_URL,
  capabilities: ["chat", "images", "embeddings", "speech", "songs"],
  native: {
    images: { path: "/image_generation", format: minimaxImages },
    embeddings: { format: minimaxEmbeddings },
    speech: { path: "/t2a_v2", format: minimaxSpeech },
    songs: { path: "/music_generation", format: minimaxSongs },
  },
  models: [
    "MiniMax-M3",
    "MiniMax-M2.7",
    "MiniMax-M2.5",
    "MiniMax-M2.1",
    "MiniMax-M2",
    "MiniMax-M1",
    "MiniMax-Text-01",
    "image-01",
    "embo-01",
    "speech-2.5-hd-preview",
    "music-2.6",
    "music-2.5",
    "MiniMax-H3",
    "MiniMax-Hailuo-2.3",
    "MiniMax-Hailuo-2.3-Fast",
    "MiniMax-Hailuo-02",
  ],
  facts: {
    documented: {
      source: "https://platform.minimax.io/docs/api-reference/text-chat",
      version: "v1",
      day: "2026-11-29",
    },
    hosts: [
      { region: "CN", url: "https://api.minimaxi.com" },
      { region: null, url: "https://api.minimax.io" },
    ],
    // https://github.com/MiniMax-AI/MiniMax-M2/issues/27
    // https://platform.minimax.io/docs/api-reference/text-openai-api
    chat: {
      systemTurns: "first",
      reasoning: [
        {
          models: /^MiniMax-M[3-9]/,
          on: { thinking: { type: "adaptive" } },
          off: { thinking: { type: "disabled" } },
        },
        { models: /^MiniMax-M/, off: "lowest", offCosts: "They always reason." },
      ],
    },
    requests: {
      temperature: [0.01, 1],
      topP: [0.01, 1],
      rejected: ["n"],
      rewrite: ({ messages }) => ({ messages: recordsOf(messages).map(withThinkTags) }),
    },
    addresses: ADDRESSES,
    errors: { no_credit: [{ code: "1008" }] },
  },
});

/** MiniMax: chats in OpenAI's format, everything else in its own. */
export const minimax: Provider = {
  ...api,
  capabilities: [...api.capabilities, "video"],
  ...minimaxVideos(({ baseUrl }) => resolveBase(baseUrl, ADDRESSES).service),
};
