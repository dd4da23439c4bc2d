import type { AgentSession, GuardrailNote } from "../../billing/types.ts";
import type { Verdict } from "../../domain/models/guardrails/inspect.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { GUARDRAIL_TAG } from "../../settings/option/guardrails.ts";
import type { Call } from "../call/call.ts";
import type { GuardLog } from "../call/guardrails/call-guard.ts";

const MAX_TOOLS = 32;

/**
 * Headers that name a session: ours, those of Codex (`session_id` until 2025; pi, too) and Claude Code, a common one, Cline's, and one
 * of pi. opencode names the session of a sub-agent in the common one, and that of the agent which started it in a header of its own.
 */
const HEADERS = [
  "x-sluice-session",
  "session-id",
  "session_id",
  "x-claude-code-session-id",
  "x-parent-session-id",
  "x-session-id",
  "x-task-id",
  "x-session-affinity",
] as const;

/** JSON with `agent_name`, as Codex sends it in a header, and in `client_metadata` of its frames over WebSocket. */
const CODEX_TURN = "x-codex-turn-metadata";

/** Claude Code: `user_…_account_…_session_UUID`. */
const CLAUDE_SESSION = /_session_([\w-]{8,})$/;

/** W3C Trace Context: version, trace, span, flags. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/;

/**
 * The run of an agent that a call belongs to, by what its client says of itself: a header, the body's `session_id`,
 * `metadata` or `conversation`, else the trace; if it says nothing, by the beginning of the conversation. Null: no agent's call.
 * Its record bounds the length of each.
 */
export function agentSessionOf(source: SessionSource): AgentSession | null {
  const { prompt, caller } = source;
  const { headers } = source.request;
  const { json } = source.body;
  const parent = headers.get("traceparent");
  const trace = parent === null ? null : TRACE_PARENT.exec(parent);
  let named: Named | null = null;
  for (const name of HEADERS) {
    const id = headers.get(name);
    if (!id) continue;
    named = { id, by: "header" };
    break;
  }
  const { session_id, conversation, client_metadata, metadata, tools: offered } = json;
  // Most requests say nothing of a session.
  if (!named && (session_id ?? conversation ?? client_metadata ?? metadata) != null) named = sessionInBody(json);
  if (!named && trace?.[1]) named = { id: trace[1], by: "trace" };
  if (!named && Array.isArray(offered) && offered.length > 0) named = sessionByPrompt(json, prompt, caller);
  if (!named) return null;
  const step = headers.get("x-sluice-step") ?? trace?.[2];
  const tools = toolsBefore(prompt);
  return {
    id: named.id,
    by: named.by,
    ...(step && { step }),
    ...agentOf(named.id, headers, json),
    ...(tools.length > 0 && { tools }),
  };
}

type SessionSource = Readonly<{ request: Readonly<{ headers: Headers }>; body: Readonly<{ json: JsonObject }> }> &
  Pick<Call, "prompt"> &
  Readonly<{ caller: Readonly<{ user: Readonly<{ id: number }>; token: Readonly<{ id: number }> | null }> }>;
type Named = Pick<AgentSession, "id" | "by">;

function sessionInBody({
  session_id,
  conversation: named,
  client_metadata,
  metadata: labels,
}: JsonObject): Named | null {
  const own = textOf(session_id);
  if (own) return { id: own, by: "body" };
  const conversation = textOf(named) ?? textOf(recordOf(named)?.id);
  if (conversation) return { id: conversation, by: "conversation" };
  const frame = textOf(recordOf(client_metadata)?.session_id);
  if (frame) return { id: frame, by: "metadata" };
  const metadata = recordOf(labels);
  if (!metadata) return null;
  const user = textOf(metadata.user_id) ?? "";
  const id = textOf(metadata.session_id) ?? CLAUDE_SESSION.exec(user)?.[1] ?? sessionInJson(user);
  return id ? { id, by: "metadata" } : null;
}

/** The parts of a conversation's beginning that tell it from others, and the length of each that counts. */
const MAX_PARTS = 64;
const MAX_PART_LENGTH = 65_536;

/**
 * The session of an agent that names none (Gemini CLI, Qwen Code, Cline, Continue, Copilot, pi): calls of one key whose
 * instructions and first message of the user are the same, with tools, as agents have them. The id is a hash: it holds no text.
 */
function sessionByPrompt(json: JsonObject, prompt: JsonObject, { user, token }: SessionSource["caller"]): Named | null {
  if (json.previous_response_id != null) return null;
  const messages = Array.isArray(prompt.messages) ? prompt.messages : [];
  let hash = BigInt(Bun.hash(`${user.id}/${token?.id ?? 0}`));
  for (const message of messages.slice(0, MAX_PARTS)) {
    const { role, content } = recordOf(message) ?? {};
    const texts = typeof content === "string" ? [content] : recordsOf(content).map(({ text }) => textOf(text) ?? "");
    for (const text of texts.slice(0, MAX_PARTS)) hash = BigInt(Bun.hash(text.slice(0, MAX_PART_LENGTH), hash));
    if (role === "user") return { id: `prompt-${hash.toString(16).padStart(16, "0")}`, by: "prompt" };
  }
  return null;
}

/** Newer versions of Claude Code send an object as text. */
const sessionInJson = (text: string): string | null => textOf(jsonIn(text)?.session_id);

function jsonIn(text: string): JsonObject | null {
  if (!text.startsWith("{")) return null;
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * The sub-agent that makes a call, and the one that started it, as clients name them: our headers, Claude Code 2.1, Codex 0.171
 * (a thread of its own in the session) and opencode 1 (a session of its own). Empty: the agent that the session began with.
 */
function agentOf(session: string, headers: Headers, body: JsonObject): Pick<AgentSession, "agent" | "parent" | "name"> {
  // Over WebSocket the headers are those of the connection, which agents share: what a frame says counts.
  const frame = recordOf(body.client_metadata);
  const textFrom = (name: string, member = name) => textOf(frame?.[member]) ?? headers.get(name);
  const agent =
    headers.get("x-sluice-agent") ??
    headers.get("x-claude-code-agent-id") ??
    textFrom("thread-id", "thread_id") ??
    (headers.has("x-parent-session-id") ? headers.get("x-session-id") : null);
  if (!agent || agent === session) return {};
  const parent =
    headers.get("x-sluice-parent-agent") ??
    headers.get("x-claude-code-parent-agent-id") ??
    textFrom("x-codex-parent-thread-id");
  const name = textOf(jsonIn(textFrom(CODEX_TURN) ?? "")?.agent_name);
  return {
    agent,
    ...(parent && parent !== session && parent !== agent && { parent }),
    ...(name && { name }),
  };
}

/** The tools whose results are the news of this call: those called by the last turn of the assistant. */
function toolsBefore({ messages, input }: JsonObject): string[] {
  const names: string[] = [];
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [];
  let hasResult = false;
  for (let at = turns.length - 1; at >= 0 && names.length < MAX_TOOLS; at -= 1) {
    const turn = recordOf(turns[at]);
    if (!turn) break;
    const calls = recordsOf(turn.tool_calls).map((call) => textOf(recordOf(call.function)?.name));
    if (turn.type === "function_call") calls.push(textOf(turn.name));
    names.unshift(...calls.filter((name) => name !== null));
    const isResult = turn.role === "tool" || turn.type === "function_call_output" || turn.type === "function_call";
    hasResult ||= isResult;
    // Text of the user may follow results: Claude Code's reminders do.
    if (!isResult && (hasResult || turn.role !== "user")) break;
  }
  return names.slice(0, MAX_TOOLS);
}

const MOST_TAGS = 10;
const LONGEST_TAG = 64;
const NO_TAGS: readonly string[] = [];

/**
 * The tags of a call that are stored with its log row: the entries of `X-Sluice-Tags` and of the request's `metadata.tags`, a
 * list or a text with commas. The first ten that differ count, each up to 64 characters; those of guardrails are none of its own.
 */
export function callTags(headers: Headers, body: JsonObject): readonly string[] {
  const header = headers.get("x-sluice-tags");
  const named = body.metadata === undefined ? undefined : recordOf(body.metadata)?.tags;
  if (header === null && named === undefined) return NO_TAGS;
  const inBody = Array.isArray(named) ? named.filter((tag) => typeof tag === "string") : splitTags(textOf(named) ?? "");
  const tags = [...splitTags(header ?? ""), ...inBody];
  const cut = tags
    .map((tag) => [...tag.trim()].slice(0, LONGEST_TAG).join("").trim())
    .filter((tag) => tag !== "" && !tag.startsWith(GUARDRAIL_TAG));
  return [...new Set(cut)].slice(0, MOST_TAGS);
}

const MOST_GUARDRAIL_TAGS = 50;

/** The tags of a call, with what its guardrails did and their names before its own, of which none is lost for them. */
export function withGuardrailTags(verdicts: readonly Verdict[], own: readonly string[]): readonly string[] {
  const actions = verdicts.map(({ action, shadow }) => GUARDRAIL_TAG + (shadow ? "shadow" : action));
  const names = verdicts.map(({ name }) => GUARDRAIL_TAG + name);
  return [...[...new Set([...actions, ...names])].slice(0, MOST_GUARDRAIL_TAGS), ...own];
}

const MOST_VERDICTS = 50;

/** What a guardrail found, for the log. */
export const verdictNote = (verdict: Verdict): GuardrailNote["verdicts"][number] => ({
  ...verdict,
  found: Object.entries(verdict.found).map(([type, count]) => ({ type, count })),
});

/** What guardrails found, for the log. */
export const guardrailNote = ({ verdicts, heldCharacters, delayMs }: GuardLog): GuardrailNote => ({
  verdicts: verdicts.slice(0, MOST_VERDICTS).map(verdictNote),
  ...(heldCharacters > 0 && { held_characters: heldCharacters }),
  ...(delayMs > 0 && { delay_ms: Math.ceil(delayMs * 10) / 10 }),
});

/** The entries of a text with commas. */
export const splitTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
