import type { AgentSession } from "../../billing/types.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import type { Call } from "../call/call.ts";

const MAX_LENGTH = 200;
const MAX_TOOLS = 32;

/** Headers that name a session: ours, that of Codex, and a common one. */
const HEADERS = ["x-sluice-session", "session_id", "x-session-id"] as const;

/** Claude Code: `user_…_account_…_session_UUID`. */
const CLAUDE_SESSION = /_session_([\w-]{8,})$/;

/** W3C Trace Context: version, trace, span, flags. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/;

/**
 * The run of an agent that a call belongs to, by what its client says of itself: a header, the body's `session_id`,
 * `metadata` or `conversation`, else the trace. Null: it says nothing.
 */
export function agentSessionOf({ request: { headers }, body: { json }, prompt }: SessionSource): AgentSession | null {
  const parent = headers.get("traceparent");
  const trace = parent === null ? null : TRACE_PARENT.exec(parent);
  const named = namedSession(headers, json) ?? (trace?.[1] ? { id: trace[1], by: "trace" as const } : null);
  if (named === null) return null;
  const step = headers.get("x-sluice-step")?.slice(0, MAX_LENGTH) ?? trace?.[2];
  const tools = toolsBefore(prompt);
  return {
    id: named.id.slice(0, MAX_LENGTH),
    by: named.by,
    ...(step && { step }),
    ...(tools.length > 0 && { tools }),
  };
}

type SessionSource = Readonly<{ request: Readonly<{ headers: Headers }>; body: Readonly<{ json: JsonObject }> }> &
  Pick<Call, "prompt">;
type Named = Pick<AgentSession, "id" | "by">;

function namedSession(headers: Headers, body: JsonObject): Named | null {
  for (const name of HEADERS) {
    const id = headers.get(name);
    if (id) return { id, by: "header" };
  }
  const own = textOf(body.session_id);
  if (own) return { id: own, by: "body" };
  const conversation = textOf(body.conversation) ?? textOf(recordOf(body.conversation)?.id);
  if (conversation) return { id: conversation, by: "conversation" };
  const metadata = recordOf(body.metadata);
  if (!metadata) return null;
  const user = textOf(metadata.user_id) ?? "";
  const id = textOf(metadata.session_id) ?? CLAUDE_SESSION.exec(user)?.[1] ?? sessionInJson(user);
  return id ? { id, by: "metadata" } : null;
}

/** Newer versions of Claude Code send an object as text. */
function sessionInJson(text: string): string | null {
  if (!text.startsWith("{")) return null;
  try {
    return textOf(recordOf(JSON.parse(text))?.session_id);
  } catch {
    return null;
  }
}

/** The tools whose results are the news of this call: those called by the last turn of the assistant. */
function toolsBefore({ messages, input }: JsonObject): string[] {
  const names: string[] = [];
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [];
  for (let at = turns.length - 1; at >= 0 && names.length < MAX_TOOLS; at -= 1) {
    const turn = recordOf(turns[at]);
    if (!turn) break;
    const calls = recordsOf(turn.tool_calls).map((call) => textOf(recordOf(call.function)?.name));
    if (turn.type === "function_call") calls.push(textOf(turn.name));
    names.unshift(...calls.filter((name) => name !== null).map((name) => name.slice(0, MAX_LENGTH)));
    const isResult = turn.role === "tool" || turn.type === "function_call_output" || turn.type === "function_call";
    if (!isResult) break;
  }
  return names.slice(0, MAX_TOOLS);
}

const MOST_TAGS = 10;
const LONGEST_TAG = 64;
const NO_TAGS: readonly string[] = [];

/**
 * The tags of a call that are stored with its log row: the entries of `X-Sluice-Tags` and of the request's `metadata.tags`, a
 * list or a text with commas. The first ten that differ count, each up to 64 characters.
 */
export function callTags(headers: Headers, body: JsonObject): readonly string[] {
  const header = headers.get("x-sluice-tags");
  const named = recordOf(body.metadata)?.tags;
  if (header === null && named === undefined) return NO_TAGS;
  const inBody = Array.isArray(named) ? named.filter((tag) => typeof tag === "string") : splitTags(textOf(named) ?? "");
  const tags = [...splitTags(header ?? ""), ...inBody];
  const cut = tags.map((tag) => [...tag.trim()].slice(0, LONGEST_TAG).join("").trim()).filter((tag) => tag !== "");
  return [...new Set(cut)].slice(0, MOST_TAGS);
}

/** The entries of a text with commas. */
export const splitTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
