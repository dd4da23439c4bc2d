import type { ErrorExtra } from "../helpers/error-extra.ts";
import type { JsonObject } from "../json.ts";
import type { ChatDialect, Citation, Signature } from "./conversation.ts";
import type { ReportedUsage } from "./usage.ts";

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error";

/** What went wrong at an upstream, in OpenAI's classes; `status` is an HTTP status, also inside a stream. */
export type ReplyError = {
  status: number;
  type: string;
  code: string | null;
  message: string;
  param: string | null;
  extra?: ErrorExtra;
  /** Seconds after which to try again, where the error itself says so. */
  retryAfter?: string;
};

/**
 * One step of an answer, streamed or not. Steps of different choices and calls may interleave; a decoder gives every tool
 * call exactly one `tool-start` before its input, one `finish` per choice, and usage as totals so far.
 */
export type ReplyEvent =
  | {
      type: "start";
      id: string;
      model: string;
      /** Epoch seconds. */
      createdAt: number | null;
      /** In OpenAI's words, where the upstream tells it so early. */
      serviceTier?: string;
    }
  | { type: "text"; choice: number; text: string; logprobs?: JsonObject[] }
  | { type: "refusal"; choice: number; text: string }
  | { type: "reasoning"; choice: number; text: string; summary?: boolean }
  /** Ends the thought before it; stands alone when the thought itself is hidden. */
  | { type: "signature"; choice: number; signature: Signature; encrypted?: boolean }
  | {
      type: "tool-start";
      choice: number;
      /** From 0, counted over the calls of its choice. */
      index: number;
      id: string;
      name: string;
      /** Of the tool, where OpenAI's Responses group tools. */
      namespace?: string;
      kind: "function" | "custom";
      signature?: Signature;
    }
  | { type: "tool-input"; choice: number; index: number; text: string }
  | {
      type: "media";
      choice: number;
      kind: "image" | "audio";
      mediaType: string /** Base64. */;
      data: string;
      transcript?: string;
    }
  | { type: "citation"; choice: number; citation: Citation }
  /** What only its own dialect can show: hosted tools at work and their results. */
  | { type: "native"; choice: number; dialect: ChatDialect; name: string; value: JsonObject }
  /** `serviceTier`: in OpenAI's words. */
  | { type: "usage"; usage: ReportedUsage; serviceTier?: string }
  | {
      type: "finish";
      choice: number;
      reason: FinishReason /** The upstream's own word. */;
      native: string | null;
      stopSequence?: string;
    }
  | { type: "error"; error: ReplyError };

/** An event of an upstream's stream as its framing gives it; dialects without event names leave `event` empty. */
export type WireEvent = { event: string; data: string };

/** Reads an upstream's stream; made anew for each answer. */
export type StreamDecoder = {
  /** What one wire event means. Throws nothing: what cannot be read becomes an `error` step or nothing. */
  push(event: WireEvent): ReplyEvent[];
  /** The upstream's own end marker was seen, or the last event came. */
  readonly ended: boolean;
  /** The body is over: what is still owed, such as the finish of a choice that was left open. */
  end(): ReplyEvent[];
};

/** What an encoder of answers must know besides the answer. */
export type ReplyContext = {
  /** The model as the client named it. */
  model: string;
  /** Used when the upstream gives none; formats put their own prefix before it. */
  requestId: string;
  /** Epoch seconds. */
  createdAt: number;
  /** A fresh random id with the prefix, as in `call_9f…`. */
  newId(prefix: string): string;
};

/** Writes an answer as a client's stream, in its exact grammar; made anew for each answer. */
export type StreamEncoder = {
  /** Bytes to write for the step, as text of whole SSE events (or of one piece of a JSON array); may be empty. */
  push(event: ReplyEvent): string;
  /** The end: closes what is open and tells usage. Called once, after the last step; not after an `error` step. */
  end(usage: ReportedUsage): string;
};
