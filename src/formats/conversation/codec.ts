import type { ModelInfo } from "../../catalog/catalog.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { JsonObject } from "../json.ts";
import type { Reply } from "./collect-reply.ts";
import type { ChatDialect, Conversation } from "./conversation.ts";
import type { ReplyContext, ReplyError, StreamDecoder, StreamEncoder } from "./reply.ts";

/** Names of what could not be said in the target's format, for `X-Sluice-Dropped`; as the client's format calls them. */
export type Dropped = Set<string>;

/** Where an encoder must know its target beyond the dialect. */
export type Target = {
  /** The upstream's name of the model. */
  model: string;
  /** What the model catalogue knows about it. */
  info: ModelInfo;
  /** Used where the format demands a limit and the client gave none. */
  defaultMaxTokens: number;
  /** It searches the web for any model on request, not only with models made for that. */
  searchesWeb?: boolean;
  /** It takes Anthropic's prompt cache markers. */
  cacheMarkers?: boolean;
  /** Gemini's API runs its own tools in the same request as the client's functions; Vertex AI does not. */
  hostedToolsWithFunctions?: boolean;
  /** False: it rejects requests for summaries of reasoning. */
  reasoningSummaries?: boolean;
  newId(prefix: string): string;
};

/** The client's request cannot be understood; becomes status 400 in the format of its door. */
export class DecodeError extends Error {
  override name = "DecodeError";
  constructor(
    readonly reason: Reason,
    readonly param: string,
  ) {
    super(sayReason(reason, "en"));
  }
}

/** The side of a format that clients speak: reads their requests, writes answers to them. */
export type ClientCodec = {
  dialect: ChatDialect;
  /** Content type of its streams. */
  streamType: string;
  /** What keeps a silent stream alive: a comment or an event that clients skip. */
  ping: string;
  /** Throws DecodeError. Lenient: what is merely unknown goes to `extra`. `path`: model and stream where the address tells them. */
  decodeRequest(body: JsonObject, path?: { model: string; stream: boolean }): Conversation;
  /** `request`: for formats that repeat its settings in the answer. */
  encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject;
  /** `request`: for formats that repeat its settings in the answer. */
  streamEncoder(context: ReplyContext, request: Conversation): StreamEncoder;
  /** The error body of the format. */
  encodeError(error: ReplyError, requestId: string): JsonObject;
};

/** The side of a format that providers speak: writes requests to them, reads their answers. */
export type ProviderCodec = {
  dialect: ChatDialect;
  encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject;
  /** A complete answer; null when it is none (an error object is read by `decodeError`). */
  decodeReply(body: JsonObject): Reply | null;
  streamDecoder(newId: (prefix: string) => string): StreamDecoder;
  /** What an answer with an error status, or an error object with status 200, says; null: it holds no error. */
  decodeError(status: number, body: unknown): ReplyError | null;
};
