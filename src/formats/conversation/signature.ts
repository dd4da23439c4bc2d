import type { ChatDialect, Signature } from "./conversation.ts";

/**
 * Marks opaque values that this gateway created in place of a provider: ids, and stand-ins for another provider's
 * signatures. It is the beginning of `sluice~` in base64 (RFC 4648), so a signature that begins with it is valid
 * base64, and an id that contains it consists of letters and digits: clients and providers validate both.
 */
export const GATEWAY_MARK = "c2x1aWNlf";
/** Stands in for a provider's signature and carries nothing: `sluice~` in base64. */
export const EMPTY_PROOF = "c2x1aWNlfg==";
/** The mark as versions up to 0.1.0 wrote it, in plain text: clients' histories still contain it. */
const OLD_MARK = "sluice~";
const FOREIGN = /^sluice~([a-z-]+)~([^~]*)~(.*)$/s;

/** Whether a text contains a value that this gateway created in place of a provider. */
export const hasGatewayMark = (text: string): boolean => text.includes(GATEWAY_MARK) || text.includes(OLD_MARK);

/**
 * Encodes a signature for a field that clients send back unchanged. If the format is the provider's own, the value
 * stays as it is; otherwise it becomes base64 (standard alphabet with padding, as every provider writes such fields) of
 * the value with its origin, so that the next turn can return it to its provider. Google's typed clients reject a
 * signature that is not base64.
 */
export function carrySignature({ dialect, value, id }: Signature, clientDialect: ChatDialect): string {
  return dialect === clientDialect
    ? value
    : Buffer.from(`${OLD_MARK}${dialect}~${encodeId(id)}~${value}`).toString("base64");
}

/**
 * Decodes the result of `carrySignature`: in either base64 alphabet, padded or not (Google's Python client decodes
 * signatures to bytes and writes them in the URL alphabet), or in plain text as versions up to 0.1.0 wrote it. Anything
 * else is the format's own signature.
 */
export function readSignature(text: string, clientDialect: ChatDialect): Signature {
  const plain = text.startsWith(GATEWAY_MARK) ? Buffer.from(text, "base64").toString() : text;
  const [, dialect, id, value] = FOREIGN.exec(plain) ?? [];
  if (dialect === undefined || value === undefined) return { dialect: clientDialect, value: text };
  return { dialect: dialect as ChatDialect, value, ...(id && { id: plain === text ? id : decodeURIComponent(id) }) };
}

/** The `format` of Claude's reasoning in `reasoning_details`, which begins the id of such a signature. */
export const CLAUDE_DETAILS = "anthropic-claude-v1";

/**
 * The value by which Claude knows its own reasoning on every platform that serves it: Anthropic, both APIs of Bedrock, Vertex
 * and those that hand it on in `reasoning_details`. Null: another maker's, or none.
 */
export function claudeSignature(signature: Signature | undefined): string | null {
  if (!signature) return null;
  // "converse" is how versions up to 0.1.0 named the signatures of Bedrock's Converse.
  const isClaudes = signature.dialect === "anthropic" || signature.dialect === "converse";
  return isClaudes || signature.id?.startsWith(`${CLAUDE_DETAILS}/`) ? signature.value : null;
}

/** Percent-encodes the id, because ids of calls may contain the separator. */
const encodeId = (id = ""): string => encodeURIComponent(id.toWellFormed()).replaceAll("~", "%7E");

/** Characters that every provider accepts in call ids, up to a length that Anthropic accepts. */
const PLAIN_ID = /^[A-Za-z0-9_-]+$/;

/**
 * The id of a call for clients whose format allows only letters, digits, `_` and `-` (Anthropic's API rejects a history
 * with any other character). Other ids, such as Kimi's `functions.search:0`, are encoded so that `readCallId` restores
 * them.
 */
export const carryCallId = (id: string): string =>
  id === "" || PLAIN_ID.test(id) ? id : `toolu_${Buffer.from(OLD_MARK + id).toString("base64url")}`;

/** Restores the provider's id of a call that `carryCallId` may have encoded. */
export function readCallId(id: string): string {
  if (!id.startsWith(`toolu_${GATEWAY_MARK}`)) return id;
  const plain = Buffer.from(id.slice("toolu_".length), "base64url").toString();
  return plain.startsWith(OLD_MARK) ? plain.slice(OLD_MARK.length) : id;
}
