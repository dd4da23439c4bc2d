import {
  finishAfter,
  type ReplyEvent,
  type StreamDecoder,
  type Usage,
  type WireEvent,
} from "../../conversation/reply.ts";
import { readSignature } from "../../conversation/signature.ts";
import { finishReasonOf } from "../../helpers/finish-reasons.ts";
import { type JsonObject, numberOf, parseJson, recordOf, textOf } from "../../json.ts";
import { decodeError } from "../error.ts";
import { citationOf } from "../request/blocks.ts";
import { containerOf, explanationOf, partIdsOf } from "./stored-parts.ts";
import { readTier, readUsage } from "./usage.ts";

type Block = {
  kind: "text" | "thinking" | "tool" | "native";
  call: number;
  native: JsonObject | null;
  input: string;
  /** Citations of the text block that begins at `start`, sent when the block is complete. */
  cited: JsonObject[];
  start: number;
};

/** Most events are a text delta without escapes, exactly as the API writes it; these are read without parsing. */
const PLAIN_TEXT =
  /^\{"type":"content_block_delta","index":\d+,"delta":\{"type":"text_delta","text":"([^"\\]+)"\} *\}$/;

/**
 * Reads a Messages stream.
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class MessagesStreamDecoder implements StreamDecoder {
  ended = false;
  #blocks = new Map<number, Block>();
  readonly #openBlocks = new Set<number>();
  #isStarted = false;
  #isBroken = false;
  #calls = 0;
  #usage: Usage | null = null;
  #finished = false;
  #container: string | null = null;
  /** Characters of text received so far. */
  #textLength = 0;

  push({ data }: WireEvent): ReplyEvent[] {
    if (this.#isBroken) return [];
    const plain = PLAIN_TEXT.exec(data)?.[1];
    if (plain) return this.#text(plain);
    const event = recordOf(parseJson(data));
    if (!event) return [];
    switch (event.type) {
      case "message_start":
        return this.#start(recordOf(event.message) ?? {});
      case "content_block_start":
        return this.#open(numberOf(event.index) ?? 0, recordOf(event.content_block) ?? {});
      case "content_block_delta":
        return this.#delta(this.#blocks.get(numberOf(event.index) ?? 0), recordOf(event.delta) ?? {});
      case "content_block_stop":
        return this.#close(numberOf(event.index) ?? 0);
      case "message_delta":
        return this.#messageDelta(event);
      case "message_stop":
        this.ended = true;
        return [];
      case "error": {
        const error = decodeError(502, event);
        return error ? [{ type: "error", error }] : [];
      }
      default:
        return [];
    }
  }

  end(): ReplyEvent[] {
    if (this.#finished || !this.ended) return [];
    this.#finished = true;
    return [{ type: "finish", choice: 0, reason: this.#calls > 0 ? "tool_calls" : "stop", native: null }];
  }

  #start(message: JsonObject): ReplyEvent[] {
    if (this.#isStarted) return this.#restart(message);
    this.#isStarted = true;
    this.#container = containerOf(message);
    const id = textOf(message.id) ?? "";
    const model = textOf(message.model) ?? "";
    const start: ReplyEvent = { type: "start", id, model, createdAt: null, ...readTier(message.usage) };
    return [start, ...this.#note(message.usage)];
  }

  /**
   * Handles a second `message_start` in one stream: harmless between blocks; inside a block, the interrupted block can
   * no longer be completed.
   */
  #restart(message: JsonObject): ReplyEvent[] {
    if (this.#openBlocks.size === 0) return this.#note(message.usage);
    this.ended = true;
    this.#isBroken = true;
    this.#finished = true;
    const broken = "The upstream began another message inside a block of its answer.";
    return [{ type: "error", error: { status: 502, type: "api_error", code: null, message: broken, param: null } }];
  }

  #note(reported: unknown): ReplyEvent[] {
    this.#usage = readUsage(reported, this.#usage);
    return this.#usage ? [{ type: "usage", usage: this.#usage, ...readTier(reported) }] : [];
  }

  #text(text: string): ReplyEvent[] {
    this.#textLength += text.length;
    return [{ type: "text", choice: 0, text }];
  }

  #open(index: number, content: JsonObject): ReplyEvent[] {
    const block: Block = { kind: "native", call: -1, native: null, input: "", cited: [], start: this.#textLength };
    this.#blocks.set(index, block);
    this.#openBlocks.add(index);
    switch (content.type) {
      case "text": {
        block.kind = "text";
        const text = textOf(content.text);
        return text ? this.#text(text) : [];
      }
      case "thinking": {
        block.kind = "thinking";
        const text = textOf(content.thinking);
        return text ? [{ type: "reasoning", choice: 0, text }] : [];
      }
      case "redacted_thinking": {
        const signature = readSignature(textOf(content.data) ?? "", "anthropic");
        return [{ type: "signature", choice: 0, signature, encrypted: true }];
      }
      case "tool_use": {
        // A client cannot run a call without a name.
        if (!textOf(content.name)) return [];
        block.kind = "tool";
        block.call = this.#calls++;
        const input = recordOf(content.input);
        const inputJson = input && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
        const id = textOf(content.id) ?? "";
        const name = textOf(content.name) ?? "";
        const start: ReplyEvent = { type: "tool-start", choice: 0, index: block.call, id, name, kind: "function" };
        return inputJson === ""
          ? [start]
          : [start, { type: "tool-input", choice: 0, index: block.call, text: inputJson }];
      }
      default:
        block.native = content;
        return [];
    }
  }

  #delta(block: Block | undefined, delta: JsonObject): ReplyEvent[] {
    switch (delta.type) {
      case "text_delta": {
        const text = textOf(delta.text);
        return text ? this.#text(text) : [];
      }
      case "thinking_delta": {
        const text = textOf(delta.thinking);
        return text ? [{ type: "reasoning", choice: 0, text }] : [];
      }
      case "signature_delta": {
        const value = textOf(delta.signature);
        return value ? [{ type: "signature", choice: 0, signature: readSignature(value, "anthropic") }] : [];
      }
      case "input_json_delta": {
        const text = textOf(delta.partial_json) ?? "";
        if (block?.kind === "native") block.input += text;
        return block?.kind === "tool" && text !== ""
          ? [{ type: "tool-input", choice: 0, index: block.call, text }]
          : [];
      }
      case "citations_delta": {
        const citation = recordOf(delta.citation);
        if (citation) block?.cited.push(citation);
        return [];
      }
      default:
        return [];
    }
  }

  /** Ends a block. Blocks of server tools, and the citations of a text, are sent once the block is complete. */
  #close(index: number): ReplyEvent[] {
    this.#openBlocks.delete(index);
    const block = this.#blocks.get(index);
    if (!block?.native) {
      const place = { start: block?.start ?? 0, end: this.#textLength };
      const cited = block?.cited ?? [];
      return cited.map((one) => ({ type: "citation", choice: 0, citation: { ...citationOf(one), ...place } }));
    }
    const input = block.input === "" ? null : { input: parseJson(block.input) ?? {} };
    const value: JsonObject = { ...block.native, ...input };
    return [{ type: "native", choice: 0, dialect: "anthropic", name: textOf(value.type) ?? "block", value }];
  }

  #messageDelta(event: JsonObject): ReplyEvent[] {
    const delta = recordOf(event.delta) ?? {};
    const native = textOf(delta.stop_reason);
    const stopSequence = textOf(delta.stop_sequence);
    const steps = this.#note(event.usage);
    if (native === null || this.#finished) return steps;
    this.#finished = true;
    const reason = finishAfter(finishReasonOf("anthropic", native), this.#calls);
    const more = {
      ...(stopSequence !== null && { stopSequence }),
      ...partIdsOf(containerOf(delta) ?? this.#container),
      ...explanationOf(delta),
    };
    return [...steps, { type: "finish", choice: 0, reason, native, ...more }];
  }
}
