import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { textsOf } from "../../../../domain/models/guardrails/map-texts.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import type { Caller } from "../../caller.ts";
import type { Uses } from "../../services.ts";
import { guardSetOf } from "../guard-set.ts";
import { answerRefusal, refusalOf, unsupportedBy } from "../refusals.ts";
import { AnswerRules } from "./answer-text.ts";

/** What of a guardrail holds for something that is read at once and goes nowhere else: all of it is text that somebody reads. */
export function asReader(guardrail: Guardrail): Guardrail {
  const { textsOnly: _, ...read } = guardrail;
  return read.action === "route" ? { ...read, action: "block" } : read;
}

/** Whether a guardrail changes or refuses something. */
export const acts = ({ isShadow, action }: Guardrail): boolean => !isShadow && action !== "flag";

/** What the detectors and judges of guardrails make of a value without a call; the guardrail that refuses it, if one does. */
export function passedAlone<Value extends object>(
  guardrails: readonly Guardrail[],
  value: Value,
): Readonly<{ passed: Value; refusedBy: Guardrail | null }> {
  const texts = textsOf(value);
  for (const guardrail of guardrails) {
    const { judge, kind } = guardrail;
    if (judge && kind !== "json" && kind !== "tools" && judge({ texts, tools: [] }) !== null)
      return { passed: value, refusedBy: guardrail };
  }
  // Nothing is put back, so values get no names of their own.
  const rules = new AnswerRules(
    guardrails.map((one) => (one.restores ? { ...one, restores: false } : one)),
    new Placeholders(() => ""),
  );
  const passed = rules.value(value);
  return { passed: passed ?? value, refusedBy: rules.blockedBy };
}

/**
 * Answers that a provider stores pass the guardrails again when they are read later: it has them as its model made them. The guardrails
 * of any model hold, because they do not say which one was called.
 */
export class StoredAnswers {
  readonly #guardrails: readonly Guardrail[];

  constructor({ services }: Uses<"settings">, caller: Pick<Caller, "group" | "policies" | "token" | "user">) {
    const answer = guardSetOf(services.settings, caller, null)?.answer ?? [];
    this.#guardrails = answer.filter(acts).map(asReader);
  }

  /** Throws GatewayError if answers may only be read complete. */
  refuseStream(): void {
    const [first] = this.#guardrails;
    if (first) throw unsupportedBy(first);
  }

  /** The answer as it may be shown. Throws GatewayError if it may not be. */
  pass<Value extends object>(value: Value): Value {
    if (this.#guardrails.length === 0) return value;
    const service = this.#guardrails.find(({ rule, kind }) => rule?.service || kind === "json");
    if (service) throw unsupportedBy(service);
    const { passed, refusedBy } = passedAlone(this.#guardrails, value);
    if (refusedBy) throw refusedBy.origin ? refusalOf(refusedBy) : answerRefusal(refusedBy);
    return passed;
  }

  /** The same for a response in JSON. */
  async passResponse(response: Response): Promise<Response> {
    if (this.#guardrails.length === 0) return response;
    return Response.json(this.pass((await response.json()) as object), { status: response.status });
  }
}
