import { DecodeError } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, textOf } from "../../formats/json.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { NativeFormat } from "../contract/chat.ts";
import type { Provider, ProviderChannel } from "../contract/provider.ts";
import { OPENAI_VOICES } from "../shared/openai-voices.ts";

const DEFAULT_BASE_URL = "https://api.elevenlabs.io";

/** The API's names of OpenAI's formats; `output_format` takes its own. */
const OUTPUT_FORMATS = lookupTable<string>({ mp3: "mp3_44100_128", opus: "opus_48000_128", pcm: "pcm_44100" });
/** Formats without a header, from whose bytes no length can be read. */
const RAW = /^(?:pcm|ulaw|alaw)_/;

/** What clients may set of the API's own members; none changes the price. */
const OWN = [
  "seed",
  "respect_sections_durations",
  "finetune_id",
  "finetune_strength",
  "sign_with_c2pa",
  "store_for_inpainting",
] as const;

/** The query's format: the client's own name for it, else that of OpenAI's; null: the API's default. */
const formatOf = ({ output_format: own, response_format: format }: JsonObject): string | null =>
  textOf(own) ?? OUTPUT_FORMATS[textOf(format) ?? ""] ?? null;

const query = (order: JsonObject): string => {
  const format = formatOf(order);
  return format === null ? "" : `?output_format=${encodeURIComponent(format)}`;
};

/** Songs, https://elevenlabs.io/docs/api-reference/music/compose, which cost by their length. */
const elevenLabsSongs: NativeFormat = {
  encode(order, model, dropped) {
    const fields = ["prompt", "lyrics", "instrumental", "duration", "composition_plan"];
    recordDropped(order, [...fields, "response_format", "output_format", ...OWN], dropped);
    if (order.response_format != null && formatOf(order) === null) dropped.add("response_format");
    const plan = recordOf(order.composition_plan);
    const seconds = numberOf(order.duration);
    if (!plan && seconds === null && RAW.test(formatOf(order) ?? ""))
      throw new DecodeError({ code: "gateway_field_missing", params: { field: "duration" } }, "duration");
    return compact({
      model_id: model,
      prompt: plan ? null : order.prompt,
      lyrics_text: plan ? null : order.lyrics,
      composition_plan: plan,
      music_length_ms: plan || seconds === null ? null : Math.round(seconds * 1000),
      force_instrumental: plan ? null : order.instrumental,
      ...Object.fromEntries(OWN.map((name) => [name, order[name]])),
    });
  },
  urlTail: (order) => (order.stream === true ? "/stream" : "") + query(order),
  decode: () => null,
};

/** A voice of the API's documentation, for clients that name one of OpenAI's. */
const DEFAULT_VOICE = "JBFqnCBsd6RMkjVDRZzb";

const voiceOf = ({ voice }: JsonObject): string => {
  const named = textOf(voice) ?? textOf(recordOf(voice)?.id) ?? "";
  return named === "" || OPENAI_VOICES.test(named) ? DEFAULT_VOICE : named;
};

/** Speech, https://elevenlabs.io/docs/api-reference/text-to-speech/convert, which costs by characters. */
const elevenLabsSpeech: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", "voice", "speed", "response_format", "output_format"], dropped);
    if (OPENAI_VOICES.test(textOf(call.voice) ?? "")) dropped.add("voice");
    if (call.response_format != null && formatOf(call) === null) dropped.add("response_format");
    const speed = numberOf(call.speed);
    return { text: call.input, model_id: model, ...(speed !== null && { voice_settings: { speed } }) };
  },
  urlTail: (call) => `/${encodeURIComponent(voiceOf(call))}${query(call)}`,
  decode: () => null,
};

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };

const rootOf = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">): string => resolveBase(baseUrl, ADDRESSES).api;

/** ElevenLabs: music and speech. */
export const elevenLabs: Provider = {
  type: 1017,
  name: "ElevenLabs",
  owner: "elevenlabs",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["speech", "songs"],
  keyHint: "sk_…",
  facts: { documented: { source: "https://elevenlabs.io/docs/api-reference", version: "v1", day: "2026-11-29" } },
  models: ["music_v2_5", "music_v2", "music_v1", "eleven_v3", "eleven_multilingual_v2", "eleven_flash_v2_5"],
  url: (channel, { capability, urlTail = "" }) =>
    `${rootOf(channel)}/${capability === "speech" ? "text-to-speech" : "music"}${urlTail}`,
  authHeaders: (_channel, key) => ({ "xi-api-key": key }),
  nativeFormat({ capability }) {
    if (capability === "songs") return elevenLabsSongs;
    return capability === "speech" ? elevenLabsSpeech : null;
  },
};
