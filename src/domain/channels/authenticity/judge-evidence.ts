import type { ModelInfo } from "../../../catalog/catalog.ts";

/** What a channel answered to one prompt. */
export type ProbeAnswer = Readonly<{
  /** Why it failed; null: it did not. */
  error: string | null;
  text: string;
  /** As the upstream reported it; null: it reported nothing. */
  usage: Readonly<{ prompt: number; completion: number; cached: number; reasoning: number }> | null;
  /** By our own tokenizer. */
  counted: Readonly<{ prompt: number; completion: number }>;
}>;

/** A regular expression. */
export type Pattern = Readonly<{ test(text: string): boolean }>;

/** Everything that was seen of a channel with a model. */
export type Evidence = Readonly<{
  short: ProbeAnswer;
  /** The same long prompt twice. */
  long: ProbeAnswer;
  again: ProbeAnswer;
  /** The same again, where neither answer had the secret: models slip. */
  retries: readonly ProbeAnswer[];
  /** What the long prompt asks to repeat. */
  secret: string;
  echo: ProbeAnswer;
  /**
   * The tokens of another such answer, and log probabilities of which each group are alternatives of one token. Null: the upstream
   * returns none, or its tokenizer is not ours.
   */
  logprobs: Readonly<{
    text: string;
    tokens: readonly string[];
    logprobs: readonly (readonly number[])[];
    counted: number;
  }> | null;
  probes: readonly Readonly<{
    id: string;
    answers: readonly string[];
    expects: Pattern | null;
    rejects: Pattern | null;
  }>[];
  /** The probability of answers that differ this much from the reference's, if it were the same model; null: there is none. */
  equality: number | null;
}>;

export const CHECKS = [
  "usage_input",
  "usage_output",
  "hidden_prompt",
  "context",
  "cache",
  "logprobs",
  "answers",
  "equality",
] as const;
export type Check = (typeof CHECKS)[number];

/** `unknown`: it could not be checked. */
export type Finding = Readonly<{
  check: Check;
  outcome: "pass" | "fail" | "unknown";
  /** What was found, as numbers and texts. */
  detail: Readonly<Record<string, number | string>>;
}>;

/** How much a failed check takes off the score of 100. */
const WEIGHTS: Readonly<Record<Check, number>> = {
  ...{
    usage_input: 50,
    usage_output: 40,
    hidden_prompt: 35,
    context: 50,
    cache: 40,
    logprobs: 40,
    answers: 40,
    equality: 60,
  },
};

/** The model's tokenizer is ours; else another one, which counts common words within these bounds. */
type Tolerance = Readonly<{ low: number; high: number }>;
const EXACT: Tolerance = { low: 0.9, high: 1.1 };
const OTHERS: Tolerance = { low: 0.65, high: 1.45 };
/** Whether our tokenizer is the one of the model that a channel claims to serve. */
export const hasOurTokenizer = (model: string): boolean => OUR_TOKENIZER.test(model);
const OUR_TOKENIZER = /^(gpt-|chatgpt-|o[134](-|$)|text-)/i;

/** Honest services add templates and short instructions of their own. */
const MAX_HIDDEN_TOKENS = 300;
/** Fewer output tokens prove nothing. */
const MIN_ECHO_TOKENS = 30;
/** A shared beginning may be cached: templates of a service. */
const MAX_CACHED_OF_NEW = 256;
const EQUALITY_LEVEL = 0.002;

/** Whether a model may reason before it answers, by what the catalog says of it; null: it does not say. */
export const mayReason = ({ reasoning }: Pick<ModelInfo, "reasoning">): boolean | null =>
  reasoning && reasoning.style !== "none";

/** What the evidence says of a channel that claims to serve `model`. `reasons`: as `mayReason` says. */
export function judgeEvidence(model: string, evidence: Evidence, reasons: boolean | null) {
  const tolerance = hasOurTokenizer(model) ? EXACT : OTHERS;
  const findings: readonly Finding[] = [
    inputUsage(evidence, tolerance),
    outputUsage(evidence, tolerance, reasons),
    hiddenPrompt(evidence),
    context(evidence),
    cache(evidence),
    logprobs(evidence),
    answers(evidence),
    equality(evidence),
  ];
  const lost = findings.reduce((sum, { check, outcome }) => sum + (outcome === "fail" ? WEIGHTS[check] : 0), 0);
  const isKnown = findings.some(({ outcome }) => outcome !== "unknown");
  return { findings, score: isKnown ? Math.max(0, 100 - lost) : null };
}

const finding = (check: Check, isFine: boolean | null, detail: Finding["detail"] = {}): Finding => ({
  check,
  outcome: isFine === null ? "unknown" : isFine ? "pass" : "fail",
  detail,
});

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const isWithin = (ratio: number, { low, high }: Tolerance): boolean => ratio >= low && ratio <= high;

/** Between two prompts, so that what a service adds to each of them does not count. */
function inputUsage({ short, long }: Evidence, tolerance: Tolerance): Finding {
  if (!short.usage || !long.usage || short.error !== null || long.error !== null) return finding("usage_input", null);
  const reported = long.usage.prompt - short.usage.prompt;
  const counted = long.counted.prompt - short.counted.prompt;
  const ratio = reported / counted;
  return finding("usage_input", isWithin(ratio, tolerance), { reported, counted, ratio: rounded(ratio) });
}

function outputUsage({ echo }: Evidence, tolerance: Tolerance, reasons: boolean | null): Finding {
  const { usage, counted, error } = echo;
  if (!usage || error !== null || counted.completion < MIN_ECHO_TOKENS) return finding("usage_output", null);
  // Reasoning of a model that has none is made up.
  const reported = usage.completion - (reasons === false ? 0 : usage.reasoning);
  const ratio = reported / counted.completion;
  const detail = {
    ...{ reported, counted: counted.completion, ratio: rounded(ratio) },
    ...(reasons === false && usage.reasoning > 0 && { reasoning: usage.reasoning }),
  };
  // Reasoning that is counted but not reported as such looks like padding.
  const isHiddenThought = reasons === true && usage.reasoning === 0 && ratio > tolerance.high;
  return finding("usage_output", isHiddenThought ? null : isWithin(ratio, tolerance), detail);
}

function hiddenPrompt({ short }: Evidence): Finding {
  if (!short.usage || short.error !== null) return finding("hidden_prompt", null);
  const tokens = short.usage.prompt - short.counted.prompt;
  return finding("hidden_prompt", tokens <= MAX_HIDDEN_TOKENS, { tokens });
}

/** Characters of an answer that a finding shows. */
const MOST_SHOWN = 80;

/** The first characters of a text, with an ellipsis where there are more. */
const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).trimEnd()}…`;

/** The secret stands at the beginning of the long prompt. A refusal as too long is evidence, too. */
function context({ long, again, retries, secret }: Evidence): Finding {
  const detail = { tokens: long.counted.prompt };
  const tries = [long, again, ...retries];
  const tooLong = tries.find(
    ({ error }) => error !== null && /context|too long|maximum.{0,20}(length|token)/i.test(error),
  );
  if (tooLong) return finding("context", false, { ...detail, error: shorten(tooLong.error ?? "", 200) });
  const answered = tries.filter(({ error }) => error === null);
  if (answered.length < tries.length) return finding("context", null);
  const isFound = answered.some(({ text }) => hasSecret(text, secret));
  return finding("context", isFound, { ...detail, answer: shorten(answered[0]?.text ?? "", MOST_SHOWN) });
}

/** Whether a response repeats the secret of a prompt, in any case; `secret` is in lower case. */
export const hasSecret = (text: string, secret: string): boolean => text.toLowerCase().includes(secret);

/** A prompt that nobody has sent before cannot be in a cache, and none has more cached tokens than tokens. */
function cache({ long, again }: Evidence): Finding {
  if (!long.usage || !again.usage) return finding("cache", null);
  const detail = { first: long.usage.cached, second: again.usage.cached };
  const isPossible = long.usage.cached <= MAX_CACHED_OF_NEW && again.usage.cached <= again.usage.prompt;
  return finding("cache", isPossible, detail);
}

/** Rounding of probabilities that add up to one. */
const MOST_PROBABILITY = 1.05;

/**
 * The tokens of an answer are those of the model's tokenizer, and their probabilities are possible. Where they don't make up the
 * text, a service wrote them in a form of its own, which proves nothing.
 */
function logprobs({ logprobs: seen }: Evidence): Finding {
  if (!seen || seen.counted < MIN_ECHO_TOKENS || seen.tokens.join("").trim() !== seen.text.trim()) {
    return finding("logprobs", null);
  }
  const [reported, counted] = [seen.tokens.length, seen.counted];
  const ratio = reported / counted;
  const most = Math.max(0, ...seen.logprobs.map((each) => each.reduce((sum, value) => sum + Math.exp(value), 0)));
  const detail = { reported, counted, ratio: rounded(ratio) };
  return finding("logprobs", isWithin(ratio, EXACT) && most <= MOST_PROBABILITY, {
    ...detail,
    ...(most > MOST_PROBABILITY && { probability: rounded(most) }),
  });
}

/** Fewer answers to a question, because others failed, prove nothing. */
const MIN_ANSWERS = 3;

/** A probe fails if most of its answers are wrong: one may be a slip. */
function answers({ probes }: Evidence): Finding {
  const answered = probes.filter((probe) => probe.answers.length >= MIN_ANSWERS);
  if (answered.length === 0) return finding("answers", null);
  const wrong = answered.filter(areMostlyWrong);
  const example = wrong[0]?.answers[0];
  return finding("answers", wrong.length === 0, {
    ...{ questions: answered.length, wrong: wrong.map(({ id }) => id).join(", ") },
    ...(example !== undefined && { example: shorten(example, MOST_SHOWN) }),
  });
}

/** Most of a question's answers are wrong. */
export function areMostlyWrong({ answers, ...probe }: Evidence["probes"][number]): boolean {
  return answers.filter((answer) => isWrong(probe, answer)).length * 2 > answers.length;
}

function isWrong(
  { expects, rejects }: Pick<Evidence["probes"][number], "expects" | "rejects">,
  answer: string,
): boolean {
  if (expects?.test(answer)) return false;
  return rejects ? rejects.test(answer) : expects !== null;
}

const equality = ({ equality: p }: Evidence): Finding =>
  p === null ? finding("equality", null) : finding("equality", p >= EQUALITY_LEVEL, { p });
