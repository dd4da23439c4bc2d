import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { textsOf } from "../../../../domain/models/guardrails/map-texts.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { Caller } from "../../caller.ts";
import type { Uses } from "../../services.ts";
import { guardSetOf } from "../guard-set.ts";
import { keyOfConversation, type MaskedStores, type MaskedValues, tenantOf } from "../masked-values.ts";
import { refusalOfAnswer, unsupportedBy } from "../refusals.ts";
import type { ServiceContext } from "../services/ask-service.ts";
import { AnswerRules } from "./answer-text.ts";

/** What of a guardrail holds for something that is read at once and goes nowhere else: all of it is text that somebody reads. */
export function asReader(guardrail: Guardrail): Guardrail {
  const { textsOnly: _, ...read } = guardrail;
  return read.action === "route" ? { ...read, action: "block" } : read;
}

/** Whether a guardrail changes or refuses something. */
export const acts = ({ isShadow, action }: Guardrail): boolean => !isShadow && action !== "flag";

/**
 * What the detectors and judges of guardrails make of a value without a call; the guardrail that refuses it, if one does. `speech`: what
 * a model says in it. `values`: what is put back in place of what stands for it.
 */
export function passedAlone<Value extends object>(
  guardrails: readonly Guardrail[],
  value: Value,
  { speech = [], values = {} }: Readonly<{ speech?: readonly string[]; values?: MaskedValues["values"] }> = {},
): Readonly<{ passed: Value; refusedBy: Guardrail | null }> {
  const texts = textsOf(value);
  for (const guardrail of guardrails) {
    const { judge, kind } = guardrail;
    if (judge && kind !== "tools" && judge({ texts: kind === "json" ? speech : texts, tools: [] }) !== null)
      return { passed: value, refusedBy: guardrail };
  }
  // What is masked here is not put back, so values get no names of their own.
  const rules = new AnswerRules(
    guardrails.map((one) => (one.restores ? { ...one, restores: false } : one)),
    new Placeholders(() => "", values),
  );
  const passed = rules.value(value);
  return { passed: passed ?? value, refusedBy: rules.blockedBy };
}

/** What `StoredAnswers` works with. */
export type StoredAnswersContext = ServiceContext & Uses<"vault"> & Readonly<{ services: MaskedStores }>;

/**
 * Answers that a provider stores pass the guardrails again when they are read later: it has them as its model made them. The guardrails
 * of any model hold, because they do not say which one was called.
 */
export class StoredAnswers {
  readonly #guardrails: readonly Guardrail[];

  constructor(
    private readonly context: StoredAnswersContext,
    private readonly caller: Pick<Caller, "group" | "policies" | "token" | "user">,
    private readonly requestId: string,
  ) {
    const answer = guardSetOf(context.services.settings, caller, null)?.answer ?? [];
    this.#guardrails = answer.filter(acts).map(asReader);
  }

  /** Throws GatewayError if answers may only be read complete. */
  refuseStream(): void {
    const [first] = this.#guardrails;
    if (first) throw unsupportedBy(first);
  }

  /** The answer as it may be shown; what was `masked` in its conversation is put back. Rejects GatewayError if it may not be. */
  async pass<Value extends JsonObject>(value: Value, masked: MaskedValues | null = null): Promise<Value> {
    const values = masked?.tenant === tenantOf(this.caller) ? masked.values : {};
    if (this.#guardrails.length === 0 && Object.keys(values).length === 0) return value;
    const consulted = await this.#consultServices(value);
    const { passed, refusedBy } = passedAlone(this.#guardrails, consulted, { speech: speechOf(consulted), values });
    if (refusedBy) throw refusalOfAnswer(refusedBy);
    return passed;
  }

  /** The same for a response in JSON with items of a conversation that the provider keeps. */
  async passItems(response: Response, conversation: string): Promise<Response> {
    const key = keyOfConversation(this.context, this.caller, conversation);
    const values = await this.context.services.responses.maskedValues(key, nowSeconds());
    const masked = { tenant: tenantOf(this.caller), values };
    if (this.#guardrails.length === 0 && Object.keys(values).length === 0) return response;
    const read = recordOf(await response.json()) ?? {};
    return Response.json(await this.pass(read, masked), { status: response.status });
  }

  async #consultServices<Value extends JsonObject>(value: Value): Promise<Value> {
    const guardrails = this.#guardrails.filter(({ rule }) => rule?.service != null);
    if (guardrails.length === 0) return value;
    // Loaded by the first answer that needs it.
    const { passServices } = await import("../services/pass-services.ts");
    return passServices(this.context, guardrails, value, {
      question: { model: textOf(value.model) ?? "", requestId: this.requestId },
      hide: (type) => `[${type}]`,
      note: () => {},
    });
  }
}

/** What a model says in a stored response, an interaction, or items of a conversation. */
const speechOf = ({ output, steps, data }: JsonObject): string[] =>
  [output, steps, data].flatMap((items) =>
    recordsOf(items)
      .filter(({ type, role }) => type === "model_output" || (type === "message" && role === "assistant"))
      .flatMap(({ content }) => recordsOf(content).flatMap(({ text }) => textOf(text) ?? [])),
  );
