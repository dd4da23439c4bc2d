import { type JsonObject, recordOf } from "../../dialects/json.ts";
import type { Adaptation } from "../provider.ts";

/** Sampling fields that reasoning models refuse. */
const REFUSED = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
];

/** Always reason. */
const ALWAYS_REASONS = /^(o[1-9]\d*|gpt-5)(-(mini|nano|pro|preview|codex|deep-research))*(-\d{4}-\d{2}-\d{2})?$/;
/** Reason only when an effort other than "none" is asked for. */
const MAY_REASON = /^gpt-5\.\d+(-|$)/;
/** o1-mini and o1-preview knew neither system nor developer messages; the others rank developer above system. */
const TAKES_DEVELOPER = /^(o1(?!-(mini|preview))|o[3-9]|gpt-5)/;
const EFFORT_SUFFIX = /^((?:o[1-9]\d*|gpt-5).*)-(high|medium|low)$/;

/**
 * OpenAI's o-series and GPT-5 take max_completion_tokens, refuse sampling fields while they reason, and want the first
 * system message as developer. `-high`, `-medium`, `-low` behind the name ask for that reasoning effort.
 */
export function adaptReasoningModel(body: JsonObject, model: string): Adaptation | null {
  const suffixed = EFFORT_SUFFIX.exec(model);
  const name = suffixed?.[1] ?? model;
  const mayReason = MAY_REASON.test(name);
  if (!mayReason && !ALWAYS_REASONS.test(name)) return null;

  const changes: Record<string, unknown> = {};
  if (suffixed) changes.reasoning_effort = suffixed[2];
  if (body.max_tokens !== undefined) {
    changes.max_tokens = undefined;
    if (body.max_completion_tokens === undefined) changes.max_completion_tokens = body.max_tokens;
  }
  const effort = suffixed?.[2] ?? body.reasoning_effort ?? "none";
  const dropped = mayReason && effort === "none" ? [] : REFUSED.filter((field) => body[field] != null);
  for (const field of dropped) changes[field] = undefined;
  const messages = TAKES_DEVELOPER.test(name) ? withDeveloperFirst(body.messages) : null;
  if (messages) changes.messages = messages;
  return { model: name, changes, dropped };
}

function withDeveloperFirst(messages: unknown): unknown[] | null {
  if (!Array.isArray(messages)) return null;
  const first = recordOf(messages[0]);
  return first?.role === "system" ? [{ ...first, role: "developer" }, ...messages.slice(1)] : null;
}
