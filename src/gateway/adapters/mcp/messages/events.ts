import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import type { EventText } from "../../../../lib/http/sse.ts";
import type { McpEvents } from "../turn.ts";
import type { MessagesTurn } from "./turn.ts";

/**
 * The streams of all rounds as one stream of Messages: one message whose blocks are numbered on. Source:
 * https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class MessagesEvents implements McpEvents {
  #hasBegun = false;
  /** The current round's message so far. */
  #message: JsonObject = {};
  #blocks: JsonObject[] = [];
  /** The JSON text of the inputs of calls, by the index of their block. */
  readonly #inputs = new Map<number, string>();
  #isComplete = false;

  constructor(private readonly turn: MessagesTurn) {}

  push({ data }: EventText): string {
    const event = recordOf(parseJson(data));
    const index = numberOf(event?.index) ?? 0;
    // The blocks of this round follow those of the rounds before.
    const at = this.turn.content.length + index;
    switch (event?.type) {
      case "message_start":
        return this.#begin(event);
      case "content_block_start": {
        const block = recordOf(event.content_block) ?? {};
        this.#blocks[index] = { ...block };
        return write({ ...event, index: at, content_block: this.turn.clientBlock(block) });
      }
      case "content_block_delta":
        this.#add(index, recordOf(event.delta) ?? {});
        return write({ ...event, index: at });
      case "content_block_stop": {
        const input = this.#inputs.get(index);
        if (input !== undefined) this.#blocks[index] = { ...this.#blocks[index], input: parseJson(input) ?? {} };
        return write({ ...event, index: at });
      }
      case "message_delta": {
        const usage = { ...recordOf(this.#message.usage), ...recordOf(event.usage) };
        this.#message = { ...this.#message, ...recordOf(event.delta), usage };
        this.#isComplete = true;
        return "";
      }
      case "message_stop":
        return "";
      default:
        return event ? write(event) : "";
    }
  }

  takeResponse(): JsonObject | null {
    const message = this.#isComplete ? { ...this.#message, content: this.#blocks } : null;
    this.#isComplete = false;
    this.#blocks = [];
    this.#inputs.clear();
    this.#shown = this.turn.content.length + (message?.content.length ?? 0);
    return message;
  }

  /** How many blocks the client has. */
  #shown = 0;

  results(): string {
    const added = this.turn.content.slice(this.#shown);
    const text = added.map((block, at) => {
      const index = this.#shown + at;
      const start = write({ type: "content_block_start", index, content_block: block });
      return start + write({ type: "content_block_stop", index });
    });
    return text.join("");
  }

  end(): string {
    const { stop_reason: reason, stop_sequence: sequence, usage } = this.turn.response();
    const delta = { stop_reason: reason, stop_sequence: sequence ?? null };
    return write({ type: "message_delta", delta, usage }) + write({ type: "message_stop" });
  }

  fail(body: JsonObject): string {
    return write({ type: "error", ...body });
  }

  #begin(event: JsonObject): string {
    this.#message = recordOf(event.message) ?? {};
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    this.turn.began(this.#message);
    return write(event);
  }

  #add(index: number, delta: JsonObject): void {
    const block = this.#blocks[index] ?? {};
    switch (delta.type) {
      case "text_delta":
        block.text = `${textOf(block.text) ?? ""}${textOf(delta.text) ?? ""}`;
        break;
      case "thinking_delta":
        block.thinking = `${textOf(block.thinking) ?? ""}${textOf(delta.thinking) ?? ""}`;
        break;
      case "signature_delta":
        block.signature = `${textOf(block.signature) ?? ""}${textOf(delta.signature) ?? ""}`;
        break;
      case "citations_delta":
        block.citations = [...recordsOf(block.citations), recordOf(delta.citation) ?? {}];
        break;
      case "input_json_delta":
        this.#inputs.set(index, `${this.#inputs.get(index) ?? ""}${textOf(delta.partial_json) ?? ""}`);
        break;
    }
    this.#blocks[index] = block;
  }
}

const write = (data: JsonObject): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
