import type { Price } from "../../../billing/types.ts";
import type { ClientCodec } from "../../../formats/conversation/codec.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { ReportedUsage } from "../../../formats/conversation/usage.ts";
import type { JsonObject } from "../../../formats/json.ts";
import type { RequestSummary } from "../../../formats/openai-chat/request/summary.ts";
import type { RequestRules } from "../../../formats/request-rules/request-rules.ts";
import type { Decimal } from "../../../lib/values/decimal.ts";
import type { Capability, TaskCapability } from "../../../providers/contract/provider.ts";

/** What a request's address says besides its body. */
export type PathParameters = Readonly<{ model: string; stream?: boolean }>;

/** What a request asks for, read once. */
export type EndpointRequest = Readonly<{
  summary: RequestSummary;
  /** The prompt in the shape of an OpenAI request, by which it is weighed, counted, checked and logged. */
  prompt: JsonObject;
  /** The chat in no provider's words; null where it is no chat. Throws DecodeError. */
  conversation: (() => Conversation) | null;
}>;

/** One family of calls that clients make: its format, what it needs of a provider, how its requests are read. */
export type Endpoint = Readonly<{
  capability: Capability | TaskCapability;
  /** The format its clients speak: also that of errors. */
  codec: ClientCodec;
  /** What its requests must keep to before anything is decided by them. */
  rules: RequestRules;
  /** Clients may ask for a stream. */
  streams: boolean;
  /** It compacts a conversation instead of continuing it. */
  compacts?: true;
  /** An answer without any content and without completion tokens costs nothing. */
  emptyIsFree: boolean;
  /**
   * The price of this very call, where it depends on more than tokens (sizes and numbers of images); `upstreamModel` is the
   * name after the channel's mapping.
   */
  priceOf?(price: Price, request: EndpointRequest, upstreamModel: string): Price;
  /** USD that a call costs where its model has no price. */
  usdWithoutPrice?: Decimal;
  /** What a call used by the request alone, where upstreams report nothing; null: text is counted. In units of its price. */
  meter?(request: EndpointRequest, answer: JsonObject | null, price: Price | null): ReportedUsage | null;
  /** The answer, as object or JSON text, with what clients need and the upstream left out; null: it goes as it came. */
  amend?(request: JsonObject, answer: Uint8Array): JsonObject | string | null;
  /** The request in OpenAI's members, where clients of a call beside chats speak another format. Throws DecodeError. */
  normalize?(body: JsonObject): JsonObject;
  /** Members of such a request that OpenAI's API lacks: they go only to providers with a format of their own. */
  nonOpenAiMembers?: readonly string[];
  /** Throws GatewayError or DecodeError when the request lacks what the format demands. */
  read(body: JsonObject, path: PathParameters | null): EndpointRequest;
}>;
