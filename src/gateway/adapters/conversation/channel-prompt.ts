import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { textOf } from "../../../formats/json.ts";

/** The instructions a channel gives of its own (setting `system_prompt`); `always`: also before a client's. */
export type ChannelPrompt = Readonly<{ text: string; always: boolean }>;

/** Reads a channel's own instructions; null: it has none. */
export function channelPromptOf({ setting }: Pick<ChannelEntry, "setting">): ChannelPrompt | null {
  const text = textOf(setting.system_prompt) ?? "";
  return text === "" ? null : { text, always: setting.system_prompt_override === true };
}

/** The conversation with the channel's instructions first, where there are none yet or they are always given. */
export function withChannelPrompt(conversation: Conversation, prompt: ChannelPrompt | null): Conversation {
  if (!prompt || (conversation.system.length > 0 && !prompt.always)) return conversation;
  return { ...conversation, system: [{ type: "text", text: prompt.text }, ...conversation.system] };
}
