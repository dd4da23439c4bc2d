import type { ReasoningPart, Signature } from "../conversation/conversation.ts";
import { carrySignature, readSignature } from "../conversation/signature.ts";
import { type JsonObject, recordsOf, textOf } from "../json.ts";

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
