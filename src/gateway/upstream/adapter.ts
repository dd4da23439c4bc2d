import type { ReplyError, Usage } from "../../formats/conversation/reply.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { ReadError } from "../../formats/openai-chat/errors.ts";
import type { PollRequest } from "../../providers/contract/chat.ts";
import type { CallParams } from "../../providers/contract/provider.ts";
import type { GatewayError } from "../call/errors.ts";
import type { Route, SentBody } from "../call/route.ts";
import type { OutputMeter } from "../money/output-meter.ts";
import type { Outgoing } from "./upstream.ts";

/** The request for one upstream in its format. */
export type EncodedRequest = Readonly<{
  /** What the provider is asked for; `model` is the final name. */
  ask: CallParams;
  body: SentBody;
  /** Fields that the upstream cannot express. */
  dropped: readonly string[];
  /** The gateway has marked a prefix to cache. */
  isMarked?: boolean;
}>;

/** A complete response for the client. */
export type CompleteResponse = Readonly<{
  /** A function if the upstream reported no usage: it builds the body with the usage that the gateway counted. */
  body: string | Uint8Array<ArrayBuffer> | ((billed: Usage) => string);
  contentType: string;
  /** The usage that the upstream reported; null if none. */
  reported: Usage | null;
  meter: OutputMeter;
  /** The current state of a background response, which is charged when it is complete. */
  background?: JsonObject;
}>;

/** A response is complete and yet a failure, by its finish reason: another channel may be tried. */
export class FailedResponse extends Error {
  override name = "FailedResponse";
  constructor(
    readonly error: ReplyError,
    /** What the provider says it used up all the same; null: nothing. */
    readonly usage: Usage | null,
  ) {
    super(error.message);
  }
}

/**
 * Converts one call between its client's format and one upstream's: passes bytes through if both are the same, else
 * decodes and encodes them. Created for each attempt, so it may store parts of the request.
 */
export type Adapter = {
  /** Rejects DecodeError and GatewayError. */
  encode(): Promise<EncodedRequest>;
  /** Waits for the result if the response only announces a job; `ask` requests its state from the same upstream. */
  awaitResult?(
    body: Buffer<ArrayBuffer>,
    ask: (poll: PollRequest) => Promise<Buffer<ArrayBuffer>>,
  ): Promise<Buffer<ArrayBuffer>>;
  /** Reads the upstream's streams to their end, also for a client that requested a stream. */
  readonly gathersStream?: true;
  /** The error in a response with status 200; null if there is none. `text` returns the upstream's error text. */
  findError(body: Buffer<ArrayBuffer>): string | null;
  /**
   * The same for the complete events at the beginning of a stream. An error after content is a broken stream instead.
   * Throws FailedResponse.
   */
  findStreamError(block: Buffer): string | null;
  /** Whether the complete events at the beginning of a stream contain any part of a response. */
  startsResponse(block: Buffer): boolean;
  /** The background response that the stream belongs to; null or absent for ordinary responses. */
  findBackgroundResponse?(first: Uint8Array): JsonObject | null;
  /** Whether a complete body, or the complete events of a stream so far, have output; absent: responses are never filtered. */
  outcomeOf?(bytes: Uint8Array): Outcome;
  /** The status for an error inside a response with status 200. */
  statusOf(error: string): number;
  /** Reads the error in a failed response. */
  readError(status: number, body: string): ReadError;
  /** Reads a complete response; null if it is none, such as a web page or another API's object. Throws FailedResponse. */
  readResponse(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null;
  /** Turns a complete response into a stream for a client that requested one; null if it is invalid. Throws FailedResponse. */
  synthesizeStream(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null;
  streamView(): StreamView;
};

/** The status for an error that states none. */
export const UNKNOWN_FAILURE = 502;

/** A part of the client's response: bytes as received, or text that has not been encoded yet. */
export type OutputChunk = Uint8Array | string;

/** Concatenates two pieces. */
export const concatChunks = (first: OutputChunk, second: OutputChunk): OutputChunk =>
  typeof first === "string" && typeof second === "string"
    ? first + second
    : Buffer.concat([bytesOf(first), bytesOf(second)]);

/** The piece as bytes. */
export const bytesOf = (piece: OutputChunk): Uint8Array => (typeof piece === "string" ? Buffer.from(piece) : piece);

/** Converts the blocks of an upstream's stream to the client's. */
export type StreamView = {
  /** Takes complete events; returns what the client receives for them. */
  take(block: Buffer): OutputChunk;
  /** The end marker was taken. */
  readonly ended: boolean;
  /** The text of an error event, once one was taken. */
  readonly failed: string | null;
  /** The usage that the upstream reported so far. */
  readonly usage: Usage | null;
  /** The response is complete, with or without an end marker. */
  readonly finished: boolean;
  readonly meter: OutputMeter;
  /** The last piece, once the call is settled: `last` as returned by `take`, and the format's end. */
  close(last: OutputChunk, billed: Usage): OutputChunk;
  /** The error event for a client whose stream broke. */
  broken(error: GatewayError, requestId: string): OutputChunk;
};

/** The request in the form that one upstream accepts, and the adapter that reads its response. */
export type AdaptedRequest = Readonly<{
  adapter: Adapter;
  ask: CallParams;
  outgoing: Outgoing;
  /** The route with the final model name and the dropped fields: by it the call is charged and logged if it is served. */
  route: Route;
  /** Why a client takes no request with dropped fields; null: it does, or none is dropped. */
  refusal: GatewayError | null;
}>;

/** What is known of an answer: it has output, its provider's content filter withheld all of it, or neither yet. */
export type Outcome = "answered" | "filtered" | "pending";
