import type { Price } from "../../types.ts";

/** What a model is billed for: a minute of sound counts as 1,000 tokens, characters count as tokens. */
export type PriceUnit = "token" | "character" | "minute" | "image" | "second" | "call";

/** Models of pictures that report what they used in tokens are billed by these. */
const DRAWS_BY_TOKEN = /^(gpt-image|chatgpt-image|gemini)/;
const DRAWS =
  /(^|\/)(dall-e|imagen|grok-(2|imagine)-image|cogview|wanx|wan\d.*t2i|qwen-image|image-01|flux|stable-diffusion|seedream)/;
const FILMS = /(^|\/)(sora|kling|vidu|veo)/;

export const drawsByToken = (model: string): boolean => DRAWS_BY_TOKEN.test(model);

/** Speech of such models is billed by the character. */
export const speaksByCharacter = (model: string): boolean => /^(tts|speech-\d)|(^|\/)aura-/.test(model);

/** What the price of a model is for, as calls are charged. `onlyFilms`: its channel makes nothing but videos. */
export function priceUnitOf(model: string, { kind }: Pick<Price, "kind">, onlyFilms: boolean): PriceUnit {
  if (kind === "per_call") {
    if (onlyFilms || FILMS.test(model)) return "second";
    return DRAWS.test(model) || drawsByToken(model) ? "image" : "call";
  }
  if (speaksByCharacter(model)) return "character";
  if (DRAWS.test(model)) return "image";
  return /(^|\/)whisper/.test(model) ? "minute" : "token";
}
