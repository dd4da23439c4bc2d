import type { Effort } from "./conversation.ts";

/**
 * How a service lets requests switch reasoning on and off, and choose its amount. Members are those of a chat request; the first entry whose
 * `models` fit applies.
 */
export type ReasoningControl = Readonly<{
  /** Upstream names; absent: all. */
  models?: RegExp;
  /** Members that switch reasoning on; absent: an amount suffices. */
  on?: Readonly<Record<string, unknown>>;
  /**
   * Members that switch it off; "lowest": these models always reason, so they get the lowest effort that they have;
   * null: there is no switch, because they reason on request only.
   */
  off: Readonly<Record<string, unknown>> | "lowest" | null;
  /** Where an effort is written, and the efforts that are accepted where the catalog does not know them. */
  effort?: Readonly<{ path: readonly [string, ...string[]]; efforts?: readonly Effort[] }>;
  /** Where a budget in tokens is written. */
  budget?: readonly [string, ...string[]];
  /** Other members that the service reads by itself, with all their values. */
  accepts?: readonly string[];
  /** What a call with reasoning switched off still costs, for the documentation; absent: nothing. */
  offCosts?: string;
}>;

/** The member of a message that has the reasoning: in responses, and in earlier turns of requests. */
export type ReasoningName = "reasoning_content" | "reasoning";

/** What an encoder, and the adapter that calls it, must know about the chats of a service beyond its wire format. */
export type ChatService = Readonly<{
  /** Empty: OpenAI's `reasoning_effort`, as the catalog knows the model. */
  reasoning: readonly ReasoningControl[];
  /** Upstream names that say nothing of the model, such as those of endpoints: what the client calls it counts. Null: there are none. */
  opaqueNames: RegExp | null;
  /** The member in which earlier turns return their reasoning; null: the service takes none back. */
  reasoningName: ReasoningName | null;
  /** It reads `reasoning_details`, in which signatures are. */
  reasoningDetails: boolean;
  /** Where it takes instructions: at each position, or only before the conversation. */
  systemTurns: "anywhere" | "first";
  /** Takes Anthropic's prompt cache marks for any model. */
  cacheMarks: boolean;
  /** Takes one at the top of a body, for its last block. */
  topMark: boolean;
  /** Takes OpenAI's own marks (`prompt_cache_breakpoint`), for models that have them. */
  cacheBreakpoints: boolean;
  /** Takes free-text tools (`custom`); other services get functions in their place. */
  customTools: boolean;
  /** Runs its own tools in the same request as the client's functions. */
  hostedToolsWithFunctions: boolean;
  /** Searches the web for any model when `web_search_options` request it. */
  webSearch: boolean;
  /** Compacts conversations (`POST /responses/compact`). */
  compaction: boolean;
  /** Takes media only inside the request: the gateway fetches URLs first. */
  inlineMediaOnly: boolean;
  /** Fetches https URLs in Gemini's format itself, where the request names their media type. */
  fetchesMedia: boolean;
  /** Its `completion_tokens` leave out the tokens of reasoning, which OpenAI's contain. */
  countsReasoningApart: boolean;
  /** It counts the limit of a request against the account's quota while the request runs. */
  reservesOutput: boolean;
  /** Its responses differ from their wire format, so that they are never passed through. */
  nonstandardResponses: boolean;
}>;

/** What is assumed of a service that says nothing: OpenAI's format, without anything that only some services have. */
export const PLAIN_SERVICE: ChatService = {
  reasoning: [],
  opaqueNames: null,
  reasoningName: "reasoning_content",
  reasoningDetails: true,
  systemTurns: "anywhere",
  cacheMarks: false,
  topMark: false,
  cacheBreakpoints: false,
  customTools: false,
  hostedToolsWithFunctions: false,
  webSearch: false,
  compaction: false,
  inlineMediaOnly: false,
  fetchesMedia: false,
  countsReasoningApart: false,
  reservesOutput: false,
  nonstandardResponses: false,
};
