import type { JsonObject } from "../json.ts";

/** The wire formats that chats are held in. */
export type ChatDialect = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | NativeDialect;

/** A wire format that a single provider speaks, named by its codec. */
type NativeDialect = string & Record<never, never>;

/**
 * A chat request in no provider's words. Every codec reads into it and writes out of it; null means that the client did
 * not say. Turns alternate freely: encoders join and reorder as their target demands.
 */
export type Conversation = {
  /** As the client named it. */
  model: string;
  stream: boolean;
  /** The client of a chat stream wants usage in it; other formats always tell. */
  wantsUsage: boolean;
  /** System and developer instructions in their order. */
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice: ToolChoice | null;
  parallelToolCalls: boolean | null;
  format: OutputFormat | null;
  sampling: Sampling;
  reasoning: Reasoning;
  /** "text", "audio", "image"; null: the model's own. */
  modalities: string[] | null;
  /** Voice and format of spoken answers. */
  audio: { voice: string; format: string } | null;
  /** An id of the end user, for abuse reports and cache routing. */
  user: string | null;
  promptCacheKey: string | null;
  /** "auto", "default", "flex", "priority", …, in OpenAI's words. */
  serviceTier: string | null;
  metadata: JsonObject | null;
  /** "low", "medium", "high". */
  verbosity: string | null;
  /** Members that only the dialect they came in knows; put back when the target speaks the same. */
  extra: { dialect: ChatDialect; members: JsonObject };
};

/** Tool results are parts of user turns. */
export type Turn = { role: "user" | "assistant"; parts: Part[] } & Extensions;

export type Part =
  | TextPart
  | MediaPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | { type: "refusal"; text: string }
  /** What only its own dialect can carry: hosted tools' calls and results, references to stored items. */
  | { type: "native"; dialect: ChatDialect; name: string; value: JsonObject };

/** Members of a part, a message or a tool that only its own format has words for; put back when the target speaks the same. */
export type Extensions = { extensions?: { dialect: ChatDialect; members: JsonObject } };

/** `cache`: the client marks the end of a prefix worth caching (Anthropic's cache_control). */
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
  /** Uploaded before, known to one dialect alone. */
  | { kind: "file"; id: string; dialect: ChatDialect; mediaType?: string }
  | { kind: "text"; text: string };

/** `encrypted`: the whole thought is hidden in the signature (Anthropic's redacted thinking). */
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  signature?: Signature;
  encrypted?: boolean;
  /** Is a summary of the thought rather than the thought. */
  summary?: boolean;
};

/** Proof of a thought that its maker wants back unchanged; worthless to everybody else. */
export type Signature = {
  dialect: ChatDialect;
  value: string /** Id of the item it belongs to, where there is one. */;
  id?: string;
};

export type ToolCallPart = {
  type: "tool-call";
  id: string;
  name: string;
  /** Of the tool, where OpenAI's Responses group tools. */
  namespace?: string;
  /** JSON text of a function's arguments, or the free text of a custom tool. */
  input: string;
  kind: "function" | "custom";
  /** Gemini signs calls too. */
  signature?: Signature;
  cache?: JsonObject;
} & Extensions;

export type ToolResultPart = {
  type: "tool-result";
  callId: string;
  /** The tool's name where the format tells it; encoders that need it look the call up. */
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
      /** JSON Schema; null: takes nothing. */
      parameters: JsonObject | null;
      strict: boolean | null;
      cache?: JsonObject;
    } & Extensions)
  /** Free text in. `format` in OpenAI Responses' words: {type: "text"} or {type: "grammar", syntax, definition}. */
  | { type: "custom"; name: string; description: string | null; format: JsonObject | null }
  /** Runs at the provider. `name` is "web_search", "code_execution", "file_search", … as far as it has an equal elsewhere. */
  | { type: "hosted"; name: string; dialect: ChatDialect; value: JsonObject };

export type ToolChoice =
  | { type: "auto" | "none" | "required" }
  | ({ type: "tool"; name: string; kind: "function" | "custom" } & Extensions)
  | { type: "allowed"; mode: "auto" | "required"; names: string[] };

export type OutputFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "schema"; name: string; description: string | null; schema: JsonObject; strict: boolean | null };

export type Sampling = {
  maxOutputTokens: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  stop: string[];
  /** Answers asked for; null: one. */
  n: number | null;
  logprobs: boolean | null;
  topLogprobs: number | null;
  logitBias: JsonObject | null;
};

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type Reasoning = {
  effort: Effort | null;
  /** Tokens to think with; 0: not at all; -1: as many as the model likes. */
  budgetTokens: number | null;
  /** Thinking switched on or off without a measure. */
  enabled: boolean | null;
  /** Wants to read the thoughts or their summary; null: as is usual. */
  show: boolean | null;
  /** "auto", "concise" or "detailed". */
  summary: string | null;
};

export type Citation = {
  url: string | null;
  title: string | null;
  citedText: string | null;
  /** Where in the answer's text, in characters. */
  start: number | null;
  end: number | null;
  /** As it came, for its own dialect. */
  native?: { dialect: ChatDialect; value: JsonObject };
};

/** A request of which nothing is said. */
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
    reasoning: { effort: null, budgetTokens: null, enabled: null, show: null, summary: null },
    modalities: null,
    audio: null,
    user: null,
    promptCacheKey: null,
    serviceTier: null,
    metadata: null,
    verbosity: null,
    extra: { dialect, members: {} },
  };
}
