import type { JsonObject } from "../json.ts";

/** The wire formats of chat APIs. */
export type ChatDialect =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "gemini-interactions"
  | NativeDialect;

/** A wire format that a single provider speaks, named by its codec. */
type NativeDialect = string & Record<never, never>;

/**
 * A chat request independent of any provider's format. Every codec decodes into it and encodes from it; null means that
 * the client did not set the field. Turns need not alternate: encoders merge and reorder them as their target requires.
 */
export type Conversation = {
  /** As the client named it. */
  model: string;
  stream: boolean;
  /** The client of a chat completion stream wants usage in it; the other formats always report usage. */
  wantsUsage: boolean;
  /** System and developer instructions before the first turn, in order. Later ones are turns, at their place. */
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice: ToolChoice | null;
  parallelToolCalls: boolean | null;
  format: OutputFormat | null;
  sampling: Sampling;
  reasoning: Reasoning;
  /** "text", "audio", "image"; null: the model's default. */
  modalities: string[] | null;
  /** Voice and format of audio output; the voice is a name, or OpenAI's object of a custom voice. */
  audio: { voice: string | JsonObject; format: string } | null;
  /** An id of the end user, for abuse reports and cache routing. */
  user: string | null;
  promptCacheKey: string | null;
  /** The request's own mark: what its last part has been read to is to be cached (Anthropic's top-level cache_control). */
  cache: JsonObject | null;
  /** "auto", "default", "flex", "priority", …, in OpenAI's terms. */
  serviceTier: string | null;
  metadata: JsonObject | null;
  /** "low", "medium", "high". */
  verbosity: string | null;
  /** Members that only the client's dialect defines; restored when the target has the same dialect. */
  extra: { dialect: ChatDialect; members: JsonObject };
};

export type Turn = DialogTurn | SystemTurn;

/** Tool results are parts of user turns. */
export type DialogTurn = { role: "user" | "assistant"; parts: Part[] } & Extensions;

/**
 * Instructions that the client gave in the middle of the conversation. They stay at their place: at the top they would
 * change the first bytes of the prompt, and no provider's prompt cache would match. `isDeveloper`: from the developer,
 * in formats that tell developers from the system.
 */
export type SystemTurn = { role: "system"; parts: Part[]; isDeveloper?: true } & Extensions;

export type Part =
  | TextPart
  | MediaPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | { type: "refusal"; text: string }
  /** A part that only one dialect can carry: calls and results of hosted tools, references to stored items. */
  | { type: "native"; dialect: ChatDialect; name: string; value: JsonObject };

/**
 * Members of a part, a message or a tool that only one dialect defines; restored when the target has the same dialect.
 */
export type Extensions = { extensions?: { dialect: ChatDialect; members: JsonObject } };

/** `cache`: the end of a prefix to cache (Anthropic's cache_control). */
export type TextPart = { type: "text"; text: string; cache?: JsonObject; citations?: Citation[] } & Extensions;

export type MediaPart = {
  type: "image" | "audio" | "video" | "document";
  source: MediaSource;
  /** OpenAI's `detail` of images. */
  detail?: string;
  /** File name or title of documents. */
  name?: string;
  cache?: JsonObject;
} & Extensions;

export type MediaSource =
  | { kind: "base64"; mediaType: string; data: string }
  | { kind: "url"; url: string; mediaType?: string }
  /** A file uploaded earlier, known to one dialect only. */
  | { kind: "file"; id: string; dialect: ChatDialect; mediaType?: string }
  | { kind: "text"; text: string };

/** `encrypted`: the signature contains the reasoning in encrypted form (Anthropic's redacted thinking). */
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  signature?: Signature;
  encrypted?: boolean;
  /** The text is a summary of the reasoning. */
  summary?: boolean;
};

/**
 * An opaque value that proves reasoning to the provider that produced it. That provider requires it back unchanged;
 * others cannot use it.
 */
export type Signature = {
  dialect: ChatDialect;
  value: string /** Id of the item it belongs to, where there is one. */;
  id?: string;
};

export type ToolCallPart = {
  type: "tool-call";
  id: string;
  name: string;
  /** The tool's namespace, in OpenAI's Responses API. */
  namespace?: string;
  /** JSON text of a function's arguments, or the free text of a custom tool. */
  input: string;
  kind: "function" | "custom";
  /** Gemini signs tool calls, too. */
  signature?: Signature;
  cache?: JsonObject;
} & Extensions;

export type ToolResultPart = {
  type: "tool-result";
  callId: string;
  /** The tool's name if the format includes it; encoders that need it look the call up. */
  name: string | null;
  parts: Part[];
  isError: boolean;
  cache?: JsonObject;
} & Extensions;

export type Tool =
  | ({
      type: "function";
      name: string;
      description: string | null;
      /** JSON Schema; null: no parameters. */
      parameters: JsonObject | null;
      strict: boolean | null;
      cache?: JsonObject;
    } & Extensions)
  /**
   * A tool that takes free text. `format` as in OpenAI's Responses API: {type: "text"} or {type: "grammar", syntax,
   * definition}.
   */
  | ({
      type: "custom";
      name: string;
      description: string | null;
      format: JsonObject | null;
      cache?: JsonObject;
    } & Extensions)
  /**
   * A tool that the provider runs. `name` is "web_search", "code_execution", "file_search", … if other formats have an
   * equivalent.
   */
  | { type: "hosted"; name: string; dialect: ChatDialect; value: JsonObject };

export type ToolChoice =
  | { type: "auto" | "none" | "required" }
  | ({ type: "tool"; name: string; kind: "function" | "custom" } & Extensions)
  | { type: "allowed"; mode: "auto" | "required"; names: string[] };

export type OutputFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "schema"; name: string; description: string | null; schema: JsonObject; strict: boolean | null };

type Sampling = {
  maxOutputTokens: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  stop: string[];
  /** Number of choices; null: one. */
  n: number | null;
  logprobs: boolean | null;
  topLogprobs: number | null;
  logitBias: JsonObject | null;
};

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** How much a model is to reason. */
export type Amount =
  /** Tokens, above 0. */
  | { type: "budget"; tokens: number }
  | { type: "effort"; effort: Exclude<Effort, "none"> }
  /** The model decides how much, in view of an effort if there is one. */
  | { type: "adaptive"; effort?: Exclude<Effort, "none"> };

/** Whether a model is to reason, and how much. */
export type ReasoningSetting = { type: "off" } | Amount;

export type Reasoning = {
  setting: ReasoningSetting | null;
  /** Whether the client wants to read the reasoning or its summary; null: the default. */
  show: boolean | null;
  /** "auto", "concise" or "detailed". */
  summary: string | null;
};

/** For encoders that write reasoning by themselves and the rest by another encoder. */
export const NO_REASONING: Reasoning = { setting: null, show: null, summary: null };

export type Citation = {
  url: string | null;
  title: string | null;
  citedText: string | null;
  /** Position in the answer's text, in characters. */
  start: number | null;
  end: number | null;
  /** The citation as received, for its own dialect. */
  native?: { dialect: ChatDialect; value: JsonObject };
};

/** A conversation with every field unset. */
export function emptyConversation(dialect: ChatDialect, model: string): Conversation {
  return {
    model,
    stream: false,
    wantsUsage: true,
    system: [],
    turns: [],
    tools: [],
    toolChoice: null,
    parallelToolCalls: null,
    format: null,
    sampling: {
      maxOutputTokens: null,
      temperature: null,
      topP: null,
      topK: null,
      frequencyPenalty: null,
      presencePenalty: null,
      seed: null,
      stop: [],
      n: null,
      logprobs: null,
      topLogprobs: null,
      logitBias: null,
    },
    reasoning: { ...NO_REASONING },
    modalities: null,
    audio: null,
    user: null,
    promptCacheKey: null,
    cache: null,
    serviceTier: null,
    metadata: null,
    verbosity: null,
    extra: { dialect, members: {} },
  };
}

/** The conversation for formats whose answers have a schema but no description: it is in the schema there. */
export function withDescribedFormat(conversation: Conversation): Conversation {
  const { format } = conversation;
  if (format?.type !== "schema" || format.description === null || format.schema.description !== undefined)
    return conversation;
  const schema = { description: format.description, ...format.schema };
  return { ...conversation, format: { ...format, schema } };
}

/**
 * The members of a part, a tool or a message that the decoder does not read; restored when the target has the same
 * format.
 */
export function extensionsOf(dialect: ChatDialect, source: JsonObject, read: ReadonlySet<string>): Extensions {
  const members = Object.entries(source).filter(([name, value]) => !read.has(name) && hasContent(value));
  return members.length === 0 ? {} : { extensions: { dialect, members: Object.fromEntries(members) } };
}

const hasContent = (value: unknown): boolean => value != null && !(Array.isArray(value) && value.length === 0);

/** The extensions that belong to this format. */
export const ownMembers = ({ extensions }: Extensions, dialect: ChatDialect): JsonObject =>
  extensions?.dialect === dialect ? extensions.members : {};
