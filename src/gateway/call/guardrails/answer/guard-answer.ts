import { type Guardrail, runsInBackground } from "../../../../domain/models/guardrails/compile.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import type { Call } from "../../call.ts";
import type { BackgroundContext } from "../services/ask-in-background.ts";
import { answerFilter, isWhileStreaming } from "./answer-filter.ts";
import { acts } from "./guard-stored.ts";
import type { StepFilter } from "./step-filter.ts";

/** The filters of a call's answer: what its guardrails do while it streams. Empty if nothing is to be done. */
export function answerFilters({ guard, progress, fullConversation }: Call): readonly (() => StepFilter)[] {
  if (!guard) return NONE;
  const { placeholders } = guard;
  const guardrails = guard.answer.filter((guardrail) => isWhileStreaming(guardrail) && acts(guardrail));
  if (guardrails.length === 0 && placeholders.isEmpty) return NONE;
  const format = placeholders.isEmpty ? null : fullConversation?.().format;
  const isJson = format != null && format.type !== "text";
  return [answerFilter({ guardrails, placeholders, isJson, log: progress.guard ?? null })];
}

/** What only takes notes of a call's answer: it holds nothing back, and sees the answer as the model made it. */
export function answerObservers(context: BackgroundContext, call: Call): readonly (() => StepFilter)[] {
  const { guard, progress } = call;
  const guardrails =
    guard?.answer.filter((one) => !acts(one) && (one.kind !== "service" || runsInBackground(one))) ?? [];
  if (guardrails.length === 0) return NONE;
  const log = progress.guard ?? null;
  const services = guardrails.filter(runsInBackground);
  const consult = (texts: readonly string[]) => {
    if (!log) return;
    // Loaded by the first call that needs it.
    void import("../services/ask-in-background.ts").then(({ askInBackground }) =>
      askInBackground(context, call, log, services, { phase: "answer", texts }),
    );
  };
  const observes = services.length > 0 ? consult : true;
  return [answerFilter({ guardrails, placeholders: NO_VALUES, isJson: false, log, observes })];
}

const NO_VALUES = new Placeholders(() => "");

const NONE: readonly (() => StepFilter)[] = [];

/** The guardrails that decide about a complete answer, before its client gets any of it. */
export const completeGuardrails = ({ guard }: Pick<Call, "guard">): readonly Guardrail[] =>
  guard?.answer.filter(
    (one) => !isWhileStreaming(one) && (one.kind === "service" ? !runsInBackground(one) : acts(one)),
  ) ?? NO_GUARDRAILS;

const NO_GUARDRAILS: readonly Guardrail[] = [];
