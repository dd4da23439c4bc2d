import type { ReplyEvent, StreamDecoder, WireEvent } from "../../conversation/reply.ts";
import { urlCitationOf } from "../../conversation/url-citation.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { readUsage } from "../../openai-chat/response/usage.ts";
import { decodeError } from "../error.ts";
import { callStart, endOf, itemSteps, signatureSteps, startOf, tierOf } from "./reply.ts";

/**
 * Reads a Responses stream. Items may interleave, so state is stored by output index. Source:
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  ended = false;
  /** Number of the call by output index. */
  #calls = new Map<number, number>();
  /** Output indexes whose input or reasoning has streamed in deltas. */
  #streamed = new Set<number>();
  /** Output indexes that are complete. */
  #finished = new Set<number>();
  #failed = false;
  /** Characters of text so far, and where the text of each output index begins. */
  #textLength = 0;
  #starts = new Map<number, number>();

  push({ data }: WireEvent): ReplyEvent[] {
    const event = recordOf(parseJson(data));
    if (!event) return [];
    const index = numberOf(event.output_index) ?? 0;
    const text = textOf(event.delta) ?? "";
    switch (event.type) {
      case "response.created":
        return [startOf(recordOf(event.response) ?? {})];
      case "response.output_item.added":
        return this.#added(index, recordOf(event.item) ?? {});
      case "response.output_text.delta": {
        this.#streamed.add(index);
        if (!this.#starts.has(index)) this.#starts.set(index, this.#textLength);
        this.#textLength += text.length;
        const logprobs = Array.isArray(event.logprobs) && event.logprobs.length > 0 ? event.logprobs : null;
        return text === "" ? [] : [{ type: "text", choice: 0, text, ...(logprobs && { logprobs }) }];
      }
      case "response.refusal.delta":
        this.#streamed.add(index);
        return [{ type: "refusal", choice: 0, text }];
      case "response.reasoning_text.delta":
        this.#streamed.add(index);
        return [{ type: "reasoning", choice: 0, text }];
      case "response.reasoning_summary_part.added":
        return numberOf(event.summary_index) ? [{ type: "reasoning", choice: 0, text: "\n\n", summary: true }] : [];
      case "response.reasoning_summary_text.delta":
        this.#streamed.add(index);
        return [{ type: "reasoning", choice: 0, text, summary: true }];
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta": {
        const call = this.#calls.get(index);
        if (call !== undefined) this.#streamed.add(index);
        return call === undefined || text === "" ? [] : [{ type: "tool-input", choice: 0, index: call, text }];
      }
      case "response.output_text.annotation.added": {
        const annotation = recordOf(event.annotation);
        const base = this.#starts.get(index) ?? this.#textLength;
        return annotation
          ? [{ type: "citation", choice: 0, citation: urlCitationOf(annotation, base, "openai-responses") }]
          : [];
      }
      case "response.output_item.done":
        return this.#done(index, recordOf(event.item) ?? {});
      case "response.completed":
      case "response.incomplete":
      // The realtime API's name for the end of a response.
      case "response.done":
        return this.#end(recordOf(event.response) ?? {});
      case "response.failed":
      case "error":
        return this.#fail(event);
      default:
        return [];
    }
  }

  end(): ReplyEvent[] {
    return [];
  }

  #added(index: number, item: JsonObject): ReplyEvent[] {
    if (item.type !== "function_call" && item.type !== "custom_tool_call") return [];
    // The name may arrive at the end; a client cannot run a call without one.
    if (this.#calls.has(index) || !textOf(item.name)) return [];
    const call = this.#calls.size;
    this.#calls.set(index, call);
    return [callStart(item, call)];
  }

  /** Ends an item: emits its content unless deltas already did. */
  #done(index: number, item: JsonObject): ReplyEvent[] {
    if (this.#finished.has(index)) return [];
    this.#finished.add(index);
    const isStreamed = this.#streamed.has(index);
    switch (item.type) {
      case "reasoning":
        return isStreamed ? signatureSteps(item) : itemSteps(item, 0, 0);
      case "function_call":
      case "custom_tool_call": {
        const begun = this.#added(index, item);
        if (!this.#calls.has(index)) return [];
        const steps = itemSteps(item, this.#calls.get(index) ?? 0, 0).filter(({ type }) => type === "tool-input");
        return isStreamed ? begun : [...begun, ...steps];
      }
      default: {
        const steps = isStreamed ? [] : itemSteps(item, 0, this.#textLength);
        for (const step of steps) if (step.type === "text") this.#textLength += step.text.length;
        return steps;
      }
    }
  }

  /** Some services omit item events: the final event has all items. */
  #end(response: JsonObject): ReplyEvent[] {
    if (response.status === "failed") return this.#fail({ type: "response.failed", response });
    this.ended = true;
    const missed = recordsOf(response.output).flatMap((item, index) => this.#done(index, item));
    return [...missed, ...endOf(response, this.#calls.size > 0)];
  }

  #fail(event: JsonObject): ReplyEvent[] {
    this.ended = true;
    const error = decodeError(200, event);
    if (this.#failed || !error) return [];
    this.#failed = true;
    const usage = readUsage(recordOf(event.response)?.usage);
    return [
      ...(usage ? [{ type: "usage" as const, usage, ...tierOf(recordOf(event.response) ?? {}) }] : []),
      { type: "error", error },
    ];
  }
}
