import type { ReplyEvent, StreamDecoder, WireEvent } from "../../conversation/reply.ts";
import { countOf, type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { decodeError } from "../error.ts";
import { endOf, startOf } from "./reply.ts";
import { StepReader } from "./step-reader.ts";
import { readUsage } from "./usage.ts";

/**
 * Reads a streamed interaction: https://ai.google.dev/gemini-api/docs/interactions/streaming
 */
export class InteractionsStreamDecoder implements StreamDecoder {
  ended = false;
  #hasFinished = false;
  readonly #reader = new StepReader();
  /** Open steps by index, and how many have been seen. */
  readonly #open = new Map<number, ReturnType<StepReader["open"]>>();
  readonly #seen = new Set<number>();

  push({ data }: WireEvent): ReplyEvent[] {
    if (data.trim() === "[DONE]") {
      this.ended = true;
      return [];
    }
    const event = recordOf(parseJson(data));
    if (!event) return [];
    const index = countOf(event.index) ?? 0;
    switch (event.event_type) {
      case "interaction.created":
        return [startOf(recordOf(event.interaction) ?? {})];
      case "step.start": {
        const open = this.#reader.open(recordOf(event.step) ?? {});
        this.#seen.add(index);
        this.#open.set(index, open);
        return open.events;
      }
      case "step.delta": {
        const open = this.#open.get(index);
        return open ? this.#reader.delta(open, recordOf(event.delta) ?? {}) : [];
      }
      case "step.stop":
        return this.#close(index);
      case "interaction.completed":
        return this.#finish(recordOf(event.interaction) ?? {});
      default: {
        // Error events, and errors without a type.
        const error = decodeError(200, event);
        if (!error || this.#hasFinished) return [];
        this.#hasFinished = this.ended = true;
        return [{ type: "error", error }];
      }
    }
  }

  end(): ReplyEvent[] {
    if (this.#hasFinished || this.#seen.size === 0) return [];
    return [...this.#closeAll(), ...endOf({}, this.#reader.calls > 0)];
  }

  #close(index: number): ReplyEvent[] {
    const open = this.#open.get(index);
    this.#open.delete(index);
    return open ? this.#reader.close(open) : [];
  }

  #closeAll = (): ReplyEvent[] => [...this.#open.keys()].flatMap((index) => this.#close(index));

  #finish(interaction: JsonObject): ReplyEvent[] {
    if (this.#hasFinished) return [];
    this.#hasFinished = true;
    const closed = this.#closeAll();
    const error = decodeError(200, interaction);
    const usage = readUsage(interaction.usage);
    if (error) return [...closed, ...(usage ? [{ type: "usage" as const, usage }] : []), { type: "error", error }];
    const missed = recordsOf(interaction.steps)
      .filter(({ type }, index) => !this.#seen.has(index) && textOf(type) !== "user_input")
      .flatMap((step) => this.#reader.readStep(step));
    return [...closed, ...missed, ...endOf(interaction, this.#reader.calls > 0)];
  }
}
