import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { Conversation, Turn } from "../../../formats/conversation/conversation.ts";
import { hasCacheMarks, withMarkOn } from "../../../formats/helpers/cache-marks.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/** When requests without marks get one: where it will pay, always, never. */
export const MARK_MODES = ["auto", "always", "never"] as const;
export type MarkMode = (typeof MARK_MODES)[number];

/** Whose prefix it is: the conversation at one account of a provider, which alone has it in its cache. */
export type MarkedSession = Readonly<{
  /** Null: nothing identifies the conversation. */
  key: string | null;
  /** The client names the conversation itself, by `prompt_cache_key`. */
  isNamed: boolean;
  /** Encoded again, a call counts once. */
  requestId: string;
}>;

/**
 * Marks the end of the stable prefix in requests of clients that set no marks. A write costs a quarter more, so a session must
 * have shown the same prefix twice within the lifetime of the cache, or name itself. In memory, bounded, per process: a session
 * whose calls several processes serve is recognized by each for itself.
 */
export type AutomaticMarks = Readonly<{
  /** The conversation with the mark; null: it gets none. */
  mark(...request: MarkedRequest): Conversation | null;
  /** Whether all of the conversation is a stable prefix, so that a mark at its end pays. */
  marksEnd(...request: MarkedRequest): boolean;
}>;

type MarkedRequest = [conversation: Conversation, session: MarkedSession, info: ModelInfo, mode: MarkMode];

/** Where the mark stands: after the instructions, or after so many turns. */
type Place = "instructions" | number;
type Seen = Readonly<{ prompt: Prompt; atMs: number; requestId: string; place: Place | null }>;

const MAX_SESSIONS = 5_000;
/** Turns beyond are not compared: the prefix ends there. */
const MAX_TURNS = 500;
/** Anthropic's shorter lifetime, which each use renews. */
const LIFETIME_MS = 5 * 60_000;
/** Of models of which it is not known. */
const MIN_CACHED_TOKENS = 1_024;
const CHARACTERS_PER_TOKEN = 4;

/** Creates the marks of a process. `now` returns milliseconds. */
export function createAutomaticMarks(now: () => number = () => performance.now()): AutomaticMarks {
  const sessions = recentEntries<string, Seen>(MAX_SESSIONS);
  return {
    mark(...request) {
      const place = placeOf(...request);
      return place === null ? null : withMarkOn(request[0], place === "instructions" ? 0 : place);
    },
    marksEnd: (...request) => placeOf(...request) === request[0].turns.length,
  };

  function placeOf(...[conversation, session, info, mode]: MarkedRequest): Place | null {
    if (mode === "never" || hasCacheMarks(conversation)) return null;
    const prompt = promptOf(conversation);
    const place = mode === "always" ? conversation.turns.length : learn(prompt, session);
    const least = (info.min_cached_tokens ?? MIN_CACHED_TOKENS) * CHARACTERS_PER_TOKEN;
    return place === null || sizeAt(prompt, place) < least ? null : place;
  }

  function learn(prompt: Prompt, { key, isNamed, requestId }: MarkedSession): Place | null {
    if (key === null) return null;
    const atMs = now();
    const before = sessions.get(key);
    if (before?.requestId === requestId) return before.place;
    const isCurrent = before !== undefined && atMs - before.atMs < LIFETIME_MS;
    const place = isCurrent ? stableEnd(before.prompt, prompt) : isNamed ? "instructions" : null;
    sessions.set(key, { prompt, atMs, requestId, place });
    return place;
  }
}

/** Fingerprints of a prompt: of tools and instructions, and of these with the first turns, each with the characters so far. */
type Prompt = Readonly<{ head: number; headSize: number; turns: Uint32Array; sizes: Uint32Array; isComplete: boolean }>;

function promptOf({ tools, system, turns }: Conversation): Prompt {
  const headText = JSON.stringify([tools, system]);
  const head = Bun.hash.xxHash32(headText);
  const count = Math.min(turns.length, MAX_TURNS);
  const hashes = new Uint32Array(count);
  const sizes = new Uint32Array(count);
  let hash = head;
  let size = headText.length;
  for (let at = 0; at < count; at += 1) {
    const media = lengthOfLongMedia(turns[at]);
    const text = media > 0 ? JSON.stringify(turns[at], shortened) : JSON.stringify(turns[at]);
    hash = Bun.hash.xxHash32(text, hash);
    size += text.length + media;
    hashes[at] = hash;
    sizes[at] = size;
  }
  return { head, headSize: headText.length, turns: hashes, sizes, isComplete: count === turns.length };
}

const LONG_MEDIA = 65_536;

/** The characters of media so long that only their checksums are compared: written once more they would take memory. */
function lengthOfLongMedia(turn: Turn | undefined): number {
  let length = 0;
  for (const part of turn?.parts ?? []) {
    const data = "source" in part && part.source.kind === "base64" ? part.source.data : "";
    if (data.length > LONG_MEDIA) length += data.length;
  }
  return length;
}

const shortened = (_name: string, value: unknown): unknown =>
  typeof value === "string" && value.length > LONG_MEDIA ? String(Bun.hash.xxHash64(value)) : value;

const sizeAt = ({ headSize, sizes }: Prompt, place: Place): number =>
  place === "instructions" ? headSize : (sizes[Math.min(place, sizes.length) - 1] ?? headSize);

/**
 * The end of what two prompts in a row have in common. Where the later one only appends, as agents do, the next will append
 * to it, too: then all of it is stable.
 */
function stableEnd(before: Prompt, after: Prompt): Place | null {
  if (before.head !== after.head) return null;
  let shared = 0;
  while (shared < before.turns.length && before.turns[shared] === after.turns[shared]) shared += 1;
  if (shared === before.turns.length && before.isComplete && after.isComplete) return after.turns.length;
  return shared > 0 ? shared : "instructions";
}
