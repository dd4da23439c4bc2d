import type { Catalog } from "../../catalog/catalog.ts";
import type { Dropped, ProviderCodec } from "../../formats/conversation/codec.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import { requestsSearch } from "../../formats/tools/web-search.ts";
import { chatServiceOf } from "./facts.ts";
import type { CallParams, Preparation, Provider, ProviderChannel } from "./provider.ts";

/** Makes what turns the bytes of a provider's stream into server-sent events. */
export type Framing = () => Transformer<Uint8Array, Uint8Array>;

/** Whether a model streams: as the client wishes, always, or never. */
type StreamMode = "optional" | "always" | "never";

/** How a provider streams its chats. */
type ChatStreaming = Readonly<{
  /** Absent: every model streams as the client wishes. */
  mode?(model: string, catalog?: Catalog): StreamMode;
  /** It understands `stream_options.include_usage`. */
  includesUsage: boolean;
  /** Null: its streams are server-sent events already. */
  framing: Framing | null;
  /** The format whose streams have the framing; absent: all. */
  framedFormat?: ChatDialect;
  /** A chat is a WebSocket: the request is the only frame sent, each frame received is an event of a stream. */
  isWebSocket: boolean;
}>;

/** A provider's chats. */
export type ChatApi = Readonly<{
  /** Wire formats it understands; requests in other formats are translated into the first. */
  formats: readonly [ChatDialect, ...ChatDialect[]];
  /** The codec of a wire format that only this provider speaks; null: all of its formats are shared ones. */
  codec: ProviderCodec | null;
  /**
   * The only format a model is served in, which may depend on the kind of key and on what the catalog says of the model; null:
   * any of them. `model` is the upstream name, `requested` the client's name for it.
   */
  formatOf(model: string, key: string, requested?: string, catalog?: Catalog): ChatDialect | null;
  /** The only format at a channel's address, which goes before that of a model; null: any of them. Null: addresses don't matter. */
  formatAt: ((baseUrl: string) => ChatDialect | null) | null;
  /** Web searches of other formats' clients go to OpenAI's Responses, where this model can't search in chats. */
  searchesInResponses(model: string, catalog?: Catalog): boolean;
  streaming: ChatStreaming;
  /** Whether a body, in any client's format, requests a web search of this provider. */
  requestsSearch(body: JsonObject, model: string): boolean;
  /** The price list's name for the search that such a body requests, where responses report only what was found; else null. */
  searchTool: ((body: JsonObject) => string) | null;
  /** How it counts the tokens of chats in one of its formats; null, also as a result: it has no call for that. */
  tokenCount: ((format: ChatDialect) => TokenCount | null) | null;
  /** The only format in which it counts; null: each that it is served in. */
  countFormat: ChatDialect | null;
  /**
   * Whether it stores conversations and containers for its clients at the channel's address; null: never. `isDeclared`: what
   * the operator states about that address, null if nothing.
   */
  keepsState: ((channel: ProviderChannel, isDeclared: boolean | null) => boolean) | null;
  /**
   * Whether it connects to the MCP servers of a request in this format, at the channel's address; null: never. `isDeclared`:
   * what the operator states about that address, null if nothing.
   */
  runsMcp: ((channel: ProviderChannel, format: ChatDialect, isDeclared: boolean | null) => boolean) | null;
  /** Headers of clients of the same format that are forwarded. */
  clientHeaders: readonly string[];
  /**
   * What a passed-through body must change to be accepted at all: members that belong elsewhere, a version; null: nothing.
   */
  envelope(body: JsonObject, params: CallParams): Omit<Preparation, "model"> | null;
}>;

/** How a provider frames the streams of a format; null: as server-sent events. */
export const framingOf = (
  { streaming: { framing, framedFormat } }: Pick<ChatApi, "streaming">,
  dialect: ChatDialect,
): Framing | null => (framedFormat === undefined || framedFormat === dialect ? framing : null);

type ChatDefinition = Pick<ChatApi, "formats"> &
  Partial<Omit<ChatApi, "formats" | "streaming">> &
  Readonly<{ streaming?: Partial<ChatStreaming> }>;

const STREAMING: ChatStreaming = { includesUsage: true, framing: null, isWebSocket: false };

/** A provider's chats by what differs from the usual: server-sent events with usage, one of the shared formats, no extras. */
export const chatApi = ({ streaming, ...definition }: ChatDefinition): ChatApi => ({
  codec: null,
  formatOf: () => null,
  formatAt: null,
  searchesInResponses: () => false,
  requestsSearch,
  searchTool: null,
  tokenCount: null,
  countFormat: null,
  keepsState: null,
  runsMcp: null,
  clientHeaders: [],
  envelope: () => null,
  ...definition,
  streaming: { ...STREAMING, ...streaming },
});

/** A provider's chats. Throws Error where it has none: its `capabilities` don't list them then. */
export function chatOf({ name, chat }: Pick<Provider, "name" | "chat">): ChatApi {
  if (!chat) throw new Error(`${name} has no chats`);
  return chat;
}

/** Whether the upstream accepts free-text tools: every Responses API does, but only some chat APIs. */
export const takesCustomTools = (provider: Pick<Provider, "facts">, dialect: ChatDialect): boolean =>
  dialect === "openai-responses" || (dialect === "openai-chat" && chatServiceOf(provider).customTools);

/** The wire format that requests for a model are written in: the only one that serves it, or the provider's first. */
export const formatFor = (
  { chat }: Pick<Provider, "chat">,
  model: string,
  key: string,
  requested?: string,
  catalog?: Catalog,
  baseUrl = "",
): ChatDialect =>
  chat?.formatAt?.(baseUrl) ?? chat?.formatOf(model, key, requested, catalog) ?? chat?.formats[0] ?? "openai-chat";

/** A response that is not JSON: audio, or plain text. */
export type Content = Readonly<{ body: string | Uint8Array<ArrayBuffer>; contentType: string }>;

/** A file of a form by its member's name; `type` is its media type, empty if unknown. */
export type FormFile = Readonly<{ name: string; bytes: Uint8Array<ArrayBuffer>; type: string }>;

/** A question about a running job: a URL to get, or what to post there, which is signed like the order. */
export type PollRequest = string | Readonly<{ url: string; body: string }>;

/** A provider's own format for calls other than chats: images, embeddings, rerank, audio. */
export type NativeFormat = Readonly<{
  /** Writes a call in OpenAI's format, with the files of its form, in the provider's. Adds what is lost to `dropped`. */
  encode(call: JsonObject, model: string, dropped: Dropped, files: readonly FormFile[]): JsonObject;
  /** The files of a call that is sent as a form, whose fields `encode` writes; null: as JSON. Throws DecodeError. */
  formFiles?(call: JsonObject, model: string, files: readonly FormFile[]): readonly FormFile[] | null;
  /** What the call adds to the URL: a path or a query, for providers whose bodies don't have all of it. */
  urlTail?(call: JsonObject): string;
  /** What OpenAI would respond; null: the response is invalid. `first`: of a job, the response to its order. */
  decode(response: JsonObject, call: JsonObject, first?: JsonObject): JsonObject | null;
  /** The same for a response that is not JSON. */
  decodeBytes?(bytes: Uint8Array): JsonObject;
  /** What clients get instead of JSON; null: JSON. */
  content?(response: JsonObject, call: JsonObject): Content | null;
  /** Why a response with status 200 is a failure, and its actual status; null: it is none, or not yet. */
  failure?(response: JsonObject): Readonly<{ message: string; code: string; status?: number }> | null;
  /**
   * Where to poll a job that is still running; null: it is done. `sent` is the order as it was encoded, `first` the response
   * to it.
   */
  pending?(
    channel: ProviderChannel,
    response: JsonObject,
    job: Readonly<{ sent: JsonObject; first: JsonObject }>,
  ): PollRequest | null;
}>;

/** Counts the tokens of a chat without running it, free of charge. */
export type TokenCount = Readonly<{
  url(channel: ProviderChannel, params: CallParams): string;
  /** The body of the count for the body of the chat. */
  encode(chat: JsonObject, params: CallParams): JsonObject;
  /** Tokens of the prompt; null: the response is invalid. */
  decode(response: JsonObject): number | null;
}>;
