import type { Dropped } from "../conversation/codec.ts";
import type {
  Conversation,
  MediaPart,
  Part,
  TextPart,
  Tool,
  ToolCallPart,
  ToolResultPart,
} from "../conversation/conversation.ts";
import { type JsonObject, recordOf } from "../json.ts";

/** Anthropic, and every service that took its marks over, rejects more. */
const MOST_MARKS = 4;

/** The member of requests that marks the end of a prefix to cache, in every format that has such marks. */
export const CACHE_CONTROL = "cache_control";

/** The mark of a part, a message, a tool or a request; empty if it has none. */
export function readCacheMark(source: JsonObject): { cache?: JsonObject } {
  const cache = recordOf(source[CACHE_CONTROL]);
  return cache ? { cache } : {};
}

/** Parts of a message that is marked itself: the mark moves to the last part that can carry it, unless that has one. */
export function withMessageMark(parts: readonly Part[], message: JsonObject): Part[] {
  const { cache } = readCacheMark(message);
  const last = cache ? parts.findLastIndex(canCarryMark) : -1;
  return parts.map((part, at) => (at === last && canCarryMark(part) ? { ...part, cache: part.cache ?? cache } : part));
}

type MarkedPart = TextPart | MediaPart | ToolCallPart | ToolResultPart;

const canCarryMark = (part: Part): part is MarkedPart =>
  part.type !== "reasoning" && part.type !== "refusal" && part.type !== "native";

/** Whether the client marks anything itself. */
export function hasCacheMarks(conversation: Conversation): boolean {
  let found = false;
  mapMarks(conversation, (mark) => {
    found = true;
    return mark;
  });
  return found;
}

/** The conversation with a mark at the end of its first turns; of its instructions, else its tools, where these can carry none. */
export function withMarkOn(conversation: Conversation, turnCount: number): Conversation {
  const cache = { type: "ephemeral" };
  const { turns, system, tools } = conversation;
  for (let at = Math.min(turnCount, turns.length) - 1; at >= 0; at -= 1) {
    const turn = turns[at];
    const last = turn?.parts.findLastIndex((part) => canCarryMark(part) && !(part.type === "text" && part.text === ""));
    if (!turn || last === undefined || last < 0) continue;
    const parts = turn.parts.map((part, index) => (index === last ? { ...part, cache } : part));
    return { ...conversation, turns: turns.with(at, { ...turn, parts }) };
  }
  const part = system.at(-1);
  if (part) return { ...conversation, system: system.with(-1, { ...part, cache }) };
  const tool = tools.at(-1);
  return tool && tool.type !== "hosted" ? { ...conversation, tools: tools.with(-1, { ...tool, cache }) } : conversation;
}

/** The conversation without marks, for services that have none: most cache by themselves. */
export function withoutCacheMarks(conversation: Conversation, dropped: Dropped): Conversation {
  return mapMarks(conversation, () => {
    dropped.add(CACHE_CONTROL);
    return null;
  });
}

/** The conversation with as many marks as providers take: the last ones, which cover most. */
export function withMostMarks(conversation: Conversation, dropped: Dropped): Conversation {
  let count = 0;
  mapMarks(conversation, (mark) => {
    count += 1;
    return mark;
  });
  if (count <= MOST_MARKS) return conversation;
  dropped.add(CACHE_CONTROL);
  let excess = count - MOST_MARKS;
  return mapMarks(conversation, (mark) => (excess-- > 0 ? null : mark));
}

type Change = (mark: JsonObject) => JsonObject | null;

/** Changes every mark, in the order in which providers read a prompt: tools, instructions, turns; null removes one. */
function mapMarks(conversation: Conversation, change: Change): Conversation {
  const { system, turns, tools, cache } = conversation;
  return {
    ...conversation,
    tools: tools.map((tool) => mapToolMark(tool, change)),
    system: system.map((part) => mapMark(part, change)),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => mapPartMarks(part, change)) })),
    cache: cache && change(cache),
  };
}

function mapToolMark(tool: Tool, change: Change): Tool {
  return tool.type === "hosted" ? { ...tool, value: mapWireMark(tool.value, change) } : mapMark(tool, change);
}

function mapPartMarks(part: Part, change: Change): Part {
  if (part.type === "native") return { ...part, value: mapWireMark(part.value, change) };
  if (part.type !== "tool-result") return canCarryMark(part) ? mapMark(part, change) : part;
  return mapMark({ ...part, parts: part.parts.map((inner) => mapPartMarks(inner, change)) }, change);
}

/** What only one format can carry has its mark in that format. */
function mapWireMark(value: JsonObject, change: Change): JsonObject {
  const mark = recordOf(value[CACHE_CONTROL]);
  if (!mark) return value;
  const { [CACHE_CONTROL]: _, ...rest } = value;
  const changed = change(mark);
  return changed ? { ...rest, [CACHE_CONTROL]: changed } : rest;
}

function mapMark<Marked extends { cache?: JsonObject }>(marked: Marked, change: Change): Marked {
  if (!marked.cache) return marked;
  const { cache, ...rest } = marked;
  const changed = change(cache);
  return { ...rest, ...(changed && { cache: changed }) } as Marked;
}

/** The mark of a tool's result, or the last inside of it, for formats whose results hold none. */
export const markOfResult = ({ cache, parts }: ToolResultPart): JsonObject | undefined =>
  cache ?? parts.flatMap((part) => (canCarryMark(part) && part.cache ? [part.cache] : [])).at(-1);
