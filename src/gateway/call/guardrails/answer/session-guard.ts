import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { Caller } from "../../caller.ts";
import { GatewayError } from "../../errors.ts";
import { emptyGuardLog, type GuardLog } from "../call-guard.ts";
import { answerWordsOf, guardSetOf } from "../guard-set.ts";
import { answerRefusal } from "../refusals.ts";
import { answerFilter, isWhileStreaming } from "./answer-filter.ts";
import { applyFilters, type StepFilter } from "./step-filter.ts";

type Step = Parameters<StepFilter>[0];
type Filters = readonly StepFilter[];

/** What guardrails make of a text or of the input of a tool; `isStopped`: the response ends before the rest. */
export type Guarded = Readonly<{ text: string; isStopped: boolean }>;

const NONE: readonly Guardrail[] = [];
const AT = { choice: 0, index: 0 } as const;
/** The end of a text. */
const END: Step = { type: "finish", choice: 0, reason: "stop", native: null };

/** What guardrails hold for what a model says in a session. They follow the settings while it lasts. */
export class SessionGuard {
  #guardrails = NONE;
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

  /** What was found since the last time, for the log of a response; null: nothing. */
  takeLog(): GuardLog | null {
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
    const all = hasRules ? (guardSetOf(settings, this.caller(), this.model)?.answer ?? NONE) : answerWordsOf(settings);
    // Nothing that a session masks is put back, so values get no names of their own.
    this.#guardrails = all.filter(isWhileStreaming).map((one) => (one.restores ? { ...one, restores: false } : one));
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
