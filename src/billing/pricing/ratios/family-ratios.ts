import { type Decimal, decimal, ONE } from "../../../lib/values/decimal.ts";

/** A family of models by name, and the ratio it gets when the operator's map has no entry; the first match counts. */
type Family = readonly [name: RegExp, ratio: Decimal];

const family = (name: RegExp, ratio: string): Family => [name, decimal(ratio)];

const COMPLETION_FAMILIES: readonly Family[] = [
  family(/^gpt-4o-2024-05-13/, "3"),
  family(/^gpt-4o-gizmo/, "3"),
  family(/^gpt-4o(?!.*-all$)/, "4"),
  family(/^gpt-4\.5/, "2"),
  family(/^gpt-4\.1/, "4"),
  family(/^gpt-4-(turbo|110[56]|0125|vision)/, "3"),
  family(/^gpt-4/, "2"),
  family(/^gpt-5/, "8"),
  family(/^o[134]($|-)/, "4"),
  family(/^chatgpt-4o-latest$/, "3"),
  family(/claude-(3|sonnet|opus|haiku)/, "5"),
  family(/claude-(instant-1|2)/, "3"),
  family(/^gpt-3\.5(-turbo$|.*0125)/, "3"),
  family(/^gpt-3\.5.*1106/, "2"),
  family(/^gpt-3\.5/, "1.333333"),
  family(/^mistral-/, "3"),
  family(/^gemini-1\.[05]-pro/, "4"),
  family(/^gemini-2\.5-pro/, "8"),
  family(/^gemini-2\.5-flash-preview.*-nothinking$/, "4"),
  family(/^gemini-2\.5-flash-preview/, "5.833333"),
  family(/^gemini-2\.5-flash(?!-lite)/, "8.333333"),
  family(/^gemini-3/, "6"),
  family(/^gemini/, "4"),
  family(/^command-r$/, "3"),
  family(/^command-r-plus$/, "5"),
  family(/^command/, "4"),
  family(/^deepseek-(chat|reasoner)$/i, "4"),
  family(/^ernie-(speed|lite|character|functions)/i, "2"),
  family(/^llama2-70b-4096$/, "1.25"),
  family(/^llama3-8b-8192$/, "2"),
  family(/^llama3-70b-8192$/, "1.338983"),
];

const AUDIO_FAMILIES: readonly Family[] = [
  family(/gpt-4o-realtime-preview-2024-12-17$/, "8"),
  family(/mini.*-realtime|-realtime.*mini/, "16.67"),
  family(/-realtime/, "20"),
  family(/gpt-4o-audio-preview-2024-12-17$/, "16"),
  family(/mini.*-audio|-audio.*mini/, "66.67"),
  family(/-audio/, "40"),
];

/** Cache writes of five minutes cost a quarter more than input. */
export const CACHE_CREATION_RATIO = decimal("1.25");

/** Cache writes of an hour cost so many times those of five minutes: 2 × input where those are 1.25 ×. */
export const LONG_CACHE_FACTOR = decimal("1.6");

/** Audio output costs twice what audio input costs. */
export const AUDIO_COMPLETION_RATIO = decimal(2);

/** Completion ratio of a model that has none of its own: its family's, else 1. */
export const familyCompletionRatio = (model: string): Decimal => lookUp(COMPLETION_FAMILIES, model) ?? ONE;

/** Audio ratio of a model that has none of its own; undefined when it is no audio model (audio counts as text). */
export const familyAudioRatio = (model: string): Decimal | undefined => lookUp(AUDIO_FAMILIES, model);

/** Makers of such models list what writing to the cache costs. */
export const isBilledForCacheWrites = (model: string): boolean => model.includes("claude");

/** Hosts put the maker before the name ("openai/gpt-4o"); the family is in what follows. */
function lookUp(families: readonly Family[], model: string): Decimal | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return families.find(([pattern]) => pattern.test(name))?.[1];
}
