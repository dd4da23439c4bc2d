import type { Conversation } from "../../conversation/conversation.ts";
import type { ReplyContext, ReplyError, ReplyEvent, StreamEncoder, Usage } from "../../conversation/reply.ts";
import { ownExtra } from "../../conversation/service-error.ts";
import { refusalOf } from "../../helpers/finish-reasons.ts";
import { mediaText } from "../../helpers/media-text.ts";
import type { JsonObject } from "../../json.ts";
import { callExtra } from "../calls.ts";
import { reasoningDetail } from "../request/reasoning.ts";
import { annotationOf, chatFinish, chatId, usageObject } from "./reply.ts";
import { DONE_EVENT } from "./stream.ts";

/**
 * Writes a chat stream: role first, one finish per choice, usage if requested, `[DONE]`. Source:
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
class ChatStreamEncoder implements StreamEncoder {
  #start: Start = NOT_STARTED;
  #serviceTier: string | null = null;
  /** The JSON of every chunk before its choices, and after them. */
  #head = "";
  readonly #tail: string;
  /** The JSON before a text delta of the first choice, and after it. */
  #textHead = "";
  readonly #textTail: string;
  #begun = new Set<number>();
  #finished = new Set<number>();
  /** Number of signed reasoning parts per choice. */
  #signed = new Map<number, number>();
  /** Calls by choice and index. */
  #calls = new Map<string, { choice: number; index: number; kind: "function" | "custom"; silent: boolean }>();

  constructor(
    private readonly context: ReplyContext,
    private readonly wantsUsage: boolean,
  ) {
    // If the client requests usage, every chunk before it has `"usage":null`.
    this.#tail = wantsUsage ? ',"usage":null}\n\n' : "}\n\n";
    this.#textTail = `},"logprobs":null,"finish_reason":null}]${this.#tail}`;
    this.#setHead(NOT_STARTED, null);
  }

  push(step: ReplyEvent): string {
    switch (step.type) {
      case "start":
        this.#setHead(step, step.serviceTier ?? null);
        return "";
      case "usage":
        if (step.serviceTier && step.serviceTier !== this.#serviceTier) this.#setHead(this.#start, step.serviceTier);
        return "";
      case "text":
        return this.#text(step);
      case "refusal":
        return this.#delta(step.choice, { refusal: step.text });
      case "reasoning":
        return this.#reasoning(step);
      case "signature": {
        const { choice, signature, encrypted } = step;
        const index = this.#signed.get(choice) ?? 0;
        this.#signed.set(choice, index + 1);
        const detail = reasoningDetail({ text: "", signature, ...(encrypted && { encrypted }) }, index);
        return this.#delta(choice, { reasoning_details: [detail] });
      }
      case "tool-start": {
        const { choice, index, id, name, kind, signature } = step;
        this.#calls.set(`${choice}/${index}`, { choice, index, kind, silent: true });
        const called = kind === "custom" ? { custom: { name, input: "" } } : { function: { name, arguments: "" } };
        return this.#delta(choice, { tool_calls: [{ index, id, type: kind, ...called, ...callExtra(signature) }] });
      }
      case "tool-input": {
        const call = this.#calls.get(`${step.choice}/${step.index}`);
        if (!call) return "";
        call.silent = false;
        const piece =
          call.kind === "custom" ? { custom: { input: step.text } } : { function: { arguments: step.text } };
        return this.#delta(step.choice, { tool_calls: [{ index: step.index, ...piece }] });
      }
      case "media":
        return step.kind === "audio" && step.source.kind === "base64"
          ? this.#delta(step.choice, {
              audio: { data: step.source.data, ...(step.transcript && { transcript: step.transcript }) },
            })
          : this.#delta(step.choice, { content: mediaText(step) });
      case "citation": {
        const annotation = annotationOf(step.citation);
        return annotation ? this.#delta(step.choice, { annotations: [annotation] }) : "";
      }
      case "finish": {
        this.#finished.add(step.choice);
        const refusal = refusalOf(step);
        const reason = refusal === null ? "" : this.#delta(step.choice, { refusal });
        const before = this.#begun.has(step.choice) ? this.#emptyInputs(step.choice) : this.#delta(step.choice, {});
        return (
          reason +
          before +
          this.#chunk([{ index: step.choice, delta: {}, logprobs: null, finish_reason: chatFinish(step) }])
        );
      }
      case "error":
        return `data: ${JSON.stringify(errorBody(step.error, this.context.requestId))}\n\n${DONE_EVENT}`;
      default:
        return "";
    }
  }

  end(usage: Usage): string {
    const open = this.#begun.size === 0 ? [0] : [...this.#begun].filter((choice) => !this.#finished.has(choice));
    const owed = open.map((choice) => this.push({ type: "finish", choice, reason: "stop", native: null })).join("");
    const usageChunk = this.wantsUsage ? this.#chunk([], usageObject(usage)) : "";
    return owed + usageChunk + DONE_EVENT;
  }

  /**
   * Sends reasoning twice: as plain text, and under the index that its signature will have, so that clients merge the
   * two.
   */
  #reasoning({ choice, text, summary }: Extract<ReplyEvent, { type: "reasoning" }>): string {
    const detail = reasoningDetail({ text, ...(summary && { summary }) }, this.#signed.get(choice) ?? 0);
    return this.#delta(choice, { reasoning_content: text, reasoning_details: [detail] });
  }

  /** Clients parse the concatenated input: a call without arguments sends `{}` once. */
  #emptyInputs(choice: number): string {
    let text = "";
    for (const call of this.#calls.values()) {
      if (call.choice !== choice || !call.silent || call.kind !== "function") continue;
      text += this.push({ type: "tool-input", choice, index: call.index, text: "{}" });
    }
    return text;
  }

  /** Most events are text deltas: these are written without building an object first. */
  #text({ choice, text, logprobs }: Extract<ReplyEvent, { type: "text" }>): string {
    if (choice !== 0 || logprobs || !this.#begun.has(0)) return this.#delta(choice, { content: text }, logprobs);
    return `${this.#textHead}${JSON.stringify(text)}${this.#textTail}`;
  }

  #setHead(start: Start, serviceTier: string | null): void {
    this.#start = start;
    this.#serviceTier = serviceTier;
    this.#head = headOf(this.context, start, serviceTier);
    this.#textHead = `${this.#head}[{"index":0,"delta":{"content":`;
  }

  /** The first chunk of a choice has the role. */
  #delta(choice: number, delta: JsonObject, logprobs?: JsonObject[]): string {
    const first = !this.#begun.has(choice);
    this.#begun.add(choice);
    const written = first ? { role: "assistant", content: "", ...delta } : delta;
    const tokens = logprobs ? { content: logprobs, refusal: null } : null;
    return this.#chunk([{ index: choice, delta: written, logprobs: tokens, finish_reason: null }]);
  }

  #chunk(choices: readonly JsonObject[], usage?: JsonObject): string {
    return usage
      ? `${this.#head}${JSON.stringify(choices)},"usage":${JSON.stringify(usage)}}\n\n`
      : `${this.#head}${JSON.stringify(choices)}${this.#tail}`;
  }
}

type Start = Readonly<{ id: string; createdAt: number | null }>;
const NOT_STARTED: Start = { id: "", createdAt: null };

function headOf(context: ReplyContext, { id, createdAt }: Start, serviceTier: string | null): string {
  const common = { id: chatId(id, context), object: "chat.completion.chunk", created: createdAt ?? context.createdAt };
  const tier = serviceTier === null ? null : { service_tier: serviceTier };
  return `data: ${JSON.stringify({ ...common, model: context.model, ...tier }).slice(0, -1)},"choices":`;
}

/** OpenAI's error object; the message ends with the request id. */
export const errorBody = ({ message, type, param, code, extra }: ReplyError, requestId: string): JsonObject => ({
  error: { ...ownExtra(extra, "openai-chat"), message: `${message} (request id: ${requestId})`, type, param, code },
});

/** Writes a reply as a stream of chat chunks. */
export const chatStreamEncoder = (context: ReplyContext, { wantsUsage }: Conversation): StreamEncoder =>
  new ChatStreamEncoder(context, wantsUsage);
