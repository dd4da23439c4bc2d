import type { ModelInfo } from "../../catalog/catalog.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { JsonObject } from "../json.ts";
import type { Reply } from "./collect-reply.ts";
import type { ChatDialect, Conversation } from "./conversation.ts";
import type { ReplyContext, ReplyError, StreamDecoder, StreamEncoder } from "./reply.ts";
import type { ChatService } from "./service.ts";

/**
 * Fields that the target's format cannot express, for `X-Sluice-Dropped`, under the names the client's format has for
 * them.
 */
export type Dropped = Set<string>;

/** What an encoder must know about its target besides the dialect. */
export type Target = {
  /** The upstream model name. */
  model: string;
  /** The model's entry in the catalog. */
  info: ModelInfo;
  /** Used where the format requires a limit and the client set none. */
  defaultMaxTokens: number;
  /** What is known about the service; absent: a plain one. */
  service?: ChatService;
  /** False if the service rejects requests for reasoning summaries. */
  reasoningSummaries?: boolean;
  newId(prefix: string): string;
};

/** The client's request is invalid; becomes status 400 in the client's format. */
export class DecodeError extends Error {
  override name = "DecodeError";
  constructor(
    readonly reason: Reason,
    readonly param: string,
  ) {
    super(sayReason(reason, "en"));
  }
}

/** The client side of a format: reads requests and writes responses. */
export type ClientCodec = {
  dialect: ChatDialect;
  /** Content type of the format's streams. */
  streamType: string;
  /** Keeps an idle stream open: a comment or event that clients ignore. */
  ping: string;
  /**
   * Throws DecodeError. Unknown members are not an error: they go to `extra`. `path` holds the model and whether to
   * stream, for formats whose URL contains them.
   */
  decodeRequest(body: JsonObject, path?: { model: string; stream: boolean }): Conversation;
  /** `request`: for formats whose response repeats the request's settings. */
  encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject;
  /** `request`: for formats whose response repeats the request's settings. */
  streamEncoder(context: ReplyContext, request: Conversation): StreamEncoder;
  /** Its service reports a streamed request that is too long in the stream, where its clients look for that. */
  overflowsInStream?: true;
  /** The format's error body. */
  encodeError(error: ReplyError, requestId: string): JsonObject;
};

/** The provider side of a format: writes requests and reads responses. */
export type ProviderCodec = {
  dialect: ChatDialect;
  encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject;
  /** A complete response; null if the body is none (`decodeError` reads error objects). */
  decodeReply(body: JsonObject): Reply | null;
  streamDecoder(newId: (prefix: string) => string): StreamDecoder;
  /** The error in a response with an error status, or in an error object with status 200; null if there is none. */
  decodeError(status: number, body: unknown): ReplyError | null;
};
