/** What a model's name says: its maker, what it can do, and whether a search finds it. Both sides filter lists by it. */

/** Makers by model name pattern; the first match wins. */
const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/claude/, "Anthropic"],
  [/gemini|gemma|imagen|veo|palm|-bison/, "Google"],
  [
    /gpt|^o\d|chatgpt|^codex|computer-use|dall-e|whisper|tts-1|text-embedding|davinci|babbage|moderation|sora/,
    "OpenAI",
  ],
  [/deepseek/, "DeepSeek"],
  [/qwen|qwq|qvq|wanx|^wan\d/, "Alibaba"],
  [/glm|cogview|chatglm/, "Zhipu"],
  [/moonshot|kimi/, "Moonshot"],
  [/doubao|seed|^jimeng_/, "ByteDance"],
  [/ernie/, "Baidu"],
  [/hunyuan/, "Tencent"],
  [/spark/, "iFlytek"],
  [/minimax|abab|^speech-\d|^music-\d|^image-01|^embo-/, "MiniMax"],
  [/grok/, "xAI"],
  [/llama/, "Meta"],
  [/mi[sx]tral|ministral|codestral|pixtral|magistral|devstral/, "Mistral"],
  [/command|cohere|^rerank-(?!2)|embed-/, "Cohere"],
  [/sonar/, "Perplexity"],
  [/jina/, "Jina"],
  [/bge/, "BAAI"],
  [/step-/, "StepFun"],
  [/yi-/, "01.AI"],
  [/^mj_|midjourney/, "Midjourney"],
  [/suno/, "Suno"],
  [/lyria/, "Google"],
  [/^(eleven_|music_v)/, "ElevenLabs"],
  [/kling/, "Kling"],
  [/^vidu/, "Vidu"],
  [/^gen4(\.5|_turbo)/, "Runway"],
  [/flux/, "Black Forest Labs"],
  [/ideogram/, "Ideogram"],
  [/recraft/, "Recraft"],
  [/^(voyage-|rerank-2)/, "Voyage AI"],
  [/^aura-/, "Deepgram"],
];

export const CAPABILITIES = [
  "chat",
  "embedding",
  "rerank",
  "image",
  "video",
  "music",
  "speech",
  "transcription",
  "moderation",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const OTHER_THAN_CHAT: readonly (readonly [RegExp, Capability])[] = [
  [/rerank/, "rerank"],
  [/embed|embo-|bge|m3e|^voyage-|tao-8k|semantic_similarity/, "embedding"],
  [/moderation/, "moderation"],
  [/whisper|transcri|asr/, "transcription"],
  [/tts|speech|^aura-|^eleven_/, "speech"],
  [/suno|music|lyrics|lyria/, "music"],
  [
    /video|sora|veo|kling|^vidu|^gen4(\.5|_turbo)|seedance|hailuo|^jimeng_(v|\w*2v)|^minimax-h\d|wan\d.*[ti]2v/,
    "video",
  ],
  [
    /dall-e|image|imagen|flux|stable-diffusion|^sd|cogview|wanx|^wan\d.*t2i|seedream|^mj_|midjourney|swap_face|ideogram|recraft|^jimeng_/,
    "image",
  ],
];

/** Removes the channel prefix before a slash. */
const bareName = (model: string): string => model.toLowerCase().replace(/^.*\//, "");

/** The maker of a model by its name; empty if unknown. */
export const makerOf = (model: string): string => MAKERS.find(([names]) => names.test(bareName(model)))?.[1] ?? "";

/** The capability of a model by its name. */
export const capabilityOf = (model: string): Capability =>
  OTHER_THAN_CHAT.find(([names]) => names.test(bareName(model)))?.[1] ?? "chat";

/** Which models of a price list are meant; empty or absent: any. */
export type PriceFilters = Readonly<{
  /** Letters of the name, in their order. */
  keyword?: string;
  maker?: string;
  capability?: string;
  /** Models that this group may use. */
  group?: string;
}>;

/** Whether a model that these groups have is meant. */
export const isMeant = (
  name: string,
  groups: readonly string[],
  { keyword = "", maker = "", capability = "", group = "" }: PriceFilters,
): boolean =>
  fuzzyMatch(keyword, name) &&
  (maker === "" || makerOf(name) === maker) &&
  (capability === "" || capabilityOf(name) === capability) &&
  (group === "" || groups.includes(group));

/** Whether the letters of `text` occur in `name` in the same order, with anything between them. */
export function fuzzyMatch(text: string, name: string): boolean {
  const search = text.toLowerCase().replace(/\s+/g, "");
  const letters = name.toLowerCase();
  let at = 0;
  for (const letter of search) {
    at = letters.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
