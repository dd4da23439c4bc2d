import type { Conversation, Part } from "../../conversation/conversation.ts";

/** The conversation without cache markers: most services reject them and cache automatically. */
export function withoutCacheMarks(conversation: Conversation): Conversation {
  const { system, turns, tools } = conversation;
  return {
    ...conversation,
    system: system.map(withoutCacheMark),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map((part): Part => withoutCacheMark(part)) })),
    tools: tools.map(withoutCacheMark),
  };
}

function withoutCacheMark<Marked extends object>(marked: Marked): Marked {
  if (!("cache" in marked)) return marked;
  const { cache: _, ...rest } = marked;
  return rest as Marked;
}
