import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { type Verdict, verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import type { Call } from "../../call.ts";
import type { GuardLog } from "../call-guard.ts";
import { askService, type ServiceContext } from "./ask-service.ts";
import type { ServiceQuestion } from "./service-type.ts";

/** Takes verdicts about calls that are in the log already. */
export type NoteLate = (call: Pick<Call, "createdAt" | "recordId">, verdict: Verdict) => void;

/** What these functions work with. */
export type BackgroundContext = ServiceContext & Readonly<{ noteLate: NoteLate }>;

/** So many questions of a process at a time: a service that is slow holds no more texts in memory. */
const MOST_AT_ONCE = 100;
let running = 0;

/**
 * Consults services that only take notes, in the background: nothing waits for them. What they find stands in the call's log row, also
 * if that is written before they answer. While too many questions are open, the verdict is that the service was busy.
 */
export function askInBackground(
  context: BackgroundContext,
  call: Call,
  log: GuardLog,
  guardrails: readonly Guardrail[],
  question: Pick<ServiceQuestion, "phase" | "texts">,
): void {
  const about = { ...question, model: call.summary.model, requestId: call.requestId };
  const note = (verdict: Verdict) => {
    if (log.isWritten) context.noteLate(call, verdict);
    else log.verdicts.push(verdict);
  };
  for (const guardrail of guardrails) {
    if (running >= MOST_AT_ONCE) {
      note({ ...verdictOf(guardrail, question.phase, { FAILED: 1 }), action: "flag", failed: "busy" });
      continue;
    }
    running += 1;
    void askService(context, guardrail, about).then(({ verdict }) => {
      running -= 1;
      if (verdict) note(verdict);
    });
  }
}
