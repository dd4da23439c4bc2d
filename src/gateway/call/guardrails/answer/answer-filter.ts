import type { Complete, Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import { jsonIn } from "../../../../domain/models/guardrails/map-texts.ts";
import type { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import type { ReplyEvent } from "../../../../formats/conversation/reply.ts";
import type { GuardLog } from "../call-guard.ts";
import { refusalStep } from "../refusals.ts";
import { AnswerRules, AnswerText } from "./answer-text.ts";
import type { StepFilter } from "./step-filter.ts";

/** What the filter of an answer works with. */
export type AnswerFilterParts = Readonly<{
  guardrails: readonly Guardrail[];
  placeholders: Placeholders;
  /** Texts of the answer are JSON documents. */
  isJson: boolean;
  /** Takes what was found; null: nobody wants it. */
  log: GuardLog | null;
  /** It takes notes of an answer that passes as it came: none of the guardrails acts. A function: it takes the texts of each choice. */
  observes?: true | ((texts: readonly string[]) => void);
}>;

type Step<T extends ReplyEvent["type"]> = Extract<ReplyEvent, { type: T }>;
type TextStep = Step<"text" | "refusal" | "reasoning">;

/** A call of a tool whose input is not complete. */
type OpenTool = { start: Step<"tool-start">; input: string };

/** One choice of an answer. */
type Choice = {
  content: string;
  like: TextStep | null;
  text: AnswerText | null;
  masksReasoning: boolean;
  tools: Map<number, OpenTool>;
  /** The transcript of its audio, which comes in parts next to the audio, and the part that came last. */
  transcript: Readonly<{ text: AnswerText; last: Step<"media"> }> | null;
  /** Its texts by what they are, where somebody takes them. */
  texts: Map<string, string>;
};

/**
 * The filter of an answer: masks and restores texts while they stream, inputs of tools when they are complete, or ends the answer at
 * what is forbidden.
 */
export const answerFilter = (parts: AnswerFilterParts) => (): StepFilter => {
  const filter = new AnswerFilter(parts);
  return (step) => {
    const passed = filter.take(step);
    return parts.observes ? [step] : passed;
  };
};

/** The kinds that need the complete answer. */
const OF_COMPLETE: ReadonlySet<string> = new Set(["language", "json", "service"]);

/** Whether a guardrail decides while an answer streams. */
export const isWhileStreaming = ({ kind }: Guardrail): boolean => !OF_COMPLETE.has(kind);

/** Adds a piece of a text to what a choice says. */
function collectText(step: Extract<ReplyEvent, { text: string }>, { texts }: Choice): void {
  const name = step.type === "tool-input" ? `${step.type} ${step.index}` : step.type;
  texts.set(name, (texts.get(name) ?? "") + step.text);
}

class AnswerFilter {
  readonly #rules: AnswerRules;
  readonly #choices = new Map<number, Choice>();
  readonly #ended = new Set<number>();
  readonly #judges: readonly Guardrail[];
  /** Those that need the complete answer; empty unless it only takes notes. */
  readonly #complete: readonly Guardrail[];
  /** What the log has, by guardrail. */
  readonly #noted = new Map<Guardrail, Record<string, number>>();
  #characters = 0;

  constructor(private readonly parts: AnswerFilterParts) {
    this.#rules = new AnswerRules(parts.guardrails, parts.placeholders);
    this.#complete = parts.observes ? parts.guardrails.filter((one) => !isWhileStreaming(one)) : [];
    this.#judges = parts.guardrails.filter(({ judge, kind }) => judge && (kind === "tools" || kind === "size"));
  }

  /** What the client gets for an event. */
  take(step: ReplyEvent): readonly ReplyEvent[] {
    if (!("choice" in step)) return [step];
    if (this.#ended.has(step.choice)) return [];
    const choice = this.#choiceOf(step.choice);
    const { observes } = this.parts;
    if (typeof observes === "function") {
      if (step.type === "finish") observes([...choice.texts.values()]);
      else if ("text" in step) collectText(step, choice);
    }
    const passed = this.#pass(step, choice);
    const { blockedBy } = this.#rules;
    if (step.type === "finish") this.#judgeComplete(choice);
    this.#note();
    if ((step.type === "finish" || blockedBy) && choice.text) this.#noteHold(choice.text);
    if (!blockedBy) return passed;
    this.#ended.add(step.choice);
    this.#rules.blockedBy = null;
    const isToolCall = (one: ReplyEvent) => one.type === "tool-start" || one.type === "tool-input";
    return [...passed.filter((one) => one.type !== "finish" && !isToolCall(one)), refusalStep(step.choice, blockedBy)];
  }

  #pass(step: Step<Exclude<ReplyEvent["type"], "start" | "usage" | "error">>, choice: Choice): ReplyEvent[] {
    switch (step.type) {
      case "text":
        // Log probabilities contain what is to be masked.
        return this.#text({ type: "text", choice: step.choice, text: step.text }, choice);
      case "refusal":
      case "reasoning":
        return this.#text(step, choice);
      case "signature": {
        const rest = this.#release(choice);
        // It covers the reasoning as it was.
        const isVoid = choice.masksReasoning;
        choice.masksReasoning = false;
        return isVoid ? rest : [...rest, step];
      }
      case "withdrawal":
        choice.like = null;
        choice.text = null;
        choice.tools.clear();
        choice.texts.clear();
        return [step];
      case "tool-start":
        return this.#toolStart(step, choice);
      case "tool-input":
        return this.#toolInput(step, choice);
      case "finish":
        return [...this.#release(choice), ...this.#endTranscript(choice), ...this.#closeTools(choice, true), step];
      default:
        return this.#other(step, choice);
    }
  }

  #choiceOf(index: number): Choice {
    const known = this.#choices.get(index);
    if (known) return known;
    const made: Choice = {
      content: "",
      like: null,
      text: null,
      masksReasoning: false,
      tools: new Map(),
      transcript: null,
      texts: new Map(),
    };
    this.#choices.set(index, made);
    return made;
  }

  #text(step: TextStep, choice: Choice): ReplyEvent[] {
    const before = [...this.#closeTools(choice, false)];
    const { like } = choice;
    if (
      like?.type !== step.type ||
      (like.type === "reasoning" && step.type === "reasoning" && like.summary !== step.summary)
    )
      before.push(...this.#release(choice));
    choice.text ??= new AnswerText(this.#rules, this.parts.placeholders, this.parts.isJson && step.type === "text");
    choice.like = step;
    this.#characters += step.text.length;
    if (this.#complete.length > 0 && step.type === "text") choice.content += step.text;
    this.#judge("size", () => ({ texts: [" ".repeat(this.#characters)], tools: [] }));
    const text = choice.text.push(step.text);
    if (step.type === "reasoning" && choice.text.isMasked) choice.masksReasoning = true;
    return text === "" ? before : [...before, { ...step, text }];
  }

  /** The text that was held back, when something else follows. */
  #release(choice: Choice): ReplyEvent[] {
    const { like, text } = choice;
    if (!like || !text) return [];
    const rest = text.end();
    this.#noteHold(text);
    if (like.type === "reasoning" && text.isMasked) choice.masksReasoning = true;
    choice.like = null;
    choice.text = null;
    return rest === "" ? [] : [{ ...like, text: rest }];
  }

  #toolStart(step: Step<"tool-start">, choice: Choice): ReplyEvent[] {
    this.#judge("tools", () => ({ texts: [], tools: [step.name] }));
    const before = [...this.#release(choice), ...this.#closeTools(choice, false)];
    if (this.#rules.leavesTools && choice.tools.size === 0) return [...before, step];
    choice.tools.set(step.index, { start: step, input: "" });
    return before;
  }

  #toolInput(step: Step<"tool-input">, choice: Choice): ReplyEvent[] {
    const open = choice.tools.get(step.index);
    if (!open) return [...this.#release(choice), step];
    open.input += step.text;
    return [];
  }

  /** The calls of tools whose inputs are complete. `isOver`: all of them are, even if they were cut. */
  #closeTools(choice: Choice, isOver: boolean): ReplyEvent[] {
    const events: ReplyEvent[] = [];
    for (const [index, { start, input }] of choice.tools) {
      if (!isOver && (start.kind === "custom" || jsonIn(input) === undefined)) continue;
      choice.tools.delete(index);
      const text = this.#rules.text(input);
      if (text === null) return events;
      events.push(start);
      if (text !== "") events.push({ type: "tool-input", choice: start.choice, index, text });
    }
    return events;
  }

  /** Media, citations, and parts of one format alone. */
  #other(step: Step<"media" | "citation" | "native">, choice: Choice): ReplyEvent[] {
    const before = [...this.#release(choice), ...this.#closeTools(choice, false)];
    if (step.type === "media" && step.transcript !== undefined) return [...before, ...this.#audio(step, choice)];
    if (this.#rules.leavesTools) return [...before, step];
    const passed = this.#rules.value(step);
    return passed ? [...before, passed] : before;
  }

  #audio({ transcript: piece = "", ...audio }: Step<"media">, choice: Choice): ReplyEvent[] {
    const text = choice.transcript?.text ?? new AnswerText(this.#rules, this.parts.placeholders, false);
    choice.transcript = { text, last: audio };
    const shown = text.push(piece);
    return [shown === "" ? audio : { ...audio, transcript: shown }];
  }

  /** The rest of a transcript. */
  #endTranscript(choice: Choice): ReplyEvent[] {
    if (!choice.transcript) return [];
    const { text, last } = choice.transcript;
    choice.transcript = null;
    const rest = text.end();
    this.#noteHold(text);
    return rest === ""
      ? []
      : [{ ...last, source: { kind: "base64", mediaType: "audio/pcm", data: "" }, transcript: rest }];
  }

  #judge(kind: string, read: () => Complete): void {
    for (const guardrail of this.#judges) {
      if (guardrail.kind !== kind || this.#rules.found.has(guardrail) || this.#noted.has(guardrail)) continue;
      const reason = guardrail.judge?.(read());
      if (reason == null) continue;
      this.#rules.note(guardrail, kind === "tools" ? reason.slice(0, 64) : reason);
      if (!guardrail.isShadow && guardrail.action === "block") this.#rules.blockedBy = guardrail;
    }
  }

  /** What is found in all that a choice says, where nothing waits for it. */
  #judgeComplete({ content }: Choice): void {
    for (const guardrail of this.#complete) {
      const reason = content === "" ? null : guardrail.judge?.({ texts: [content], tools: [] });
      if (reason != null) this.#rules.note(guardrail, reason);
    }
  }

  /** Writes what was found into the log of the call, at once: a stream may end at any time. */
  #note(): void {
    const { log } = this.parts;
    const { found } = this.#rules;
    if (found.size === 0 || !log) return;
    for (const [guardrail, counts] of found) {
      const noted = this.#noted.get(guardrail) ?? {};
      if (!this.#noted.has(guardrail)) log.verdicts.push(verdictOf(guardrail, "answer", noted));
      this.#noted.set(guardrail, noted);
      for (const [type, count] of Object.entries(counts)) noted[type] = (noted[type] ?? 0) + count;
    }
    found.clear();
  }

  #noteHold({ longestHold }: AnswerText): void {
    const { log, observes } = this.parts;
    if (log && !observes) log.heldCharacters = Math.max(log.heldCharacters, longestHold);
  }
}
