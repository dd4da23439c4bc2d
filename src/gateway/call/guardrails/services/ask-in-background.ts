import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import type { Verdict } from "../../../../domain/models/guardrails/inspect.ts";
import type { Call } from "../../call.ts";
import type { GuardLog } from "../call-guard.ts";
import { askService, type ServiceContext } from "./ask-service.ts";
import type { ServiceQuestion } from "./service-type.ts";

/** Takes verdicts about calls that are in the log already. */
export type NoteLate = (call: Pick<Call, "createdAt" | "recordId">, verdict: Verdict) => void;

/** What these functions work with. */
export type BackgroundContext = ServiceContext & Readonly<{ noteLate: NoteLate }>;

/**
 * Consults services that only take notes, in the background: nothing waits for them. What they find stands in the call's log row, also if
 * that is written before they answer.
 */
export function askInBackground(
  context: BackgroundContext,
  call: Call,
  log: GuardLog,
  guardrails: readonly Guardrail[],
  question: Pick<ServiceQuestion, "phase" | "texts">,
): void {
  const about = { ...question, model: call.summary.model, requestId: call.requestId };
  for (const guardrail of guardrails) {
    void askService(context, guardrail, about).then(({ verdict }) => {
      if (!verdict) return;
      if (log.isWritten) context.noteLate(call, verdict);
      else log.verdicts.push(verdict);
    });
  }
}
