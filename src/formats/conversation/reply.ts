import type { JsonObject } from "../json.ts";
import type { ContextOverflow } from "./context-overflow.ts";
import type { ChatDialect, Citation, MediaPart, MediaSource, Signature } from "./conversation.ts";
import type { ErrorExtra } from "./service-error.ts";

/**
 * Why an answer ended. "error": it is a failure, which clients get as an error; "unknown": the provider's own word means nothing
 * known, so clients get that word.
 */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "unknown";

/** An upstream error with OpenAI's type and code; `status` is an HTTP status, also for errors inside a stream. */
export type ReplyError = {
  status: number;
  type: string;
  code: string | null;
  message: string;
  param: string | null;
  extra?: ErrorExtra;
  /** Seconds until a retry, if the error body contains them. */
  retryAfter?: string;
  /** The request does not fit the model: each client format has words of its own for that. */
  overflow?: ContextOverflow;
  /** A quota of the caller is used up, which each client format reports in its own way; null: no time renews it. */
  usedUp?: Readonly<{ renewsInSeconds: number | null }>;
};

/** How the provider served a response, where that changes the price. */
export type Processing = {
  /** In OpenAI's terms where it has one, else the provider's own word. */
  serviceTier?: string;
  /** Anthropic's `speed`, Bedrock's latency. */
  speed?: string;
  /** Anthropic's `inference_geo`. */
  inferenceGeo?: string;
};

/** Media of a response: in it, or at an address. */
export type ReplyMedia = Extract<MediaSource, { kind: "base64" | "url" }>;

/**
 * One event of a response, streamed or not. Events of different choices and calls may interleave. A decoder emits
 * exactly one `tool-start` per call before its input, one `finish` per choice, and usage as running totals.
 */
export type ReplyEvent =
  | ({
      type: "start";
      id: string;
      model: string;
      /** Unix time in seconds. */
      createdAt: number | null;
    } & Processing)
  | { type: "text"; choice: number; text: string; logprobs?: JsonObject[] }
  | { type: "refusal"; choice: number; text: string }
  /** What the choice has said so far is replaced by what follows; clients that stream have it already. */
  | { type: "withdrawal"; choice: number }
  | { type: "reasoning"; choice: number; text: string; summary?: boolean }
  /** Ends the reasoning before it; stands alone when the reasoning itself is hidden. */
  | { type: "signature"; choice: number; signature: Signature; encrypted?: boolean }
  | {
      type: "tool-start";
      choice: number;
      /** Counts the calls of one choice from 0. */
      index: number;
      id: string;
      name: string;
      /** The tool's namespace, in OpenAI's Responses API. */
      namespace?: string;
      kind: "function" | "custom";
      signature?: Signature;
    }
  | { type: "tool-input"; choice: number; index: number; text: string }
  | {
      type: "media";
      choice: number;
      kind: MediaPart["type"];
      source: ReplyMedia;
      transcript?: string;
    }
  | { type: "citation"; choice: number; citation: Citation }
  /** A part that only one dialect can represent: hosted tools at work and their results. */
  | { type: "native"; choice: number; dialect: ChatDialect; name: string; value: JsonObject }
  | ({ type: "usage"; usage: Usage } & Processing)
  | {
      type: "finish";
      choice: number;
      reason: FinishReason /** The upstream's own word. */;
      native: string | null;
      stopSequence?: string;
      /** The upstream's explanation of a failure. */
      message?: string;
      /** Ids of parts that the upstream stores, by which later requests may refer to them. */
      partIds?: readonly string[];
    }
  | { type: "error"; error: ReplyError };

/** An event of an upstream's stream. `event` is empty for dialects without event names. */
export type WireEvent = { event: string; data: string };

/** Reads an upstream's stream; create one for each response. */
export type StreamDecoder = {
  /** Decodes one event. Never throws: what cannot be read becomes an `error` event or nothing. */
  push(event: WireEvent): ReplyEvent[];
  /** The upstream sent its end marker or its last event. */
  readonly ended: boolean;
  /** Call when the body has ended: returns pending events, such as the finish of a choice that is still open. */
  end(): ReplyEvent[];
};

/** What a response encoder needs besides the response. */
export type ReplyContext = {
  /** The model as the client named it. */
  model: string;
  /** Replaces a missing upstream id; formats add their own prefix. */
  requestId: string;
  /** Unix time in seconds. */
  createdAt: number;
  /** Returns a random id with the prefix, such as `call_9f…`. */
  newId(prefix: string): string;
};

/** Writes a response as a stream in the client's format; create one for each response. */
export type StreamEncoder = {
  /**
   * Goes on with a stream of the same format whose events reached the client unchanged; `first`: those that begin it, `last`: the
   * latest. Absent: the format has no state that a further event continues.
   */
  resume?(first: readonly WireEvent[], last: readonly WireEvent[]): void;
  /** The text to write for the event: complete SSE events (or one element of a JSON array); may be empty. */
  push(event: ReplyEvent): string;
  /** Closes what is open and reports usage. Call it once, after the last event, but not after an `error` event. */
  end(usage: Usage): string;
};

/**
 * The finish reason, corrected for tool calls: many services report "stop" for a response with calls. A truncated
 * response may end in the middle of a call, so its reason stays, as a failure's does.
 */
export const finishAfter = (reason: FinishReason, calls: number): FinishReason =>
  calls === 0 || (reason !== "stop" && reason !== "unknown") ? reason : "tool_calls";

/** Whole megapixels of each image of a response, and of all images of its request together. */
export type Megapixels = Readonly<{ output: number; input: number }>;

/**
 * The token usage of one call, in one shape for every format: `promptTokens` includes cached, cache-written and audio input;
 * `completionTokens` includes reasoning and audio output.
 */
export type Usage = {
  /** Calls of tools that the provider runs and charges in addition to tokens. */
  toolCalls?: ToolCalls;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  /** The part of `cacheCreationTokens` that was written with a lifetime of one hour. */
  longCacheCreationTokens?: number;
  reasoningTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** Image tokens, where reported separately; parts of prompt and completion. */
  imageInputTokens?: number;
  imageOutputTokens?: number;
  /** How many images were drawn, where the model decides that. */
  images?: number;
  /** Megapixels of images, where the provider reports them. */
  megapixels?: Megapixels;
  /** How many seconds of sound were made, where the model decides that. */
  seconds?: number;
  /** Media of the request that are billed by themselves rather than as tokens. */
  media?: MediaUnits;
};

/** Of a reply whose upstream reports none. */
export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** Number of units by their name in the price list: embedded_image, embedded_pixel, embedded_video_second. */
export type MediaUnits = Readonly<Record<string, number>>;

/** Number of calls by tool, as price lists name it (web_search, google_search, file_search, code_interpreter). */
export type ToolCalls = Readonly<Record<string, number>>;
