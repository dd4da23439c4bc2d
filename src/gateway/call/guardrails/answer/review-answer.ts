import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { inspect } from "../../../../domain/models/guardrails/inspect.ts";
import type { Reply } from "../../../../formats/conversation/collect-reply.ts";
import type { Part } from "../../../../formats/conversation/conversation.ts";
import type { ReplyEvent } from "../../../../formats/conversation/reply.ts";
import type { Call } from "../../call.ts";
import { refusalStep } from "../refusals.ts";
import type { ServiceContext } from "../services/ask-service.ts";
import type { StepFilter } from "./step-filter.ts";

/** What guardrails that need the complete answer decide about it, before its client gets any of it. */
export class AnswerReview {
  #blockedBy: Guardrail | null = null;
  #changed: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly context: ServiceContext,
    private readonly call: Call,
    private readonly guardrails: readonly Guardrail[],
  ) {}

  /** Decides about a complete answer; never rejects. */
  async take(reply: Reply): Promise<void> {
    const from = performance.now();
    await this.#decide(reply);
    const { guard } = this.call.progress;
    if (guard) guard.delayMs += performance.now() - from;
  }

  async #decide(reply: Reply): Promise<void> {
    const texts = reply.choices.flatMap(({ parts }) => parts.flatMap(textsOfPart));
    const speech = reply.choices.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? part.text : [])),
    );
    for (const guardrail of this.guardrails) {
      if (guardrail.rule?.service) await this.#ask(guardrail, texts);
      else if (speech.length > 0) this.#judge(guardrail, speech);
    }
  }

  /** Applies what was decided to the events of the answer. */
  readonly filter = (): StepFilter => {
    const ended = new Set<number>();
    return (step) => {
      if (!("choice" in step)) return [step];
      if (!this.#blockedBy) return [this.#masked(step)];
      if (ended.has(step.choice)) return [];
      ended.add(step.choice);
      return [refusalStep(step.choice, this.#blockedBy)];
    };
  };

  #judge(guardrail: Guardrail, texts: readonly string[]): void {
    const verdict = inspect(guardrail, { texts, tools: [] }, "answer");
    if (!verdict) return;
    this.call.progress.guard?.verdicts.push(verdict);
    if (!guardrail.isShadow && guardrail.action === "block") this.#blockedBy ??= guardrail;
  }

  async #ask(guardrail: Guardrail, texts: readonly string[]): Promise<void> {
    const { call } = this;
    // Loaded by the first call that needs it.
    const [{ askService }, { changedTexts }] = await Promise.all([
      import("../services/ask-service.ts"),
      import("../services/changed-texts.ts"),
    ]);
    const question = { phase: "answer", model: call.summary.model, requestId: call.requestId, texts } as const;
    const { verdict, reported, isClosed } = await askService(this.context, guardrail, question);
    if (verdict) call.progress.guard?.verdicts.push(verdict);
    if (isClosed) this.#blockedBy ??= guardrail;
    if (!verdict || verdict.failed !== undefined || guardrail.isShadow || guardrail.action === "flag") return;
    const hide = (type: string, value: string) => call.guard?.placeholders.conceal(type, value) ?? `[${type}]`;
    const changed = guardrail.action === "mask" ? changedTexts(texts, reported, guardrail, hide) : null;
    if (!changed) this.#blockedBy ??= guardrail;
    else this.#changed = new Map([...this.#changed, ...changed]);
  }

  #masked(step: Extract<ReplyEvent, { choice: number }>): ReplyEvent {
    const changed = "text" in step ? this.#changed.get(step.text) : undefined;
    if (changed === undefined) return step;
    if (step.type === "text") return { type: "text", choice: step.choice, text: changed };
    return "text" in step ? { ...step, text: changed } : step;
  }
}

/** What of a part a service is consulted about. */
function textsOfPart(part: Part): string[] {
  switch (part.type) {
    case "text":
    case "refusal":
    case "reasoning":
      return part.text === "" ? [] : [part.text];
    case "tool-call":
      return part.input === "" ? [] : [part.input];
    default:
      return [];
  }
}
