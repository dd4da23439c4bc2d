import type { Dropped, Target } from "../conversation/codec.ts";
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

/** The member of requests that marks the end of a prefix to cache, in every format but OpenAI's own. */
export const CACHE_CONTROL = "cache_control";
/** OpenAI's own mark of a content part: `mode` is always "explicit", `ttl` "30m" or "12h". */
const BREAKPOINT = "prompt_cache_breakpoint";

/** The mark of a part, a message, a tool or a request, in the form the client wrote; empty if it has none. */
export function readCacheMark(source: JsonObject): { cache?: JsonObject } {
  const cache = recordOf(source[CACHE_CONTROL]) ?? recordOf(source[BREAKPOINT]);
  return cache ? { cache } : {};
}

/** The member that writes a mark in the form it has; empty without one. */
export const markMember = (cache: JsonObject | null | undefined): JsonObject =>
  cache ? { [isBreakpoint(cache) ? BREAKPOINT : CACHE_CONTROL]: cache } : {};

const isBreakpoint = ({ mode }: JsonObject): boolean => mode === "explicit";

/** A mark in Anthropic's form. Its longer lifetime is the nearest to both of OpenAI's. */
const asControl = (mark: JsonObject): JsonObject =>
  isBreakpoint(mark) ? { type: "ephemeral", ...(mark.ttl !== undefined && { ttl: "1h" }) } : mark;

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

/** The conversation with marks in Anthropic's form, as many as providers take: the last ones, which cover most. */
export function withMostMarks(source: Conversation, dropped: Dropped): Conversation {
  return withLastMarks(mapMarks(source, asControl), dropped);
}

/** The conversation with marks as the client wrote them: of Anthropic's form as many as providers take. */
export function withLastMarks(conversation: Conversation, dropped: Dropped): Conversation {
  let count = 0;
  mapMarks(conversation, (mark) => {
    if (!isBreakpoint(mark)) count += 1;
    return mark;
  });
  if (count <= MOST_MARKS) return conversation;
  dropped.add(CACHE_CONTROL);
  let excess = count - MOST_MARKS;
  return mapMarks(conversation, (mark) => (!isBreakpoint(mark) && excess-- > 0 ? null : mark));
}

/** Models of OpenAI that take marks. Source: https://developers.openai.com/api/docs/guides/prompt-caching */
const WITH_BREAKPOINTS = /^gpt-(5\.[6-9]|[6-9]|\d\d)/;

/** Whether a model takes OpenAI's own marks where it is served. */
export const takesBreakpoints = ({ model, service }: Pick<Target, "model" | "service">): boolean =>
  service?.cacheBreakpoints === true && WITH_BREAKPOINTS.test(model);

/** The conversation with marks in OpenAI's form, which only content parts carry. */
export function withBreakpoints(conversation: Conversation, dropped: Dropped): Conversation {
  return mapMarks(conversation, (mark, at) => {
    if (at !== "content") {
      dropped.add(CACHE_CONTROL);
      return null;
    }
    return isBreakpoint(mark) ? mark : { mode: "explicit" };
  });
}

/** The conversation whose own mark is on its last part, for services that take marks of parts only. */
export function withMarkOnPart(conversation: Conversation): Conversation {
  const { cache, turns } = conversation;
  if (!cache) return conversation;
  for (const [at, turn] of [...turns.entries()].reverse()) {
    const last = turn.parts.findLastIndex((part) => canCarryMark(part) && !(part.type === "text" && part.text === ""));
    const part = turn.parts[last];
    if (!part || !canCarryMark(part)) continue;
    const parts = turn.parts.with(last, { ...part, cache: part.cache ?? cache });
    return { ...conversation, cache: null, turns: turns.with(at, { ...turn, parts }) };
  }
  return conversation;
}

/**
 * Records marks, and lifetimes other than the default, of which the written request has fewer than the conversation. `body`: the
 * request's text.
 */
export function recordUnwrittenMarks(conversation: Conversation, body: string, dropped: Dropped): void {
  // Members that only the client's format has may hold marks, too.
  const further = JSON.stringify(conversation.extra.members);
  let marks = countOf(further, MARK_MEMBERS);
  let lifetimes = countOf(further, LIFETIME_MEMBERS);
  mapMarks(conversation, (mark) => {
    marks += 1;
    if (typeof mark.ttl === "string" && mark.ttl !== DEFAULT_LIFETIME) lifetimes += 1;
    return mark;
  });
  if (marks === 0) return;
  if (countOf(body, MARK_MEMBERS) < marks) dropped.add(CACHE_CONTROL);
  if (lifetimes > 0 && countOf(body, LIFETIME_MEMBERS) < lifetimes) dropped.add(`${CACHE_CONTROL}: ttl`);
}

const DEFAULT_LIFETIME = "5m";
/** In the text of strings, quotation marks are escaped. */
const MARK_MEMBERS = /"(cache_control|prompt_cache_breakpoint|cachePoint)":/g;
const LIFETIME_MEMBERS = /"ttl":"(1h|30m|12h)"/g;
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** `at`: what carries the mark. */
type Change = (mark: JsonObject, at: "content" | "other") => JsonObject | null;

/** Changes every mark, in the order in which providers read a prompt: tools, instructions, turns; null removes one. */
function mapMarks(conversation: Conversation, change: Change): Conversation {
  const { system, turns, tools, cache } = conversation;
  return {
    ...conversation,
    tools: tools.map((tool) => mapToolMark(tool, change)),
    system: system.map((part) => mapMark(part, change, "content")),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => mapPartMarks(part, change)) })),
    cache: cache && change(cache, "other"),
  };
}

function mapToolMark(tool: Tool, change: Change): Tool {
  return tool.type === "hosted" ? { ...tool, value: mapWireMark(tool.value, change) } : mapMark(tool, change);
}

function mapPartMarks(part: Part, change: Change): Part {
  if (part.type === "native") return { ...part, value: mapWireMark(part.value, change) };
  if (part.type === "tool-call") return mapMark(part, change);
  if (part.type !== "tool-result") return canCarryMark(part) ? mapMark(part, change, "content") : part;
  return mapMark({ ...part, parts: part.parts.map((inner) => mapPartMarks(inner, change)) }, change, "content");
}

/** What only one format can carry has its mark in that format. */
function mapWireMark(value: JsonObject, change: Change): JsonObject {
  const mark = recordOf(value[CACHE_CONTROL]);
  if (!mark) return value;
  const { [CACHE_CONTROL]: _, ...rest } = value;
  const changed = change(mark, "other");
  return changed ? { ...rest, [CACHE_CONTROL]: changed } : rest;
}

function mapMark<Marked extends { cache?: JsonObject }>(
  marked: Marked,
  change: Change,
  at: Parameters<Change>[1] = "other",
): Marked {
  if (!marked.cache) return marked;
  const { cache, ...rest } = marked;
  const changed = change(cache, at);
  return { ...rest, ...(changed && { cache: changed }) } as Marked;
}

/** The mark of a tool's result, or the last inside of it, for formats whose results hold none. */
export const markOfResult = ({ cache, parts }: ToolResultPart): JsonObject | undefined =>
  cache ?? parts.flatMap((part) => (canCarryMark(part) && part.cache ? [part.cache] : [])).at(-1);

/**
 * The media of a tool's result, and the mark of its text, for formats that write the two side by side: the mark of the whole
 * result stands on the last of them.
 */
export function splitResult({ cache, parts }: ToolResultPart): { media: Part[]; mark: JsonObject | undefined } {
  const media = parts.filter(({ type }) => type !== "text");
  const mark = parts.flatMap((part) => (part.type === "text" && part.cache ? [part.cache] : [])).at(-1);
  const last = cache ? media.findLastIndex(canCarryMark) : -1;
  const part = media[last];
  if (!part || !canCarryMark(part)) return { media, mark: cache ?? mark };
  return { media: media.with(last, { ...part, cache: part.cache ?? cache }), mark };
}
