import { type Guardrail, runsInBackground } from "../../../../domain/models/guardrails/compile.ts";
import { mapTexts } from "../../../../domain/models/guardrails/map-texts.ts";
import type { Call } from "../../call.ts";
import type { GuardLog } from "../call-guard.ts";
import { maskCall } from "../mask-call.ts";
import { refusalOf, serviceFailed, unsupportedBy } from "../refusals.ts";
import { type RoutesGuarded, routed } from "../routed.ts";
import { textsOfCall } from "../texts-of-call.ts";
import { askInBackground, type BackgroundContext } from "./ask-in-background.ts";
import { askService, type ServiceAnswer } from "./ask-service.ts";
import { changedTexts } from "./changed-texts.ts";

/**
 * The call as the services of its guardrails let it pass; they are consulted at the same time, about texts that the other guardrails have
 * masked already. Rejects GatewayError for what they refuse, and where one that must answer does not.
 */
export async function guardByServices(
  context: BackgroundContext & RoutesGuarded,
  call: Call,
  guardrails: readonly Guardrail[],
  log: GuardLog,
): Promise<Call> {
  const texts = textsOfCall(call);
  const question = { phase: "request", model: call.summary.model, requestId: call.requestId, texts } as const;
  const services = guardrails.filter(({ rule }) => rule?.service != null);
  call.progress.guard = log;
  askInBackground(context, call, log, services.filter(runsInBackground), question);
  const consulted = services.filter((one) => !runsInBackground(one));
  const answers = await Promise.all(
    consulted.map(async (guardrail) => ({ guardrail, answer: await askService(context, guardrail, question) })),
  );
  for (const { answer } of answers) if (answer.verdict) log.verdicts.push(answer.verdict);
  const acting = answers.filter(({ guardrail, answer }) => isActing(guardrail, answer));
  for (const { guardrail, answer } of acting) {
    if (answer.isClosed) throw serviceFailed(guardrail);
    if (guardrail.action === "block") throw refusalOf(guardrail);
  }
  let passed = call;
  for (const { guardrail, answer } of acting)
    if (guardrail.action === "mask") passed = maskBy(passed, texts, guardrail, answer);
  const route = acting.find(({ guardrail }) => guardrail.action === "route");
  return route && !call.guard?.isRouted ? routed(context, passed, route.guardrail) : passed;
}

const isActing = ({ isShadow }: Guardrail, { verdict, isClosed }: ServiceAnswer): boolean =>
  isClosed || (!isShadow && verdict !== null && verdict.failed === undefined);

/** The call without what a service found; where it does not say what that is, the call is refused. Throws GatewayError. */
function maskBy(call: Call, texts: readonly string[], guardrail: Guardrail, { reported }: ServiceAnswer): Call {
  const { placeholders } = call.guard ?? {};
  const hide = (type: string, value: string) => placeholders?.of(type, value) ?? `[${type}]`;
  const changed = changedTexts(texts, reported, guardrail, hide);
  if (!changed) throw refusalOf(guardrail);
  if (changed.size === 0) return call;
  if (call.body.form) throw unsupportedBy(guardrail);
  const found = new Set<string>();
  const replace = (text: string): string => {
    const masked = changed.get(text);
    if (masked !== undefined) found.add(text);
    return masked ?? text;
  };
  const masked = maskCall(call, { maskAll: <T>(value: T) => mapTexts(value, replace) as T });
  masked.fullConversation?.();
  // What it wants masked stands elsewhere than in a text of its own.
  if ([...changed.keys()].some((text) => !found.has(text))) throw unsupportedBy(guardrail);
  return masked;
}
