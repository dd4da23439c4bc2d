import type { Usage } from "../../../formats/conversation/reply.ts";
import { numberOf, recordsOf, textOf } from "../../../formats/json.ts";
import { areMostlyWrong, type Evidence, hasOurTokenizer, hasSecret, type ProbeAnswer } from "./judge-evidence.ts";
import { type ChatAnswer, type Probe, wordsOf } from "./probes.ts";

/** Sends prompts to the channel that is checked, or to the one that it is compared with. */
export type Asker = (prompt: string, maxTokens: number, wantsLogprobs?: boolean) => Promise<ChatAnswer>;

/** Counts the tokens of a text with our own tokenizer. */
export type CountTokens = (model: string, text: string) => Promise<number>;

type Plan = Readonly<{
  model: string;
  ask: Asker;
  /** A channel that is known to serve the model; null: there is none. */
  askReference: Asker | null;
  countTokens: CountTokens;
  /** Words of the long prompt, about one token each. */
  words: number;
  probes: readonly Probe[];
  random: () => number;
}>;

const SHORT_WORDS = 20;
const ECHO_WORDS = 60;
/** Reasoning counts as output. */
const SHORT_ANSWER_TOKENS = 400;
const ECHO_TOKENS = 1_000;
const [TRIES, MORE_TRIES] = [3, 4];
const RETRIES = 2;
const EQUALITY_PROMPTS = [
  "Name a random animal. Answer with one word.",
  "Write the first sentence of a story about the sea.",
  "Pick a random number between 1 and 1000. Answer with the number only.",
  "Suggest a name for a bakery. Answer with the name only.",
  "Describe the color of rain in five words.",
  "Write a short line of a song about winter.",
] as const;
const SAMPLES = 6;
const SUSPICIOUS = 0.01;

/** Asks a channel everything that its model is checked by, one question after the other. */
export async function collectEvidence(plan: Plan): Promise<Evidence> {
  const { model, random, words } = plan;
  const seed = Math.floor(random() * 2 ** 31);
  const secret = wordsOf(seed, 3).replaceAll(" ", "-");
  const askCounted = async (prompt: string, maxTokens: number) => countedAnswer(plan, prompt, maxTokens);
  // The random beginning keeps every part of it out of caches.
  const longPrompt = `The pass phrase is ${secret}. Remember it.\n\n${wordsOf(seed + 1, words)}\n\nWhat is the pass phrase? Answer with the pass phrase only.`;
  const short = await askCounted(`Answer with OK.\n\n${wordsOf(seed + 2, SHORT_WORDS)}`, SHORT_ANSWER_TOKENS);
  const long = await askCounted(longPrompt, SHORT_ANSWER_TOKENS);
  const again = await askCounted(longPrompt, SHORT_ANSWER_TOKENS);
  const echoPrompt = `Repeat the following words exactly, and write nothing else:\n\n${wordsOf(seed + 3, ECHO_WORDS)}`;
  const echo = await askCounted(echoPrompt, ECHO_TOKENS);
  // By itself, because some honest services refuse the request for logprobs.
  const logprobs = hasOurTokenizer(model) ? await tokensOf(plan, echoPrompt) : null;
  const retries: ProbeAnswer[] = [];
  const isMissed = [long, again].every(({ error, text }) => error === null && !hasSecret(text, secret));
  for (let round = 0; isMissed && round < RETRIES; round += 1) {
    retries.push(await askCounted(longPrompt, SHORT_ANSWER_TOKENS));
  }
  const probes: Evidence["probes"][number][] = [];
  for (const probe of plan.probes) if (probe.models.test(model)) probes.push(await answersTo(plan, probe));
  const equality = await compareWithReference(plan);
  return { short, long, again, retries, secret, echo, logprobs, probes, equality };
}

/** The tokens of an answer as the upstream returns them; null: it returns none. */
async function tokensOf({ model, ask, countTokens }: Plan, prompt: string): Promise<Evidence["logprobs"]> {
  const { error, text, logprobs } = await ask(prompt, ECHO_TOKENS, true);
  if (error !== null || !logprobs || logprobs.length === 0) return null;
  const probabilities = logprobs.flatMap(({ logprob, top_logprobs: top }) => [
    [numberOf(logprob)],
    recordsOf(top).map((each) => numberOf(each.logprob)),
  ]);
  const known = probabilities.map((each) => each.filter((value) => value !== null));
  return {
    text,
    tokens: logprobs.map(({ token }) => textOf(token) ?? ""),
    logprobs: known,
    counted: await countTokens(model, text),
  };
}

/** Models slip: where most answers are wrong, as many more decide. */
async function answersTo({ ask }: Plan, { id, prompt, expects, rejects }: Probe): Promise<Evidence["probes"][number]> {
  const answers: string[] = [];
  const probe = { id, answers, expects, rejects };
  for (const tries of [TRIES, MORE_TRIES]) {
    for (let round = 0; round < tries; round += 1) {
      const { error, text } = await ask(prompt, SHORT_ANSWER_TOKENS);
      if (error === null && text.trim() !== "") answers.push(text);
    }
    if (!areMostlyWrong(probe)) break;
  }
  return probe;
}

async function countedAnswer(
  { model, ask, countTokens }: Plan,
  prompt: string,
  maxTokens: number,
): Promise<ProbeAnswer> {
  const { error, text, usage } = await ask(prompt, maxTokens);
  const counted = { prompt: await countTokens(model, prompt), completion: await countTokens(model, text) };
  return { error, text, usage: usage && reportedOf(usage), counted };
}

const reportedOf = (usage: Usage): NonNullable<ProbeAnswer["usage"]> => ({
  prompt: usage.promptTokens,
  completion: usage.completionTokens,
  cached: usage.cachedTokens,
  reasoning: usage.reasoningTokens,
});

/**
 * Null: there is no reference, or one side did not answer. A difference is looked for a second time in other answers, and counts
 * if it is there, too.
 */
async function compareWithReference(plan: Plan): Promise<number | null> {
  const first = await compareOnce(plan);
  if (first === null || first >= SUSPICIOUS) return first;
  const second = await compareOnce(plan);
  return second === null ? null : Math.max(first, second);
}

async function compareOnce({ ask, askReference, random }: Plan): Promise<number | null> {
  if (!askReference) return null;
  const [own, reference] = [await sample(ask), await sample(askReference)];
  return own && reference ? compareSamples(own, reference, random) : null;
}

async function sample(ask: Asker): Promise<readonly (readonly string[])[] | null> {
  const samples: string[][] = [];
  for (const prompt of EQUALITY_PROMPTS) {
    const answers: string[] = [];
    for (let round = 0; round < SAMPLES; round += 1) {
      const { error, text } = await ask(prompt, SHORT_ANSWER_TOKENS);
      if (error !== null) return null;
      answers.push(text.trim());
    }
    samples.push(answers);
  }
  return samples;
}

/** Answers of one model to the same prompts, several for each. */
type Samples = readonly (readonly string[])[];

const PERMUTATIONS = 999;
const COMPARED_CHARACTERS = 64;

/**
 * Tests whether two lists of answers come from the same distribution: the maximum mean discrepancy with a kernel that counts
 * equal characters, and its p-value by permutations within each prompt (Gao, Liang and Guestrin 2024, “Model Equality Testing:
 * Which Model Is This API Serving?”, https://arxiv.org/abs/2410.20247). `random`: numbers from 0 to 1.
 */
function compareSamples(a: Samples, b: Samples, random: () => number): number {
  const prompts = a.map((answers, at) => kernelOf([...answers, ...(b[at] ?? [])], answers.length));
  const observed = prompts.reduce((sum, each) => sum + discrepancy(each, each.order), 0);
  let asLarge = 1;
  for (let round = 0; round < PERMUTATIONS; round += 1) {
    const drawn = prompts.reduce((sum, each) => sum + discrepancy(each, shuffled(each.order, random)), 0);
    if (drawn >= observed - 1e-12) asLarge += 1;
  }
  return asLarge / (PERMUTATIONS + 1);
}

type Kernel = Readonly<{ values: readonly (readonly number[])[]; order: readonly number[]; first: number }>;

const kernelOf = (answers: readonly string[], first: number): Kernel => ({
  values: answers.map((x) => answers.map((y) => similarity(x, y))),
  order: answers.map((_, at) => at),
  first,
});

/** The share of places with the same character. */
function similarity(x: string, y: string): number {
  const length = Math.min(COMPARED_CHARACTERS, Math.max(x.length, y.length));
  if (length === 0) return 1;
  let equal = 0;
  for (let at = 0; at < length; at += 1) if (x[at] === y[at]) equal += 1;
  return equal / length;
}

/** The unbiased estimate of the squared discrepancy; `order`: the first ones are one side. */
function discrepancy({ values, first }: Kernel, order: readonly number[]): number {
  const [n, m] = [first, order.length - first];
  if (n < 2 || m < 2) return 0;
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < order.length; i += 1) {
    for (let j = i + 1; j < order.length; j += 1) {
      const value = values[order[i] ?? 0]?.[order[j] ?? 0] ?? 0;
      if (j < first) xx += value;
      else if (i >= first) yy += value;
      else xy += value;
    }
  }
  return (2 * xx) / (n * (n - 1)) + (2 * yy) / (m * (m - 1)) - (2 * xy) / (n * m);
}

function shuffled(order: readonly number[], random: () => number): readonly number[] {
  const mixed = [...order];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] ?? 0, mixed[at] ?? 0];
  }
  return mixed;
}
