import type { ChatDialect, Conversation } from "../../../formats/conversation/conversation.ts";
import type { KeepReply } from "../../state/responses/keep.ts";
import type { PassageOptions } from "../passthrough-adapter.ts";
import type { StepFilter } from "../views/step-filter.ts";
import type { ChannelPrompt } from "./channel-prompt.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";
import type { ThoughtMemory } from "./reasoning-memory.ts";

export type ConversationOptions = PassageOptions &
  Readonly<{
    dialect: ChatDialect;
    settings: ConversationSettings;
    /** A model refused betas before. */
    refusesBetas(model: string): boolean;
    /** The upstream refused to summarise its thoughts. */
    hidesThoughts: boolean;
    /** Fetches what the upstream wants inside the request; rejects RelayError. */
    inlineMedia: ((conversation: Conversation) => Promise<void>) | null;
    thoughts: ThoughtMemory;
    /** Makes what keeps the answer for later reference; null: it is not kept. */
    keeper: ((request: Conversation) => KeepReply | null) | null;
    /** Names of tools that the upstream's format may not take, each with the one that it is told. */
    toolNames: ReadonlyMap<string, string>;
    /** Instructions of the channel's own. */
    prompt: ChannelPrompt | null;
    /** Applied in order. */
    filters: readonly (() => StepFilter)[];
  }>;
