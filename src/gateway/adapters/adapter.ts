import type { ReportedUsage } from "../../formats/conversation/usage.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { ReadError } from "../../formats/openai-chat/errors/error.ts";
import type { OutgoingForm } from "../../lib/http/multipart/form-stream.ts";
import type { CallParams } from "../../providers/contract/provider.ts";
import type { OutputMeter } from "../billing/output-meter.ts";
import type { GatewayError } from "../call/errors.ts";

/** The request for one upstream, as its format has it. */
export type EncodedRequest = Readonly<{
  /** What the provider is asked for; its model is the final name. */
  ask: CallParams;
  body: string | Uint8Array<ArrayBuffer> | OutgoingForm;
  /** Fields that the upstream cannot express. */
  dropped: readonly string[];
}>;

/** A complete answer on its way to the client. */
export type CompleteResponse = Readonly<{
  /** As a function where the upstream told no figures: it is made with those that were counted here. */
  body: string | Uint8Array<ArrayBuffer> | ((billed: ReportedUsage) => string);
  contentType: string;
  /** The upstream's own figures; null: none. */
  reported: ReportedUsage | null;
  meter: OutputMeter;
  /** A response that is made in the background, as it stands: it is charged when it is over. */
  background?: JsonObject;
}>;

/**
 * How one call crosses from its client's format to one upstream's and back: as bytes where both are the same, read and
 * written anew where they are not. Made for each attempt; it may keep what the request said.
 */
export type Adapter = {
  /** Rejects DecodeError and RelayError. */
  encode(): Promise<EncodedRequest>;
  /** Waits for what an answer only announces; `ask` gets what an address of the same upstream says. */
  awaitResult?(
    body: Uint8Array<ArrayBuffer>,
    ask: (url: string) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** The error that an answer with status 200 is all the same; null: it is none. `text` gives the error's own words. */
  findError(body: Uint8Array<ArrayBuffer>): string | null;
  /** The same of whole events at the beginning of a stream; one that follows words breaks a stream that has begun. */
  findStreamError(block: Uint8Array): string | null;
  /** Whether whole events at the beginning of a stream hold any of an answer: a stream of something else does not. */
  startsResponse(block: Uint8Array): boolean;
  /** The response in the background that the stream which begins so is about; null or absent: it is an answer like others. */
  findBackgroundResponse?(first: Uint8Array): JsonObject | null;
  /** The status that such an error stands for, since its own was 200. */
  statusOf(error: string): number;
  /** What an error answer says. */
  readError(status: number, body: string): ReadError;
  /** A complete answer; null: it is none, such as a web page or an object of another API. */
  readResponse(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse | null;
  /** A complete answer of an upstream for a client that wants a stream; null: it makes no sense. */
  synthesizeStream(body: Uint8Array<ArrayBuffer>): CompleteResponse | null;
  streamView(): StreamView;
};

/** The status of an error that tells none. */
export const UNKNOWN_FAILURE = 502;

/** What is written to a client: bytes as they came, or text that was made and has not been bytes yet. */
export type Piece = Uint8Array | string;

/** Pieces one behind the other. */
export const concatPieces = (first: Piece, second: Piece): Piece =>
  typeof first === "string" && typeof second === "string"
    ? first + second
    : Buffer.concat([bytesOf(first), bytesOf(second)]);

/** The piece as bytes. */
export const bytesOf = (piece: Piece): Uint8Array => (typeof piece === "string" ? Buffer.from(piece) : piece);

/** How the blocks of an upstream's stream become the client's. */
export type StreamView = {
  /** Takes whole events; returns what the client gets of them. */
  take(block: Uint8Array): Piece;
  /** The end marker has been taken. */
  readonly ended: boolean;
  /** An error event was taken: its words. */
  readonly failed: string | null;
  /** What the upstream reported so far. */
  readonly usage: ReportedUsage | null;
  /** The answer came to its own end, marker or not. */
  readonly finished: boolean;
  readonly meter: OutputMeter;
  /** What is written last, once the call is settled: `last` as `take` returned it, and the end. */
  close(last: Piece, billed: ReportedUsage): Piece;
  /** The stream broke off: how the client is told. */
  broken(error: GatewayError, requestId: string): Piece;
};
