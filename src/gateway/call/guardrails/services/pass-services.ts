import { type Guardrail, runsInBackground } from "../../../../domain/models/guardrails/compile.ts";
import type { Verdict } from "../../../../domain/models/guardrails/inspect.ts";
import { mapTexts, textsOf } from "../../../../domain/models/guardrails/map-texts.ts";
import { refusalOfAnswer, serviceFailed } from "../refusals.ts";
import { askService, type ServiceContext } from "./ask-service.ts";
import { changedTexts } from "./changed-texts.ts";
import type { ServiceQuestion } from "./service-type.ts";

/** How a value is consulted about. */
type About = Readonly<{
  question: Pick<ServiceQuestion, "model" | "requestId">;
  /** What stands for a value that a service wants masked. */
  hide(type: string, value: string): string;
  /** Takes what services found. */
  note(verdict: Verdict): void;
}>;

/** The services of these guardrails for which a call waits, and those that only take notes in the background. */
export const partServices = (guardrails: readonly Guardrail[]) => {
  const services = guardrails.filter(({ rule }) => rule?.service != null);
  return { awaited: services.filter((one) => !runsInBackground(one)), background: services.filter(runsInBackground) };
};

/** A complete value after the services of these guardrails, which are consulted at the same time. Rejects GatewayError for what they refuse. */
export async function passServices<Value>(
  context: ServiceContext,
  guardrails: readonly Guardrail[],
  value: Value,
  { question, hide, note }: About,
): Promise<Value> {
  const texts = textsOf(value);
  const about = { ...question, phase: "answer", texts } as const;
  const answers = await Promise.all(guardrails.map((guardrail) => askService(context, guardrail, about)));
  for (const { verdict } of answers) if (verdict) note(verdict);
  let passed: unknown = value;
  for (const [at, guardrail] of guardrails.entries()) {
    const { verdict, reported, isClosed } = answers[at] ?? {};
    if (isClosed) throw serviceFailed(guardrail);
    if (!verdict || verdict.failed !== undefined || guardrail.isShadow || guardrail.action === "flag") continue;
    const changed = guardrail.action === "mask" && reported ? changedTexts(texts, reported, guardrail, hide) : null;
    if (!changed) throw refusalOfAnswer(guardrail);
    passed = mapTexts(passed, (text) => changed.get(text) ?? text);
  }
  // A value of the same shape: only texts in it differ.
  return passed as Value;
}
