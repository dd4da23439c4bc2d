import { isTimeZone } from "../../../lib/format/time.ts";
import type { Candidate } from "./route-calls.ts";

export const MAX_NAME_LENGTH = 200;
/** What a call may contain. */
export const CONTENTS = ["image", "audio", "file", "tools"] as const;
export type Content = (typeof CONTENTS)[number];

export const CONTENT_CHOICES = ["any", "with", "without"] as const;
type ContentChoice = (typeof CONTENT_CHOICES)[number];

/** A candidate in the form; `id` identifies it while it moves. */
export type CandidateForm = Readonly<{
  id: string;
  model: string;
  weight: string;
  minTokens: string;
  maxTokens: string;
  contents: Readonly<Record<Content, ContentChoice>>;
  tags: readonly string[];
  groups: readonly string[];
  channelTags: readonly string[];
  regions: readonly string[];
  /** HH:MM; empty: all day. */
  from: string;
  to: string;
  zone: string;
}>;

const ANY: CandidateForm["contents"] = { image: "any", audio: "any", file: "any", tools: "any" };
const MAX_WEIGHT = 10_000;
const MAX_PROMPT_TOKENS = 100_000_000;
export const newCandidate = (model = ""): CandidateForm => ({
  id: crypto.randomUUID(),
  model,
  weight: "1",
  minTokens: "",
  maxTokens: "",
  contents: ANY,
  tags: [],
  groups: [],
  channelTags: [],
  regions: [],
  from: "",
  to: "",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

export function candidateForm(candidate: Candidate): CandidateForm {
  const { model = "", weight = 1, hours } = candidate;
  const choiceOf = (content: Content): ContentChoice => {
    const required = candidate[content];
    return required === undefined ? "any" : required ? "with" : "without";
  };
  return {
    ...newCandidate(model),
    weight: String(weight),
    minTokens: textOf(candidate.min_prompt_tokens),
    maxTokens: textOf(candidate.max_prompt_tokens),
    contents: { image: choiceOf("image"), audio: choiceOf("audio"), file: choiceOf("file"), tools: choiceOf("tools") },
    tags: candidate.tags ?? [],
    groups: candidate.groups ?? [],
    channelTags: candidate.channel_tags ?? [],
    regions: candidate.regions ?? [],
    from: hours?.from ?? "",
    to: hours?.to ?? "",
    ...(hours && { zone: hours.zone ?? "UTC" }),
  };
}

export const textOf = (count: number | undefined): string => (count === undefined ? "" : String(count));

export const candidateOf = (form: CandidateForm): Candidate => ({
  model: form.model.trim(),
  ...(form.weight.trim() !== "1" && { weight: Number(form.weight) }),
  ...(form.minTokens.trim() && { min_prompt_tokens: Number(form.minTokens) }),
  ...(form.maxTokens.trim() && { max_prompt_tokens: Number(form.maxTokens) }),
  ...Object.fromEntries(
    CONTENTS.flatMap((content) => {
      const choice = form.contents[content];
      return choice === "any" ? [] : [[content, choice === "with"]];
    }),
  ),
  ...(form.tags.length > 0 && { tags: form.tags }),
  ...(form.groups.length > 0 && { groups: form.groups }),
  ...(form.channelTags.length > 0 && { channel_tags: form.channelTags }),
  ...(form.regions.length > 0 && { regions: form.regions }),
  ...(form.from && { hours: { from: form.from, to: form.to, zone: form.zone.trim() || "UTC" } }),
});

/** The number of conditions of a candidate. */
export const countConditions = (candidate: Candidate): number => Object.keys(candidate).filter(isCondition).length;

/** The same of a candidate that is being edited. */
export const conditionsOfForm = (form: CandidateForm): number => countConditions(candidateOf(form));

const isCondition = (field: string): boolean => field !== "model" && field !== "weight";

/** What is wrong with a candidate: a key under `routes.form.errors`; null: nothing. */
export function candidateError(form: CandidateForm): "model" | "weight" | "tokens" | "hours" | null {
  const model = form.model.trim();
  if (model === "" || model.length > MAX_NAME_LENGTH) return "model";
  if (!isCount(form.weight, MAX_WEIGHT)) return "weight";
  const [min, max] = [form.minTokens.trim(), form.maxTokens.trim()];
  const areCounts = [min, max].every((text) => text === "" || isCount(text, MAX_PROMPT_TOKENS));
  if (!areCounts || (min !== "" && max !== "" && Number(min) > Number(max))) return "tokens";
  if ((form.from === "") !== (form.to === "") || (form.from !== "" && form.from === form.to)) return "hours";
  return isTimeZone(form.zone.trim() || "UTC") ? null : "hours";
}

export const isCount = (text: string, most: number): boolean => /^\d{1,9}$/.test(text.trim()) && Number(text) <= most;
