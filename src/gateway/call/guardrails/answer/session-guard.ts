import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { inspect, type Verdict, verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import type { JsonObject } from "../../../../formats/json.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { Caller } from "../../caller.ts";
import { GatewayError } from "../../errors.ts";
import { emptyGuardLog, type GuardLog } from "../call-guard.ts";
import { answerWordsOf, guardSetOf } from "../guard-set.ts";
import { maskerOf } from "../mask-call.ts";
import { answerRefusal } from "../refusals.ts";
import { answerFilter, isWhileStreaming } from "./answer-filter.ts";
import { AnswerRules } from "./answer-text.ts";
import { acts } from "./guard-stored.ts";
import { applyFilters, type StepFilter } from "./step-filter.ts";

type Step = Parameters<StepFilter>[0];
type Filters = readonly StepFilter[];

/** What guardrails make of a text or of the input of a tool; `isStopped`: the response ends before the rest. */
export type Guarded = Readonly<{ text: string; isStopped: boolean }>;

/** The texts of a response and of the messages before it, for the log. */
export type LoggedTexts = Readonly<{ prompt: JsonObject; text: string }>;

const NONE: readonly Guardrail[] = [];
const AT = { choice: 0, index: 0 } as const;
/** The end of a text. */
const END: Step = { type: "finish", choice: 0, reason: "stop", native: null };

/** What guardrails hold for what a model says in a session. They follow the settings while it lasts. */
export class SessionGuard {
  #guardrails = NONE;
  /** Those that need a complete answer, which a session never waits for: they take notes. */
  #complete = NONE;
  #request = NONE;
  /** The version of the settings from which `#guardrails` were read. */
  #version = -1;
  #log: GuardLog = emptyGuardLog();
  readonly #placeholders = new Placeholders(() => "");

  /** `caller`: the session's, with its policies of the moment. Throws GatewayError. */
  constructor(
    private readonly settings: Pick<SettingsReader, "values" | "version">,
    private readonly model: string,
    private readonly caller: () => Pick<Caller, "group" | "policies" | "token" | "user">,
  ) {}

  /** Nothing is looked for. */
  get isIdle(): boolean {
    return this.#current().length === 0;
  }

  /** Inputs of tools, and which tools are called, concern a guardrail. */
  get readsTools(): boolean {
    return this.#current().some(({ textsOnly }) => !textsOnly);
  }

  /** Filters for a text that comes in parts. */
  begin(): Filters {
    return this.#filters(this.#log);
  }

  /** A part of a text, or its end, after these filters. */
  pass(filters: Filters, part: string | null): Guarded {
    return outcomeOf(filters, [part === null ? END : { type: "text", choice: 0, text: part }]);
  }

  /** A complete text that was seen in parts before, which are in the log already. */
  text(text: string): string {
    return outcomeOf(this.#filters(null), [{ type: "text", choice: 0, text }, END]).text;
  }

  /** The complete input of a tool. `isKnown`: it is in the log already. */
  tool(name: string, input: string, isKnown = false): Guarded {
    const start: Step = { type: "tool-start", ...AT, id: "", name, kind: "function" };
    return outcomeOf(this.#filters(isKnown ? null : this.#log), [
      start,
      { type: "tool-input", ...AT, text: input },
      END,
    ]);
  }

  /** A complete value, such as what a hosted tool returned; null: the response ends before it. */
  value<Value>(value: Value): Value | null {
    const rules = new AnswerRules(this.#current(), this.#placeholders);
    const passed = rules.value(value);
    for (const [guardrail, found] of rules.found) this.#log.verdicts.push(verdictOf(guardrail, "answer", found));
    return passed;
  }

  /** Takes what was found in what the client sends: it stands in the log of the next response. */
  note(verdicts: readonly Verdict[]): void {
    this.#log.verdicts.push(...verdicts);
  }

  /** A response as the log has it: without what guardrails mask or block in texts, and with what was found since the last one. */
  toLog<Logged extends Readonly<{ content: LoggedTexts }>>(
    logged: Logged,
  ): Logged & Readonly<{ guard: GuardLog | null }> {
    this.#current();
    const { content } = logged;
    for (const guardrail of this.#complete) {
      const verdict = content.text === "" ? null : inspect(guardrail, { texts: [content.text], tools: [] }, "answer");
      if (verdict) this.#log.verdicts.push({ ...verdict, shadow: true });
    }
    const hiding = (guardrails: readonly Guardrail[]) => {
      const acting = guardrails.filter((one) => acts(one) && one.detectors.length > 0);
      return acting.length === 0 ? null : maskerOf(acting, this.#placeholders).masker;
    };
    const [request, answer] = [hiding(this.#request), hiding(this.#guardrails)];
    const hidden = {
      ...content,
      ...(request && { prompt: request.maskAll(content.prompt) }),
      ...(answer && { text: answer.mask(content.text) }),
    };
    return { ...logged, content: hidden, guard: this.#takeLog() };
  }

  #takeLog(): GuardLog | null {
    const log = this.#log;
    if (log.verdicts.length === 0 && log.heldCharacters === 0) return null;
    this.#log = emptyGuardLog();
    return log;
  }

  /** The error of a session that ends with a response that a guardrail has stopped. */
  stopError(): GatewayError {
    const last = this.#log.verdicts.findLast(({ action, shadow }) => action === "block" && !shadow);
    const guardrail = this.#current().find(({ name }) => name === last?.name);
    return guardrail && !guardrail.origin
      ? answerRefusal(guardrail)
      : new GatewayError(400, "sensitive_words_detected", { code: "gateway_sensitive" });
  }

  #filters(log: GuardLog | null): Filters {
    const guardrails = this.#current();
    const parts = { guardrails, placeholders: this.#placeholders, isJson: false, log };
    return guardrails.length === 0 ? [] : [answerFilter(parts)()];
  }

  #current(): readonly Guardrail[] {
    const { settings } = this;
    if (settings.version === this.#version) return this.#guardrails;
    this.#version = settings.version;
    const hasRules = settings.values.Guardrails.length > 0;
    const set = hasRules ? guardSetOf(settings, this.caller(), this.model) : null;
    const all = hasRules ? (set?.answer ?? NONE) : answerWordsOf(settings);
    // Nothing that a session masks is put back, so values get no names of their own.
    const unnamed = (one: Guardrail) => (one.restores ? { ...one, restores: false } : one);
    this.#guardrails = all.filter(isWhileStreaming).map(unnamed);
    this.#complete = all.filter((one) => one.judge && !isWhileStreaming(one));
    this.#request = (set?.request ?? NONE).map(unnamed);
    return this.#guardrails;
  }
}

function outcomeOf(filters: Filters, steps: readonly Step[]): Guarded {
  let text = "";
  let isStopped = false;
  for (const step of steps) {
    for (const passed of applyFilters(filters, step)) {
      if (passed.type === "text" || passed.type === "tool-input") text += passed.text;
      else if (passed.type === "finish") isStopped ||= passed.reason === "content_filter";
    }
  }
  return { text, isStopped };
}
