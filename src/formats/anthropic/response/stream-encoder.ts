import type { Citation } from "../../conversation/conversation.ts";
import {
  NO_USAGE,
  type Processing,
  type ReplyContext,
  type ReplyEvent,
  type StreamEncoder,
  type Usage,
} from "../../conversation/reply.ts";
import { carryCallId, carrySignature } from "../../conversation/signature.ts";
import { mediaText } from "../../helpers/media-text.ts";
import { type JsonObject, parseJson, recordOf } from "../../json.ts";
import { searchedIn } from "../../tools/web-search.ts";
import { encodeError } from "../error.ts";
import { searchBlocks, thinkingBlock } from "../request/blocks.ts";
import { ToolInput } from "../request/tool-input.ts";
import { citationBlock, messageId, stopDetails, stopReason } from "./reply.ts";
import { usageObject } from "./usage.ts";

type Finish = Extract<ReplyEvent, { type: "finish" }>;

const write = (data: JsonObject & { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Writes a Messages stream: one block at a time, each opened and closed, indexes from 0.
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class MessagesStreamEncoder implements StreamEncoder {
  #begun = false;
  #id = "";
  #usage: Usage | null = null;
  /** In OpenAI's terms. */
  #serviceTier: string | null = null;
  /** Speed and region, where the upstream is Anthropic's too. */
  #processing: Processing = {};
  #index = -1;
  /** The content of the open block; a number is the index of a tool call. */
  #open: "text" | "thinking" | number | null = null;
  /** The input written so far for the open call. */
  #input = "";
  #toolInput: ToolInput | null = null;
  #signed = false;
  /** Citations that arrived before a text block. */
  #cited: Citation[] = [];
  #finish: Finish | null = null;
  /** Number of queries of another provider's web search. */
  #searches = 0;
  /** Input of calls whose block is not open yet, written when their turn comes. */
  #waiting = new Map<number, { start: Extract<ReplyEvent, { type: "tool-start" }>; input: string }>();

  constructor(private readonly context: ReplyContext) {}

  push(step: ReplyEvent): string {
    switch (step.type) {
      case "start":
        this.#id = step.id;
        this.#serviceTier = step.serviceTier ?? null;
        this.#note(step);
        return "";
      case "usage":
        this.#usage = step.usage;
        this.#serviceTier = step.serviceTier ?? this.#serviceTier;
        this.#note(step);
        return "";
      case "error":
        return write(encodeError(step.error, this.context.requestId) as JsonObject & { type: string });
      default:
        // A message has one choice; further choices are ignored.
        return step.choice === 0 ? this.#begin() + this.#content(step) : "";
    }
  }

  end(usage: Usage): string {
    const { reason = "stop", native = null, stopSequence = null, message } = this.#finish ?? {};
    const details = stopDetails({ reason, ...(message !== undefined && { message }) });
    const delta = {
      stop_reason: stopReason({ reason, native, stopSequence }),
      stop_sequence: stopSequence,
      ...(details && { stop_details: details }),
    };
    return (
      this.#begin() +
      this.#close() +
      this.#flush() +
      write({
        type: "message_delta",
        delta,
        usage: usageObject(usage, this.#serviceTier, this.#searches, this.#processing),
      }) +
      write({ type: "message_stop" })
    );
  }

  #note({ speed, inferenceGeo }: Processing): void {
    if (speed !== undefined) this.#processing.speed = speed;
    if (inferenceGeo !== undefined) this.#processing.inferenceGeo = inferenceGeo;
  }

  #begin(): string {
    if (this.#begun) return "";
    this.#begun = true;
    const message = {
      id: messageId(this.#id, this.context),
      type: "message",
      role: "assistant",
      model: this.context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageObject(this.#usage ?? NO_USAGE, this.#serviceTier, 0, this.#processing), output_tokens: 0 },
    };
    return write({ type: "message_start", message });
  }

  #content(step: Exclude<ReplyEvent, { type: "start" | "usage" | "error" }>): string {
    switch (step.type) {
      case "text":
      case "refusal":
        return this.#text(step.text);
      case "reasoning":
        return (
          (this.#signed ? this.#close() : "") +
          this.#enter("thinking", { type: "thinking", thinking: "", signature: "" }) +
          this.#delta({ type: "thinking_delta", thinking: step.text })
        );
      case "signature":
        return step.encrypted
          ? this.#completeBlock(thinkingBlock("", step.signature, true))
          : this.#sign(step.signature);
      case "tool-start":
        return this.#beginCall(step);
      case "tool-input": {
        const waiting = this.#waiting.get(step.index);
        if (this.#open === step.index) return this.#addInput(step.text);
        if (waiting) waiting.input += step.text;
        return "";
      }
      case "citation":
        this.#cited.push(step.citation);
        return this.#open === "text" ? this.#cite() : "";
      case "native":
        return step.dialect === "anthropic" ? this.#completeBlock(step.value) : this.#searched(step);
      case "withdrawal":
        return "";
      case "finish":
        this.#finish = step;
        return this.#cite() + this.#close() + this.#flush();
      case "media":
        return this.#text(mediaText(step));
    }
  }

  #text(text: string): string {
    if (text === "") return "";
    return this.#cite(true) + this.#delta({ type: "text_delta", text });
  }

  /** Writes pending citations in a text block; opens one if needed. */
  #cite(opens = this.#cited.length > 0): string {
    if (!opens) return "";
    const block = this.#enter("text", { type: "text", text: "" });
    const cited = this.#cited.splice(0);
    return block + cited.map((one) => this.#delta({ type: "citations_delta", citation: citationBlock(one) })).join("");
  }

  /**
   * Opens the block of a call. Only one block is open at a time, so a call that begins before the previous one is
   * complete waits.
   */
  #beginCall(start: Extract<ReplyEvent, { type: "tool-start" }>): string {
    const complete = this.#waiting.size === 0 && recordOf(parseJson(this.#input)) !== null;
    if (typeof this.#open !== "number" || complete) return this.#startCall(start);
    this.#waiting.set(start.index, { start, input: "" });
    return "";
  }

  #addInput(text: string): string {
    this.#input += text;
    return this.#inputDelta(this.#toolInput?.push(text) ?? "");
  }

  #inputDelta = (json: string): string =>
    json === "" ? "" : this.#delta({ type: "input_json_delta", partial_json: json });

  #startCall(step: Extract<ReplyEvent, { type: "tool-start" }>): string {
    const signature = step.signature
      ? this.#close() +
        this.#enter("thinking", { type: "thinking", thinking: "", signature: "" }) +
        this.#sign(step.signature)
      : "";
    const block = { type: "tool_use", id: carryCallId(step.id), name: step.name, input: {} };
    const opened = signature + this.#close() + this.#enter(step.index, block);
    this.#input = "";
    this.#toolInput = new ToolInput(step.kind);
    return opened;
  }

  #flush(): string {
    let text = "";
    for (const { start, input } of this.#waiting.values()) {
      text += this.#startCall(start);
      if (input !== "") text += this.#addInput(input);
      text += this.#close();
    }
    this.#waiting.clear();
    return text;
  }

  #sign(signature: Parameters<typeof carrySignature>[0]): string {
    const opened =
      this.#open === "thinking" && !this.#signed
        ? ""
        : this.#close() + this.#enter("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#signed = true;
    return opened + this.#delta({ type: "signature_delta", signature: carrySignature(signature, "anthropic") });
  }

  #enter(kind: "text" | "thinking" | number, block: JsonObject): string {
    if (this.#open === kind) return "";
    const closed = this.#close();
    this.#open = kind;
    this.#signed = false;
    this.#index += 1;
    return closed + write({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #delta(delta: JsonObject): string {
    return write({ type: "content_block_delta", index: this.#index, delta });
  }

  #completeBlock(block: JsonObject): string {
    const closed = this.#close();
    this.#index += 1;
    const index = this.#index;
    // Anthropic streams the input after the start of the block, never in it.
    const input = recordOf(block.input);
    const startBlock = input ? { ...block, input: {} } : block;
    return (
      closed +
      write({ type: "content_block_start", index, content_block: startBlock }) +
      (input ? this.#delta({ type: "input_json_delta", partial_json: JSON.stringify(input) }) : "") +
      write({ type: "content_block_stop", index })
    );
  }

  #searched(step: Extract<ReplyEvent, { type: "native" }>): string {
    const searched = searchedIn(step);
    if (!searched) return "";
    this.#searches += searched.queries.length;
    return searchBlocks(searched, this.context.newId)
      .map((block) => this.#completeBlock(block))
      .join("");
  }

  #close(): string {
    if (this.#open === null) return "";
    const owed = this.#inputDelta((typeof this.#open === "number" && this.#toolInput?.end()) || "");
    this.#open = null;
    this.#toolInput = null;
    return owed + write({ type: "content_block_stop", index: this.#index });
  }
}
