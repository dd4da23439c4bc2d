import type { Conversation, Part, Turn } from "../conversation/conversation.ts";
import type { Usage } from "../conversation/reply.ts";
import { carrySignature, readSignature } from "../conversation/signature.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../json.ts";
import { itemId } from "./items.ts";
import { usageObject } from "./response/response-object.ts";

/** The origin in compaction items of this gateway, in the place where signatures name their provider's format. */
const SUMMARY = "summary";

/** The item by which a request asks for a compaction. */
const TRIGGER = "compaction_trigger";

/** Precedes the summary wherever a model reads it. */
const LEAD = "The conversation up to here was compacted. This is a summary of it:\n\n";

const INSTRUCTION = `Summarize this conversation so that another model can continue it without having seen it. Don't continue \
the conversation and don't call tools: answer with the summary alone.

Include:
- what the user wants, with constraints, preferences and instructions that still apply, also those of system messages
- what was done and decided, and why
- facts, names, paths, identifiers, figures and pieces of code that are needed to continue, word for word
- what is left to do, and the next step

Leave out what no longer matters.`;

/** A summary with the code that authenticates it. */
export type SealedSummary = Readonly<{ summary: string; code: string }>;

/** `encrypted_content` of a compaction item of this gateway: base64 (RFC 4648) of a summary and its code. */
export const sealSummary = ({ summary, code }: SealedSummary): string =>
  carrySignature({ dialect: SUMMARY, value: summary, id: code }, "openai-responses");

/** The items of a request that stand for a compacted conversation. */
export const compactionItems = (input: unknown): readonly JsonObject[] =>
  recordsOf(input).filter(({ type }) => type === "compaction" || type === "compaction_summary");

/** Whether a request asks for the compaction of its conversation instead of an answer: its last item says so. */
export const isTriggered = (input: unknown): boolean =>
  Array.isArray(input) && recordOf(input.at(-1))?.type === TRIGGER;

/** What a compaction item of this gateway holds; null if a provider made the item. Does not verify the code. */
export function readSummary(item: JsonObject): SealedSummary | null {
  const { dialect, value, id = "" } = readSignature(textOf(item.encrypted_content) ?? "", "openai-responses");
  return dialect === SUMMARY ? { summary: value, code: id } : null;
}

/** The summary as a message. */
export const summaryTurn = (summary: string): Turn => ({
  role: "user",
  parts: [{ type: "text", text: LEAD + summary }],
});

/**
 * The conversation with a request for its summary at the end. Where it shows calls of tools that the request does not
 * declare, they become text: several providers reject calls of unknown tools.
 */
export function summarizing(conversation: Conversation): Conversation {
  const { turns, tools, extra } = conversation;
  const { previous_response_id: previous } = extra.members;
  const request: Turn = { role: "user", parts: [{ type: "text", text: INSTRUCTION }] };
  const shown = turns.map(withoutTrigger).filter(({ parts }) => parts.length > 0);
  return {
    ...conversation,
    stream: false,
    turns: [...(tools.length > 0 ? shown : shown.map(withCallsAsText)), request],
    toolChoice: tools.length > 0 ? { type: "none" } : null,
    format: null,
    extra: { ...extra, members: { store: false, ...(previous ? { previous_response_id: previous } : {}) } },
  };
}

const withoutTrigger = (turn: Turn): Turn => ({
  ...turn,
  parts: turn.parts.filter((part) => part.type !== "native" || part.name !== TRIGGER),
});

const withCallsAsText = (turn: Turn): Turn => ({ ...turn, parts: turn.parts.flatMap(callAsText) });

function callAsText(part: Part): Part[] {
  if (part.type === "tool-call") return [{ type: "text", text: `[Called ${part.name}: ${part.input}]` }];
  if (part.type === "tool-result") return [{ type: "text", text: "[Result of the call:]" }, ...part.parts];
  return [part];
}

/** What a compacted conversation retains next to its summary: the user's messages, as turns. */
const userTurns = ({ turns }: Conversation): Turn[] =>
  turns
    .filter(({ role }) => role === "user")
    .map((turn) => ({ ...turn, parts: turn.parts.filter(isOwn) }))
    .filter(({ parts }) => parts.length > 0);

const isOwn = (part: Part): boolean =>
  part.type === "text" ? !part.text.startsWith(LEAD) : part.type !== "tool-result" && part.type !== "native";

/**
 * Writes a compacted response: the user's messages, then what stands for all else. `write` writes turns as items.
 * Source: https://platform.openai.com/docs/api-reference/responses/compacted-object
 */
export function compactedResponse(
  { id, createdAt, usage }: Readonly<{ id: string; createdAt: number; usage: Usage }>,
  conversation: Conversation,
  sealed: string,
  write: (conversation: Conversation) => readonly JsonObject[],
): JsonObject {
  const items = write({ ...conversation, system: [], turns: userTurns(conversation) });
  const messages = items.map((item, at) => ({ id: itemId("msg_", id, at), status: "completed", ...item }));
  const compaction = compactionItem(id, messages.length, sealed);
  return {
    id,
    object: "response.compaction",
    created_at: createdAt,
    output: [...messages, compaction],
    usage: usageObject(usage),
  };
}

const compactionItem = (responseId: string, outputIndex: number, sealed: string): JsonObject => ({
  id: itemId("cmp_", responseId, outputIndex),
  type: "compaction",
  encrypted_content: sealed,
});

/** A response to a request that ends in a trigger: `response` with the compaction item in place of its output. */
export const triggeredResponse = (response: JsonObject, sealed: string, usage: Usage): JsonObject => ({
  ...response,
  output: [compactionItem(textOf(response.id) ?? "", 0, sealed)],
  usage: usageObject(usage),
});

/** The same as a stream of events. */
export function triggeredStream(response: JsonObject): string {
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const [item] = recordsOf(response.output);
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return events
    .map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`)
    .join("");
}
