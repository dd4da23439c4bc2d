import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import type { Call } from "../../call.ts";
import { answerFilter } from "./answer-filter.ts";
import type { StepFilter } from "./step-filter.ts";

/** The filters of a call's answer: what its guardrails do while it streams. Empty if nothing is to be done. */
export function answerFilters({ guard, progress, fullConversation }: Call): readonly (() => StepFilter)[] {
  if (!guard) return NONE;
  const { placeholders } = guard;
  const guardrails = guard.answer.filter(isWhileStreaming);
  if (guardrails.length === 0 && placeholders.isEmpty) return NONE;
  const format = placeholders.isEmpty ? null : fullConversation?.().format;
  const isJson = format != null && format.type !== "text";
  return [answerFilter({ guardrails, placeholders, isJson, log: progress.guard ?? null })];
}

const NONE: readonly (() => StepFilter)[] = [];

/** The kinds that need the complete answer. */
const OF_COMPLETE: ReadonlySet<string> = new Set(["language", "json", "service"]);

/** Whether a guardrail decides while an answer streams. */
export const isWhileStreaming = ({ kind }: Guardrail): boolean => !OF_COMPLETE.has(kind);

/** The guardrails that decide about a complete answer, before its client gets any of it. */
export const completeGuardrails = ({ guard }: Pick<Call, "guard">): readonly Guardrail[] =>
  guard ? guard.answer.filter((guardrail) => !isWhileStreaming(guardrail)) : NO_GUARDRAILS;

const NO_GUARDRAILS: readonly Guardrail[] = [];
