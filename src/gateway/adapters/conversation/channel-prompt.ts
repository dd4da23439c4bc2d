import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { textOf } from "../../../formats/json.ts";

/**
 * A channel's instructions (setting `system_prompt`); `always`: even if the client sends its own, which then follow.
 */
export type ChannelPrompt = Readonly<{ text: string; always: boolean }>;

/** Reads a channel's instructions; null if it has none. */
export function channelPromptOf({ setting }: Pick<ChannelEntry, "setting">): ChannelPrompt | null {
  const text = textOf(setting.system_prompt) ?? "";
  return text === "" ? null : { text, always: setting.system_prompt_override === true };
}

/** The conversation with the channel's instructions first, if it has none or they always apply. */
export function withChannelPrompt(conversation: Conversation, prompt: ChannelPrompt | null): Conversation {
  if (!prompt || (conversation.system.length > 0 && !prompt.always)) return conversation;
  return { ...conversation, system: [{ type: "text", text: prompt.text }, ...conversation.system] };
}
