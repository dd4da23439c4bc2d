import type { Catalog } from "../../../catalog/catalog.ts";
import type { Capability, Provider, TaskCapability } from "../../../providers/contract/provider.ts";

/** What a model is for, by the endpoint that serves it. */
export type ModelKind = Extract<
  Capability | TaskCapability,
  "chat" | "embeddings" | "rerank" | "moderations" | "images" | "speech" | "songs" | "transcriptions" | "video"
>;

/** Kinds by the words in models' names, the more specific first. */
const BY_NAME: readonly (readonly [ModelKind, RegExp])[] = [
  ["rerank", /rerank/i],
  ["moderations", /moderation/i],
  ["transcriptions", /whisper|transcri|scribe|sensevoice|telespeech|paraformer|(^|[-_/])asr\b/i],
  [
    "speech",
    /(^|[-_/.])tts([-_\d]|$)|cosyvoice|(^|[-/])speech-|eleven_|kokoro|orpheus|fish-speech|melotts|(^|\/)aura-/i,
  ],
  ["songs", /lyria|(^|[-_/])music([-_\d]|$)/i],
  [
    "video",
    /(^|\/)sora|(^|\/)veo-|kling|vidu|hailuo|seedance|cogvideo|[-_]t2v|[-_]i2v|video|(^|\/)gen[34]_|(^|\/)wan\d/i,
  ],
  [
    "images",
    /dall-?e|gpt-image|chatgpt-image|imagen|(^|[-/])flux|stable-?diffusion|sdxl|seedream|wanx|cogview|ideogram|recraft|kolors|qwen-image|grok-.*image|(^|\/)image-01|jimeng/i,
  ],
  ["embeddings", /embed|bge-|^m3e|^embo-|gte-|(^|\/)tao-8k|(^|\/)voyage-|(^|\/)multimodalembedding/i],
];

const BY_MODALITY: Readonly<Record<string, readonly ModelKind[]>> = {
  embeddings: ["embeddings"],
  image: ["images"],
  audio: ["speech", "songs"],
  video: ["video"],
};

/** Kinds in the order in which a provider without a chat is asked. */
const KINDS: readonly ModelKind[] = [
  "chat",
  "embeddings",
  "rerank",
  "moderations",
  "transcriptions",
  "speech",
  "images",
  "songs",
  "video",
];

/** The kind of a model among those that its provider serves, by the catalog and else by its name; null: it serves none. */
export function kindOfModel(
  model: string,
  { capabilities }: Pick<Provider, "capabilities">,
  catalog: Catalog,
): ModelKind | null {
  const offered = KINDS.filter((kind) => capabilities.includes(kind));
  const named = BY_NAME.filter(([, words]) => words.test(model)).map(([kind]) => kind);
  const produced = catalog.find(model).output_modalities ?? [];
  const known = produced.includes("text") ? [] : produced.flatMap((modality) => BY_MODALITY[modality] ?? []);
  // The catalog knows what comes out; the name says which of the endpoints with that makes it.
  const likely = known.length > 0 ? [...named.filter((kind) => known.includes(kind)), ...known, ...named] : named;
  return likely.find((kind) => offered.includes(kind)) ?? offered[0] ?? null;
}

/** What a test of this kind makes costs more than some tokens: only somebody's own choice orders it. */
export const isCostly = (kind: ModelKind): boolean => kind === "images" || kind === "songs" || kind === "video";
