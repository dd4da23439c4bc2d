import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/**
 * Remembers which model of a route served a conversation: the prompt is in that model's cache, and only that model can
 * continue reasoning that it did not return. Keys are those of `conversationKey`.
 */
export type ConversationModels = {
  find(conversation: bigint): string | null;
  keep(conversation: bigint, model: string): void;
  /** Takes over what another worker of this host remembers. */
  learn(conversation: bigint, model: string): void;
};

const MAX_CONVERSATIONS = 20_000;
/** About as long as providers keep a prompt in their cache. */
const LIFE_MS = 10 * 60_000;

/** Remembers which model of a route a conversation was served by. `onKeep`: called with what calls of this process add. */
export function createConversationModels(
  onKeep: (conversation: bigint, model: string) => void = () => {},
): ConversationModels {
  const models = recentEntries<bigint, string>(MAX_CONVERSATIONS, LIFE_MS);
  const learn = (conversation: bigint, model: string) => void models.set(conversation, model);
  return {
    learn,
    find: (conversation) => models.get(conversation) ?? null,
    keep(conversation, model) {
      learn(conversation, model);
      onKeep(conversation, model);
    },
  };
}
