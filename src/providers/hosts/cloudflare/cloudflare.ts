import type { Dropped } from "../../../formats/conversation/codec.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { imageCount, imageList } from "../../shared/images.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { TEMPLATE_REASONING } from "../../shared/reasoning.ts";

/** Settings of image models that clients may set. */
const IMAGE_OPTIONS = ["negative_prompt", "num_steps", "steps", "guidance", "seed", "strength"];
/** A model with a fixed size. */
const ONE_SIZE = /flux-1-schnell/;

const resultOf = (answer: JsonObject): JsonObject => recordOf(answer.result) ?? {};

/** Image generation: one image per call, as JSON or as bytes. */
const generateImages: NativeFormat = {
  encode(order, model, dropped) {
    const [, width, height] = ONE_SIZE.test(model) ? [] : (/^(\d+)x(\d+)$/.exec(textOf(order.size) ?? "") ?? []);
    recordDropped(order, ["prompt", "n", "response_format", ...IMAGE_OPTIONS, ...(width ? ["size"] : [])], dropped);
    if (imageCount(order) > 1) dropped.add("n");
    if (order.response_format === "url") dropped.add("response_format");
    const own = Object.fromEntries(IMAGE_OPTIONS.map((name) => [name, order[name]]));
    return compact({
      ...own,
      prompt: order.prompt,
      width: width === undefined ? null : Number(width),
      height: height === undefined ? null : Number(height),
    });
  },
  decode(answer) {
    const image = textOf(resultOf(answer).image);
    return imageList(image ? [{ b64_json: image }] : []);
  },
  decodeBytes: (bytes) => ({ created: 0, data: [{ b64_json: Buffer.from(bytes).toString("base64") }] }),
};

/** Rerank. */
const rerank: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["query", "documents", "top_n", "return_documents"], dropped);
    const documents = Array.isArray(call.documents) ? call.documents : [];
    const contexts = documents.map((document) => ({
      text: textOf(document) ?? textOf(recordOf(document)?.text) ?? "",
    }));
    return compact({ query: call.query, contexts, top_k: numberOf(call.top_n) });
  },
  decode(answer) {
    const { response } = resultOf(answer);
    if (!Array.isArray(response)) return null;
    const results = recordsOf(response).map(({ id, score }) => ({ index: id, relevance_score: score }));
    return { object: "list", results };
  },
};

/** Transcriptions, or translations into English. */
const transcribe = (task: "transcribe" | "translate"): NativeFormat => ({
  encode(call, model, dropped, [file]) {
    const bytes = file?.bytes ?? new Uint8Array(0);
    // The older models accept an array of bytes and nothing else.
    if (!model.includes("large-v3")) {
      recordDropped(call, ["file", "response_format"], dropped);
      if (task === "translate") dropped.add("translation");
      return { audio: [...bytes] };
    }
    recordDropped(call, ["file", "response_format", "language", "prompt"], dropped);
    const audio = Buffer.from(bytes).toString("base64");
    return compact({ audio, task, language: textOf(call.language), initial_prompt: textOf(call.prompt) });
  },
  decode(answer, { response_format: format }) {
    const { text, segments, words, transcription_info } = resultOf(answer);
    if (textOf(text) === null) return null;
    if (format !== "verbose_json") return { text };
    const { language, duration } = recordOf(transcription_info) ?? {};
    return compact({ task, language, duration, text, segments, words });
  },
  content(answer, { response_format: format }) {
    const { text, vtt } = resultOf(answer);
    const transcript = textOf(text) ?? "";
    const titles = textOf(vtt) ?? "";
    if (format === "text") return { body: `${transcript}\n`, contentType: "text/plain; charset=utf-8" };
    if (format === "vtt") return { body: titles, contentType: "text/vtt; charset=utf-8" };
    if (format === "srt") return { body: srtOf(titles), contentType: "text/plain; charset=utf-8" };
    return null;
  },
});

/** OpenAI's audio formats as Workers AI's options. */
const ENCODINGS = lookupTable<JsonObject>({
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav" },
  pcm: { encoding: "linear16", container: "none" },
});
/** Voices that only OpenAI has. */
const FOREIGN_VOICE = /^(alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/;

/** Speech: Deepgram's models respond with audio, the others with audio inside JSON. */
const speech: NativeFormat = {
  encode: (call, model, dropped) =>
    model.includes("deepgram") ? encodeForDeepgram(call, dropped) : encodeForMelo(call, dropped),
  decode: () => null,
  content(answer) {
    const audio = textOf(resultOf(answer).audio);
    return audio ? { body: new Uint8Array(Buffer.from(audio, "base64")), contentType: "audio/mpeg" } : null;
  },
};

function encodeForDeepgram(call: JsonObject, dropped: Dropped): JsonObject {
  const voice = textOf(call.voice);
  const speaker = voice !== null && !FOREIGN_VOICE.test(voice) ? voice : null;
  recordDropped(call, ["input", "response_format", ...(speaker ? ["voice"] : [])], dropped);
  return compact({ text: call.input, speaker, ...ENCODINGS[textOf(call.response_format) ?? "mp3"] });
}

function encodeForMelo(call: JsonObject, dropped: Dropped): JsonObject {
  recordDropped(call, ["input", "language", "response_format"], dropped);
  if (call.response_format != null && call.response_format !== "mp3") dropped.add("response_format");
  return compact({ prompt: call.input, lang: textOf(call.language) });
}

/** Converts WebVTT subtitles to SubRip: numbered, with commas in the times. */
function srtOf(vtt: string): string {
  const cues = vtt
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .filter((block) => block.includes("-->"));
  return cues
    .map((cue, at) => {
      const lines = cue.trim().split("\n");
      const begins = lines.findIndex((line) => line.includes("-->"));
      const [from = "", to = ""] = (lines[begins] ?? "").split("-->").map(srtTime);
      return `${at + 1}\n${from} --> ${to}\n${lines.slice(begins + 1).join("\n")}\n`;
    })
    .join("\n");
}

/** A WebVTT time may lack hours, and settings may follow it. */
function srtTime(written: string): string {
  const [time = ""] = written.trim().split(/\s/);
  const full = time.split(":").length === 2 ? `00:${time}` : time;
  return full.replace(".", ",");
}

/** Calls that the OpenAI-compatible API lacks, in Workers AI's own format. */
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: generateImages,
  rerank,
  speech,
  transcriptions: transcribe("transcribe"),
  translations: transcribe("translate"),
};

const compatible = openAiCompatible({
  type: 39,
  name: "Cloudflare",
  owner: "cloudflare",
  baseUrl: "https://api.cloudflare.com",
  capabilities: ["chat", "embeddings", "images", "rerank", "speech", "transcriptions", "translations"],
  models: [
    "@cf/openai/gpt-oss-120b",
    "@cf/openai/gpt-oss-20b",
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    "@cf/meta/llama-4-scout-17b-16e-instruct",
    "@cf/qwen/qwen3-30b-a3b-fp8",
    "@cf/baai/bge-m3",
    "@cf/baai/bge-reranker-base",
    "@cf/black-forest-labs/flux-1-schnell",
    "@cf/openai/whisper-large-v3-turbo",
    "@cf/deepgram/aura-1",
  ],
  facts: {
    documented: {
      source: "https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/",
      version: "v1",
      day: "2026-11-29",
    },
    addresses: { root: "" },
    // https://developers.cloudflare.com/workers-ai/models
    chat: { reasoning: TEMPLATE_REASONING },
  },
});

/** Cloudflare's pages print the address of an account's API, too. */
const ACCOUNT = /\/client\/v4(\/accounts\/([\w-]+).*)?$/;

const ADDRESSES: AddressForms = { fallback: "https://api.cloudflare.com", root: "" };

const accountOf = ({ baseUrl, other }: ProviderChannel): string => {
  const { api } = resolveBase(baseUrl, ADDRESSES);
  const id = other || (ACCOUNT.exec(api)?.[2] ?? "");
  return `${api.replace(ACCOUNT, "")}/client/v4/accounts/${encodeURIComponent(id)}`;
};

/** Cloudflare's Workers AI. `other` is the account id, which is part of the URL. */
export const cloudflare: Provider = {
  ...compatible,
  url: (channel, params) =>
    OWN[params.capability]
      ? `${accountOf(channel)}/ai/run/${params.model.split("/").map(encodeURIComponent).join("/").replaceAll("%40", "@")}`
      : compatible.url({ ...channel, baseUrl: `${accountOf(channel)}/ai/v1` }, params),
  nativeFormat: ({ capability }) => OWN[capability] ?? null,
  modelList: {
    url: (channel) => `${accountOf(channel)}/ai/models/search?per_page=1000`,
    read: readNamesIn("result"),
  },
};
