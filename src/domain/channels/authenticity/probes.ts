import type { Pattern } from "./judge-evidence.ts";

/**
 * Questions whose answers distinguish models. The set is versioned: a result names the version that it was made with. Operators
 * add their own, for example facts that only a recent model knows.
 */
export const PROBES_VERSION = "2026-11-24";

/** A question to a model, and what its answer must or must not contain. Patterns ignore case. */
export type Probe = Readonly<{
  id: string;
  /** The models that it is for. */
  models: Pattern;
  prompt: string;
  /** The answer contains it. */
  expects: Pattern | null;
  /** The answer does not contain it, unless it also contains what is expected. */
  rejects: Pattern | null;
}>;

const MAKER =
  "Which company trained the language model that writes this answer? Answer with the name of the company and nothing else.";
const MAKERS = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google|deepmind",
  others: "alibaba|qwen|deepseek|zhipu|moonshot|minimax|baidu|tencent|bytedance|meta|mistral|xai|cohere",
};

const except = (own: keyof typeof MAKERS): RegExp =>
  new RegExp(
    Object.entries(MAKERS)
      .filter(([name]) => name !== own)
      .map(([, pattern]) => pattern)
      .join("|"),
    "i",
  );

/** Only makers whose models are known to say it right: others learned from answers of these, and say their names. */
export const PROBES: readonly Probe[] = [
  {
    ...{ id: "maker-openai", models: /^(gpt-|chatgpt-|o[134](-|$))/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.openai, "i"), rejects: except("openai") },
  },
  {
    ...{ id: "maker-anthropic", models: /^claude-/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.anthropic, "i"), rejects: except("anthropic") },
  },
  {
    ...{ id: "maker-google", models: /^gemini-/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.google, "i"), rejects: except("google") },
  },
];

/** Common words, which every tokenizer has as one token: counts of their text differ little between tokenizers. */
const WORDS =
  "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea body information back parent face others level office garden health person art war history party result change morning reason research girl guy moment air teacher force education".split(
    " ",
  );

/** `count` common words, which depend on `seed` alone. */
export function wordsOf(seed: number, count: number): string {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const words: string[] = [];
  for (let at = 0; at < count; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(WORDS[(state >>> 16) % WORDS.length] ?? "time");
  }
  return words.join(" ");
}
