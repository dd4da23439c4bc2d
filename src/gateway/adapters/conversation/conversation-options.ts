import type { ChatDialect, Conversation } from "../../../formats/conversation/conversation.ts";
import type { Limitation } from "../../../providers/contract/provider.ts";
import type { StoreResponse } from "../../state/responses/store-response.ts";
import type { AdapterOptions } from "../passthrough-adapter.ts";
import type { StepFilter } from "../views/step-filter.ts";
import type { ChannelPrompt } from "./channel-prompt.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";
import type { ReasoningMemory } from "./reasoning-memory.ts";

export type ConversationOptions = AdapterOptions &
  Readonly<{
    dialect: ChatDialect;
    settings: ConversationSettings;
    /** What the channel is known not to support. */
    limitations: ReadonlySet<Limitation>;
    /** Fetches what the upstream wants inside the request; rejects RelayError. */
    inlineMedia: ((conversation: Conversation) => Promise<void>) | null;
    reasoningMemory: ReasoningMemory;
    /** Makes what keeps the answer for later reference; null: it is not kept. */
    storeResponse: ((request: Conversation) => StoreResponse | null) | null;
    /** Names of tools that the upstream's format may not take, each with the one that it is told. */
    toolNames: ReadonlyMap<string, string>;
    /** Instructions of the channel's own. */
    prompt: ChannelPrompt | null;
    /** Applied in order. */
    filters: readonly (() => StepFilter)[];
  }>;
