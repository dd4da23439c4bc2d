import type { Catalog } from "../../catalog/catalog.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { TopLevelChanges } from "../../lib/json-splice.ts";
import type { OwnFormatOf } from "./native-format.ts";
import type { TaskProtocol, VideoProtocol } from "./tasks.ts";
import type { TokenCount } from "./token-count.ts";

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
  | "transcriptions"
  | "translations"
  | "realtime";

/** What a client can order that is done later: the answer is a task. */
export type TaskCapability = "drawing" | "music" | "video";

export const isTask = (capability: Capability | TaskCapability): capability is TaskCapability =>
  capability === "drawing" || capability === "music" || capability === "video";

/** Where OpenAI's own API has them, behind the version. */
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
  transcriptions: "/audio/transcriptions",
  translations: "/audio/translations",
  realtime: "/realtime",
  video: "/videos",
  // Not OpenAI's: each has a protocol of its own.
  drawing: "/mj",
  music: "/suno",
};

/** The path of a call behind the version; talks in realtime name their model in the address. */
export const openaiPath = ({ capability, dialect, model }: Ask): string => {
  if (dialect === "openai-responses") return "/responses";
  return OPENAI_PATHS[capability] + (capability === "realtime" ? `?model=${encodeURIComponent(model)}` : "");
};

const EVERYTHING = Object.keys(OPENAI_PATHS) as readonly (Capability | TaskCapability)[];
/** All that is answered at once. */
export const EVERY_CAPABILITY: readonly Capability[] = EVERYTHING.filter((capability) => !isTask(capability));

/** What a provider's table may look at of a channel. */
export type ProviderChannel = Readonly<{ baseUrl: string; other: string; openaiOrganization: string }>;

/** A call as far as its address depends on it. `dialect` is one of the provider's; `model` the upstream name. */
export type Ask = Readonly<{
  capability: Capability | TaskCapability;
  dialect: ChatDialect;
  model: string;
  stream: boolean;
  /** The model as the client named it. */
  requestedModel?: string;
  /** The channel's key, where regions or projects stand in it. */
  key?: string;
  /** The client wants no thoughts, which formats without an effort say otherwise than by one. */
  thinksNot?: boolean;
  /** Betas of Anthropic's API that are asked for by header. */
  betas?: readonly string[];
  /** The model refused betas before: it is sent none. */
  refusesBetas?: boolean;
  /** The version of Google's API that the settings name for the model. */
  apiVersion?: string;
  /** What is known about models; absent: what came with this release. */
  catalog?: Catalog;
  /** The version that the client names in its address (`api-version`). */
  askedVersion?: string;
}>;

/**
 * Why nobody can say what a provider's models cost: they run on the operator's own servers, what an app costs follows from
 * the models inside, or the provider lists no price per token.
 */
export type NoListPrice = "own_server" | "own_app" | "unlisted";

/** How the events of a provider's streams are framed. */
export type Framing = "sse" | "ndjson" | "aws-events" | "zhipu-events";

/** A request that is ready but for what depends on its whole: a signature, a short-lived access token. */
export type Signable = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>;

/** What signing may use: requests of its own (token exchange) and the time. */
export type SigningTools = Readonly<{
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<{ status: number; text: string }>;
  nowSeconds(): number;
}>;

/**
 * One kind of upstream, registered by its channel-type number: where it is, how it is addressed and signed, what it can do
 * and where it differs from its dialects. Adding a provider is adding such a table and its samples.
 */
export type Provider = Readonly<{
  /** Channel-type number, as the ecosystem has it. */
  type: number;
  name: string;
  /** Shown as `owned_by` of its models. */
  owner: string;
  /** Chat formats it understands; others are converted into the first. */
  dialects: readonly [ChatDialect, ...ChatDialect[]];
  /**
   * The only format a model is served in, which may depend on the kind of key; null or absent: any of them. `model` is the
   * upstream name, `asked` what the client called it.
   */
  dialectOf?(model: string, key: string, asked?: string): ChatDialect | null;
  /**
   * It keeps conversations and containers for its clients, at the address of the channel. `isDeclared`: what the operator says of
   * that address; null: nothing.
   */
  keepsState?(channel: ProviderChannel, isDeclared: boolean | null): boolean;
  /** It runs tools of its own beside the client's functions, when told so (Gemini's API). */
  combinesTools?: boolean;
  /** Used when the channel has no address of its own; null: the channel must have one. */
  defaultBaseUrl: string | null;
  /** The address follows from the key or the region where the channel has none. */
  baseUrlOptional?: boolean;
  capabilities: readonly (Capability | TaskCapability)[];
  /** What a key looks like, for the console's form. */
  keyHint: string;
  /** Models offered in the console when the upstream is not asked. */
  models: readonly string[];
  /** Why there is no list of what its models cost; absent: there is one, and it comes with the release. */
  noListPrice?: NoListPrice;
  /** Address of a call. Throws nothing: an address that is none is found out when it is dialled. */
  url(channel: ProviderChannel, ask: Ask): string;
  /** Address of the list of models; null: it has none. */
  modelListUrl(channel: ProviderChannel): string | null;
  /** Ids in an answer of that address; absent: OpenAI's list. */
  readModelList?(answer: unknown): string[];
  /** How it counts the tokens of chats in one of its formats; absent or null: it has no call for that. */
  tokenCount?(dialect: ChatDialect): TokenCount | null;
  /** Words of its own for calls beside chats; absent: it has OpenAI's for all. */
  ownFormat?: OwnFormatOf;
  /** Where files, batches and fine-tuning jobs are kept, as OpenAI's API has them; `path` is what follows the version. */
  objects?: Readonly<{ url(channel: ProviderChannel, path: string): string }>;
  /** Where the upstream tells what is left, and how it says so; null from `read`: it does not. */
  balance?: Readonly<{
    url(channel: ProviderChannel): string;
    /** Asked where the first address does not tell; `read` knows both answers. */
    elseUrl?(channel: ProviderChannel): string;
    read(answer: unknown): number | null;
    /** Headers that carry the key there; absent: the same as everywhere. */
    headers?(key: string): Record<string, string>;
    /** ISO code of what `read` answers; absent: US dollars. */
    currency?(channel: ProviderChannel, answer: unknown): string;
  }>;
  /** Headers that carry the key. */
  authHeaders(channel: ProviderChannel, key: string, ask?: Ask): Record<string, string>;
  /**
   * What of a request depends on the whole of it, or on what must be fetched with the key: signatures, access tokens, files
   * that are uploaded before. Headers are added to those there are, address and body take the place of the given ones.
   */
  sign?(request: Signable, channel: ProviderChannel, key: string, tools: SigningTools): Promise<Partial<Signable>>;
  /** The upstream refused an access token that was fetched with the key: forgets it. Answers whether another one may help. */
  forgetToken?(key: string): boolean;
  /**
   * What must change in a body of one of its dialects for this upstream; null: nothing. `model` is the upstream name.
   */
  adapt?(body: JsonObject, ask: Ask): Adaptation | null;
  /**
   * What a body must have or must not have to be taken at all, where operators want bodies as they came: model and betas
   * that stand elsewhere, a version; null: nothing.
   */
  envelope?(body: JsonObject, ask: Ask): Omit<Adaptation, "model"> | null;
  /** Headers of clients of the same format that go along. */
  clientHeaders?: readonly string[];
  /** Understands `stream_options.include_usage`. */
  streamUsage: boolean;
  framing?: Framing;
  /** Its chats know tools of free text (`custom`); others get functions in their place. */
  customTools?: boolean;
  /** Any of its chats can have the web searched: `web_search_options` ask for it. */
  searchesChats?: boolean;
  /** Its chats know Anthropic's marks of what is to be cached, whatever the model. */
  marksCache?: boolean;
  /** What the option ToolPrice calls the search that such a body asks for, where answers tell only what was found. */
  searchTool?(body: JsonObject): string;
  /** It is asked for streams alone, or for none, whatever the client wants. */
  streams?: "always" | "never";
  /** Models among others that answer in streams alone. */
  onlyStreams?(model: string): boolean;
  /** A chat is a WebSocket: the request is the one frame that is sent, each frame back is an event of a stream. */
  webSocket?: boolean;
  /** Its answers differ from the format that they are in: no client is sent them as they are. */
  ownAnswers?: boolean;
  /** Takes media only inside the request: addresses are fetched before. */
  inlineMedia?: boolean;
  /** Knows vectors as lists of numbers only. */
  vectorsAsNumbers?: boolean;
  /** Its calls are tasks, which are followed so. */
  tasks?: TaskProtocol;
  /** It makes videos, which are ordered so. */
  videos?: VideoProtocol;
}>;

/** Changes to a request's top level, and the names of fields that could not be kept. */
export type Adaptation = { model: string; changes: TopLevelChanges; dropped: readonly string[] };
