import type { ReasoningPart, Signature } from "../conversation/conversation.ts";
import { carrySignature, GATEWAY_MARK, readSignature } from "../conversation/signature.ts";
import { type JsonObject, recordsOf, textOf } from "../json.ts";
import type { Searched } from "../tools/web-search.ts";

/** Writes another provider's web search as OpenAI's item. */
export const searchItem = (id: string, { queries, found, hasFailed }: Searched): JsonObject => ({
  id,
  type: "web_search_call",
  status: hasFailed ? "failed" : "completed",
  action: {
    type: "search",
    query: queries[0] ?? "",
    queries,
    ...(found.length > 0 && { sources: found.map(({ url }) => ({ type: "url", url })) }),
  },
});

/** Reasoning as an item; clients send its encrypted content back. */
export const reasoningItem = (id: string, text: string, sealed: string | null): JsonObject => ({
  id,
  type: "reasoning",
  summary: text === "" ? [] : [{ type: "summary_text", text }],
  ...(sealed !== null && { encrypted_content: sealed }),
});

/** An id for an item of a response. It encodes the item's position, so that a reference to it can be resolved. */
export const itemId = (prefix: string, responseId: string, outputIndex: number): string =>
  `${prefix}${responseId.replace(/^resp_/, "")}_${outputIndex}`;

/** The position that `itemId` encoded in this id; null for other ids. */
export function placeOfItem(id: string): Readonly<{ responseId: string; outputIndex: number }> | null {
  const [, stem, at] = ITEM_ID.exec(id) ?? [];
  return stem === undefined ? null : { responseId: `resp_${stem}`, outputIndex: Number(at) };
}

/** Versions up to 0.1.0 wrote the mark of item ids in plain text. */
const ITEM_ID = new RegExp(`^[a-z]+_(?:${GATEWAY_MARK}|sluice~)?([\\w-]+)_(\\d+)$`);

/** Marks another provider's hidden reasoning, in the id after its origin. */
const HIDDEN = "hidden";
/** Precedes the id of the call that another provider's signature belongs to. */
const CALL_PREFIX = "call:";

/** What a reasoning item holds: reasoning, or the signature of the call after it. */
type ReadReasoning = { part: ReasoningPart } | { callId: string; signature: Signature };

/** Reads a reasoning item. Without `encrypted_content` it is plain text: only OpenAI can resolve its id. */
export function readReasoningItem(item: JsonObject): ReadReasoning {
  const shown = recordsOf(item.content).length > 0 ? item.content : item.summary;
  const text = recordsOf(shown)
    .flatMap((part) => textOf(part.text) ?? [])
    .join("\n\n");
  const sealed = textOf(item.encrypted_content);
  if (!sealed) return { part: { type: "reasoning", text } };
  const { id, ...read } = readSignature(sealed, "openai-responses");
  if (read.dialect === "openai-responses") {
    const own = textOf(item.id);
    const signature = { ...read, ...(own !== null && { id: own }) };
    return { part: { type: "reasoning", text, signature, ...(text === "" ? { encrypted: true } : { summary: true }) } };
  }
  if (id?.startsWith(CALL_PREFIX)) return { callId: id.slice(CALL_PREFIX.length), signature: read };
  if (id === HIDDEN) return { part: { type: "reasoning", text, signature: read, encrypted: true } };
  return { part: { type: "reasoning", text, signature: { ...read, ...(id !== undefined && { id }) } } };
}

/** `encrypted_content` of a reasoning item. */
export const sealReasoning = (signature: Signature, encrypted: boolean): string =>
  carrySignature(encrypted ? { ...signature, id: HIDDEN } : signature, "openai-responses");

/** `encrypted_content` of the item that carries the signature of the call after it. */
export const sealCall = (signature: Signature, callId: string): string =>
  carrySignature({ ...signature, id: CALL_PREFIX + callId }, "openai-responses");
