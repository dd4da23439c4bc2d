import type { Price } from "../../billing/types.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { ClientCodec } from "../../formats/conversation/codec.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { RequestSummary } from "../../formats/openai-chat/request/summary.ts";
import type { RequestRules } from "../../formats/request-rules.ts";
import type { Form } from "../../lib/http/multipart/read-form.ts";
import type { Decimal } from "../../lib/values/decimal.ts";
import type { TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import type { Content } from "../../providers/contract/chat.ts";
import type { Capability, TaskCapability } from "../../providers/contract/provider.ts";

/** What a request's URL contains in addition to its body. */
export type PathParameters = Readonly<{ model: string; stream?: boolean }>;

/** A decoded request. */
export type EndpointRequest = Readonly<{
  summary: RequestSummary;
  /** The prompt in the shape of an OpenAI request, for token counts, the word filter and logs. */
  prompt: JsonObject;
  /** The chat in the neutral format; null for other calls. Throws DecodeError. */
  conversation: (() => Conversation) | null;
}>;

/** One kind of call: its format, what it requires of a provider, and how its requests are decoded. */
export type Endpoint = Readonly<{
  capability: Capability | TaskCapability;
  /** The capability of providers without it that the gateway can translate to. */
  translatesTo?: Capability;
  /** The format of its clients, also for errors. */
  codec: ClientCodec;
  /** What its requests must satisfy before the gateway reads them. */
  rules: RequestRules;
  /** Clients may request a stream. */
  streams: boolean;
  /** Its calls order tasks, which clients poll: they cost a price per task and have no tokens of their own. */
  isTask?: true;
  /** It compacts a conversation instead of continuing it. */
  compacts?: true;
  /** Providers finish and charge what was ordered, so it is received and charged although the client has disconnected. */
  outlivesClient?: true;
  /** A response without content and completion tokens is free. */
  emptyIsFree: boolean;
  /**
   * The price of a call that depends on more than tokens (sizes and numbers of images); `upstreamModel` is the name
   * after the channel's mapping.
   */
  priceOf?(price: Price, request: EndpointRequest, upstreamModel: string, catalog: Catalog): Price;
  /** The price in USD for models without one. */
  usdWithoutPrice?: Decimal;
  /**
   * The usage derived from the request, where upstreams report nothing; null: text is counted. In units of its price.
   */
  meter?(request: EndpointRequest, answer: JsonObject | null, price: Price | null, catalog: Catalog): Usage | null;
  /** Whether the length of the audio in the response decides the charge: it is read to its end before it is sent. */
  measures?(request: EndpointRequest, price: Price | null): boolean;
  /** The response that holds the audio, for clients that expect more than its bytes. */
  wrapAudio?(audio: Content, request: JsonObject): Content;
  /** The response, as object or JSON text, with what clients require and the upstream omitted; null: unchanged. */
  amend?(request: JsonObject, answer: Uint8Array): JsonObject | string | null;
  /**
   * The request with OpenAI's members, if clients of an endpoint other than chat use another format. Throws
   * DecodeError.
   */
  normalize?(body: JsonObject): JsonObject;
  /** Whether a request names MCP servers, which the provider or the gateway connects to. */
  namesMcpServers?(body: JsonObject): boolean;
  /** Members of such a request that OpenAI's API lacks: only providers with a format of their own receive them. */
  nonOpenAiMembers?: readonly string[];
  /** Throws GatewayError or DecodeError if the request lacks something required. */
  read(body: JsonObject, path: PathParameters | null): EndpointRequest;
}>;

/** A request's body: as text (decompressed), and parsed. */
export type ClientBody = Readonly<{
  text: string;
  /** Size of the text in bytes. */
  size: number;
  json: JsonObject;
  /** A multipart form; then `json` has its fields, with files by their size. */
  form?: Form;
}>;

/** Which channels a request prefers (`provider`, https://openrouter.ai/docs/features/provider-routing). */
export type ChannelPreferences = Readonly<{
  /** Slugs of channels or channel types, to try in this order. */
  order: readonly string[];
  /** Null: all. */
  only: ReadonlySet<string> | null;
  ignored: ReadonlySet<string>;
  allowsFallbacks: boolean;
  sort: "price" | "throughput" | "latency" | null;
  /** Dollars for a million tokens, or for a request. */
  maxPrice: Readonly<{ prompt?: number; completion?: number; request?: number }>;
  /** The first member that only OpenRouter follows; null: none. */
  openRouterOnly: string | null;
  /** The request with its preferences, as OpenRouter gets it. */
  original: ClientBody;
}>;

/** A request as decoded by its endpoint. */
export type ParsedRequest = EndpointRequest &
  Readonly<{
    body: ClientBody;
    /** Changes to the body that the endpoint requires. */
    changes: TopLevelChanges;
    /** Models that the client allows to take over when the requested one fails, in order. */
    fallbacks: readonly string[];
    /** Which channels the client prefers; null: it states no preference. */
    preferences: ChannelPreferences | null;
    /** An upper bound of the prompt's tokens. */
    promptBound: number;
    /** The typical number of the prompt's tokens: four bytes per token, where the bound assumes two. */
    typicalTokens: number;
    /**
     * The upstream may store parts of the response, by which later requests may refer to them: items of Responses, audio of
     * chats, containers and files of Anthropic's tools. Reading the ids of others would cost time for nothing.
     */
    storesParts: boolean;
    /** Estimated tokens of the prompt that are audio. */
    promptAudioTokens: number;
  }>;

/** The typical number of tokens for a bound: four bytes per token, where the bound assumes two. */
export const typicalTokens = (promptBound: number): number => promptBound / 2;
