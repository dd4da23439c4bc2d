import type { Catalog } from "../../catalog/catalog.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { ReadError } from "../../formats/openai-chat/errors.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { StreamedBody } from "../../lib/http/streamed-body.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import type { ChatApi, NativeFormat } from "./chat.ts";
import type { ServiceFacts } from "./facts.ts";
import type { TaskProtocol, VideoProtocol } from "./tasks.ts";

/** What a client can ask of a provider. */
export type Capability =
  | "chat"
  | "completions"
  | "embeddings"
  | "moderations"
  | "rerank"
  | "images"
  | "image-edits"
  | "image-variations"
  | "speech"
  | "songs"
  | "transcriptions"
  | "translations"
  | "realtime"
  | "live"
  | "mcp";

/** What a client can order that takes longer: the response is a task. */
export type TaskCapability = "drawing" | "music" | "video";

/** Whether a capability is served by a task that the client polls. */
export const isTask = (capability: Capability | TaskCapability): capability is TaskCapability =>
  capability === "drawing" || capability === "music" || capability === "video";

/** Paths in OpenAI's API, after the version. */
export const OPENAI_PATHS: Readonly<Record<Capability | TaskCapability, string>> = {
  chat: "/chat/completions",
  completions: "/completions",
  embeddings: "/embeddings",
  moderations: "/moderations",
  rerank: "/rerank",
  images: "/images/generations",
  "image-edits": "/images/edits",
  "image-variations": "/images/variations",
  speech: "/audio/speech",
  // Not OpenAI's, but in its form: see `songs` of the gateway's endpoints.
  songs: "/audio/music",
  transcriptions: "/audio/transcriptions",
  translations: "/audio/translations",
  realtime: "/realtime",
  video: "/videos",
  // Not OpenAI's: each has its own protocol.
  drawing: "/mj",
  music: "/suno",
  live: "/live",
  // Tools of MCP servers: no provider serves them.
  mcp: "/mcp",
};

const ALL_CAPABILITIES = Object.keys(OPENAI_PATHS) as readonly (Capability | TaskCapability)[];
/** Every capability of OpenAI's API with an immediate response. */
export const EVERY_CAPABILITY: readonly Capability[] = ALL_CAPABILITIES.filter(
  (capability) => !isTask(capability) && capability !== "live" && capability !== "mcp",
);

/** What a provider may read of a channel. */
export type ProviderChannel = Readonly<{ baseUrl: string; other: string; openaiOrganization: string }>;

/** What a channel's upstream turned out not to support: learned from a rejection, respected from then on. */
export type Limitation =
  | "responses"
  | "compaction"
  | "reasoning-summaries"
  | "interactions"
  | `betas:${string}`
  | `system-turns:${string}`;

/** A call as far as the request depends on it. `dialect` is one of the provider's formats; `model` the upstream name. */
export type CallParams = Readonly<{
  capability: Capability | TaskCapability;
  dialect: ChatDialect;
  model: string;
  stream: boolean;
  /** A conversation is to be compacted rather than continued (OpenAI's Responses). */
  compacts?: boolean;
  /** The model as the client named it. */
  requestedModel?: string;
  /** The channel's key, for providers whose keys hold regions or projects. */
  key?: string;
  /** Betas of Anthropic's API that are requested by header. */
  betas?: readonly string[];
  /** What the channel is known not to support; absent: nothing. */
  limitations?: ReadonlySet<Limitation>;
  /** The version of Google's API that the settings name for the model. */
  apiVersion?: string;
  /** What is known about models; absent: what came with this release. */
  catalog?: Catalog;
  /** What the provider's own format adds to the URL, a path or a query (`NativeFormat.urlTail`). */
  urlTail?: string;
  /** The version that the client names in its URL (`api-version`). */
  requestedVersion?: string;
}>;

/**
 * Why a provider's models have no list price: they run on the operator's own servers, an app's cost depends on the
 * models inside, or the provider publishes no price per token.
 */
export type NoListPrice = "own_server" | "own_app" | "unlisted";

/** A request that is complete except for what depends on all of it: a signature, a short-lived access token. */
export type Signable = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** A large body, which is never a text as a whole; `body` is empty then. */
  parts?: StreamedBody;
}>;

/** What signing may use: requests of its own (token exchange) and the time. */
export type SigningTools = Readonly<{
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<{ status: number; text: string }>;
  nowSeconds(): number;
}>;

/** Changes to a request's top level, and the names of fields that could not be kept. `model`: the final upstream name. */
export type Preparation = { model: string; changes: TopLevelChanges; dropped: readonly string[] };

/** A response by which an upstream rejected a call. */
export type Rejection = Readonly<{ status: number; error: ReadError; params: CallParams; key: string }>;

/** The list of models. */
type ModelList = Readonly<{
  /** Null: the channel's address has none. */
  url(channel: ProviderChannel): string | null;
  /** Ids in a response of that URL; null: it holds no list. */
  read(response: unknown): string[] | null;
}>;

/** Where the upstream reports what is left on the account. */
export type Balance = Readonly<{
  url(channel: ProviderChannel): string;
  /** The URL to request if the first one reports no balance; `read` handles both responses. */
  fallbackUrl?(channel: ProviderChannel): string;
  /** Null: the response reports no balance. */
  read(response: unknown): number | null;
  /** Headers that carry the key there; absent: the same as everywhere. */
  headers?(key: string): Record<string, string>;
  /** ISO code, or unit, of what `read` returns; absent: US dollars. */
  currency?(channel: ProviderChannel, response: unknown): string;
}>;

/** What a provider is, and what its channels offer. */
type ProviderInfo = Readonly<{
  /** Channel-type number, as in one-api and new-api; ours begin at 1000. */
  type: number;
  name: string;
  /** Shown as `owned_by` of its models. */
  owner: string;
  /** What a key looks like, for the console's form. */
  keyHint: string;
  /** Models offered in the console before the upstream's own list is read. */
  models: readonly string[];
  /** Why there is no price list; absent if the release includes one. */
  noListPrice?: NoListPrice;
  capabilities: readonly (Capability | TaskCapability)[];
  /** What is known about the service; absent: nothing, so that it counts as a plain OpenAI service. */
  facts?: ServiceFacts;
}>;

/** How a provider is addressed, and how requests are authenticated. */
type Transport = Readonly<{
  /** Used when the channel has no address of its own; null: the channel must have one. */
  defaultBaseUrl: string | null;
  /** The address follows from the key or the region where the channel has none. */
  baseUrlOptional?: boolean;
  /** Where the channel has no address, its `other` (a region) is part of the host. */
  hostFromOther?: boolean;
  /** URL of a call. Throws nothing: an invalid address shows when it is connected to. */
  url(channel: ProviderChannel, params: CallParams): string;
  /** Headers that carry the key. */
  authHeaders(channel: ProviderChannel, key: string, params?: CallParams): Record<string, string>;
  /**
   * Adds what depends on the complete request, or must be fetched with the key: signatures, access tokens, uploaded files.
   * Headers are added to the existing ones; URL and body replace them.
   */
  sign?(request: Signable, channel: ProviderChannel, key: string, tools: SigningTools): Promise<Partial<Signable>>;
}>;

/** Where a provider differs from the formats that it speaks: what changes before a request, and after a rejection. */
type RequestHooks = Readonly<{
  /** What must change in a body of one of its formats for this upstream; null: nothing. */
  prepare?(body: JsonObject, params: CallParams): Preparation | null;
  /**
   * What a rejection teaches: a limitation, whereupon the call is sent again without what was rejected; "retry": the same
   * request may succeed now (a new access token); null: nothing.
   */
  onRejected?(rejection: Rejection): Limitation | "retry" | null;
  /** Statuses after which another channel is tried, in addition to those retried for every provider. */
  retryableStatuses?: readonly number[];
}>;

/** Where a provider's Live API differs from that of the Gemini API. */
export type LiveApi = Readonly<{
  /** The model's resource name in the `setup` message. */
  modelName(channel: ProviderChannel, params: Pick<CallParams, "key" | "model" | "requestedModel">): string;
  /** The name in the Gemini API of each renamed member of `usageMetadata`. */
  usageNames: Readonly<Record<string, string>>;
}>;

/** Calls with an immediate response. */
type CallApis = Readonly<{
  chat?: ChatApi;
  /** Absent: sessions are those of the Gemini API. */
  live?: LiveApi;
  /** The provider's own format for a call other than a chat; null: OpenAI's. */
  nativeFormat?(params: Pick<CallParams, "capability" | "model">, key: string): NativeFormat | null;
  /** Its embeddings take contents with media: entries `{parts}` of `input`, in Google's form. */
  embedsMedia?: true;
  /** Files, batches and fine-tuning jobs as in OpenAI's API; `path` is what follows the version. */
  files?: Readonly<{
    url(channel: ProviderChannel, path: string): string;
    /**
     * Whether the same address has conversations, vector stores and containers: "unknown" for servers that may have
     * them. Absent: it has none.
     */
    collections?(channel: ProviderChannel): "offered" | "unknown";
  }>;
}>;

/** Calls that create tasks: images, songs and videos. */
type TaskApis = Readonly<{
  /** How the provider's tasks are followed. */
  tasks?: TaskProtocol;
  /** How videos are ordered. */
  videos?: VideoProtocol;
}>;

/** What a provider reports about the account of a key. */
type AccountApis = Readonly<{
  modelList?: ModelList;
  balance?: Balance;
}>;

/**
 * One kind of upstream, by its channel-type number. Its information and transport are required; each optional object is an
 * API that it has. `docs/contributing/adding-a-provider.md` shows how to add one.
 */
export type Provider = ProviderInfo & Transport & RequestHooks & CallApis & TaskApis & AccountApis;

/** What signing a request needs: the safe fetch, and the time. */
export const signingTools = (fetch: SafeFetch): SigningTools => ({
  nowSeconds,
  async post(url, headers, body) {
    const answer = await fetch(url, { method: "POST", headers, body });
    return { status: answer.status, text: answer.text() };
  },
});
