import type { Signature } from "../../conversation/conversation.ts";
import type { ReplyEvent } from "../../conversation/reply.ts";
import { urlCitationOf } from "../../conversation/url-citation.ts";
import { mediaOf } from "../../helpers/media-text.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../json.ts";
import { INTERACTIONS, readContent, readThought } from "../steps.ts";

/** A step that is being streamed. */
type OpenStep = { step: JsonObject; call: number | null; hasInput: boolean; textStart: number };

/** Reads the steps of one interaction as events, complete or by their deltas. */
export class StepReader {
  /** Calls of functions so far. */
  calls = 0;
  #textLength = 0;
  /** Signatures of calls that follow, by call id. */
  readonly #signatures = new Map<string, Signature>();

  /** A complete step. */
  readStep(step: JsonObject): ReplyEvent[] {
    const open = this.open(step);
    return [...open.events, ...this.close(open)];
  }

  /** A step begins, perhaps with content. */
  open(step: JsonObject): OpenStep & { events: ReplyEvent[] } {
    const open = { step, call: null as number | null, hasInput: false, textStart: this.#textLength };
    switch (step.type) {
      case "model_output":
        return { ...open, events: recordsOf(step.content).flatMap((content) => this.#content(content, open)) };
      case "thought":
        return { ...open, events: recordsOf(step.summary).flatMap(reasoningOf) };
      case "function_call": {
        const id = textOf(step.id) ?? "";
        const signature = this.#signatures.get(id);
        open.call = this.calls++;
        const named = { id, name: textOf(step.name) ?? "", kind: "function" as const };
        const start = { type: "tool-start" as const, choice: 0, index: open.call, ...named };
        return { ...open, events: [signature ? { ...start, signature } : start] };
      }
      default:
        return { ...open, events: [] };
    }
  }

  /** A delta of an open step, which it changes. */
  delta(open: OpenStep, delta: JsonObject): ReplyEvent[] {
    switch (delta.type) {
      case "arguments_delta": {
        const text = textOf(delta.arguments) ?? "";
        if (open.call === null || text === "") return [];
        open.hasInput = true;
        return [{ type: "tool-input", choice: 0, index: open.call, text }];
      }
      case "thought_summary":
        return reasoningOf(recordOf(delta.content) ?? {});
      case "thought_signature":
        open.step = { ...open.step, signature: delta.signature };
        return [];
      case "text_annotation_delta":
      case "text_annotation":
        return recordsOf(delta.annotations).map((annotation) => this.#citation(annotation, open.textStart));
      default:
        if (open.step.type === "model_output") return this.#content(delta, open);
        // Steps of Google's own tools are shown complete.
        open.step = { ...open.step, ...delta, type: open.step.type };
        return [];
    }
  }

  /** A step ends. */
  close({ step, call, hasInput }: OpenStep): ReplyEvent[] {
    if (call !== null) {
      const text = JSON.stringify(step.arguments ?? {});
      return hasInput ? [] : [{ type: "tool-input", choice: 0, index: call, text }];
    }
    if (step.type === "thought") return this.#signature(step);
    if (step.type === "model_output") return [];
    return [{ type: "native", choice: 0, dialect: INTERACTIONS, name: textOf(step.type) ?? "step", value: step }];
  }

  #signature(step: JsonObject): ReplyEvent[] {
    const read = readThought(step);
    if ("callId" in read) {
      this.#signatures.set(read.callId, read.signature);
      return [];
    }
    const { signature, encrypted } = read.part;
    if (!signature) return [];
    // Whether the thought is hidden shows in the steps as they were sent, not in what remains of them here.
    const isHidden = encrypted === true && signature.dialect !== INTERACTIONS;
    return [{ type: "signature", choice: 0, signature, ...(isHidden && { encrypted: true }) }];
  }

  #content(content: JsonObject, { textStart }: OpenStep): ReplyEvent[] {
    switch (content.type) {
      case "text": {
        const text = textOf(content.text) ?? "";
        this.#textLength += text.length;
        const citations = recordsOf(content.annotations).map((annotation) => this.#citation(annotation, textStart));
        return [...(text === "" ? [] : [{ type: "text" as const, choice: 0, text }]), ...citations];
      }
      case "image":
      case "audio":
      case "video":
      case "document": {
        const part = readContent(content);
        const isThere = textOf(content.data) !== null || textOf(content.uri) !== null;
        const media = isThere && part ? mediaOf(part) : null;
        if (media) return [{ type: "media", choice: 0, ...media }];
        break;
      }
    }
    const value = { type: "model_output", content: [content] };
    return [{ type: "native", choice: 0, dialect: INTERACTIONS, name: textOf(content.type) ?? "content", value }];
  }

  #citation = (annotation: JsonObject, base: number): ReplyEvent => ({
    type: "citation",
    choice: 0,
    citation: urlCitationOf(annotation, base, INTERACTIONS),
  });
}

function reasoningOf(content: JsonObject): ReplyEvent[] {
  const text = textOf(content.text) ?? "";
  return text === "" ? [] : [{ type: "reasoning", choice: 0, text, summary: true }];
}
