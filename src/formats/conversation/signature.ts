import type { ChatDialect, Signature } from "./conversation.ts";

/**
 * Marks everything opaque that this gateway made and not the provider whose format it is in: ids, and proofs that stand in
 * for another provider's. It is the beginning of `sluice~` in base64 (RFC 4648), so a proof that begins with it is valid base64, and an id
 * that contains it keeps to letters and digits: clients and providers validate both.
 */
export const GATEWAY_MARK = "c2x1aWNlf";
/** What stands where a provider's proof would, with nothing behind it: `sluice~` in base64. */
export const EMPTY_PROOF = "c2x1aWNlfg==";
/** The same mark as gateways up to 0.1.0 wrote it, in plain text: histories that clients kept still contain it. */
const OLD_MARK = "sluice~";
const FOREIGN = /^sluice~([a-z-]+)~([^~]*)~(.*)$/s;

/** Whether a text contains anything that this gateway made in place of a provider. */
export const hasGatewayMark = (text: string): boolean => text.includes(GATEWAY_MARK) || text.includes(OLD_MARK);

/**
 * A signature for a field that clients send back unchanged: its own value where the format is the provider's, else base64
 * (standard alphabet with padding, as every provider writes such fields) of the value with its origin, so that the next turn
 * can return it to its provider. Google's typed clients reject a signature that is not base64.
 */
export function carrySignature({ dialect, value, id }: Signature, clientDialect: ChatDialect): string {
  return dialect === clientDialect
    ? value
    : Buffer.from(`${OLD_MARK}${dialect}~${encodeId(id)}~${value}`).toString("base64");
}

/**
 * Reads what `carrySignature` wrote, in either base64 alphabet, padded or not (Google's Python client decodes signatures to
 * bytes and writes them in the URL alphabet), or in plain text as older gateways wrote it. Anything else is the format's own.
 */
export function readSignature(text: string, clientDialect: ChatDialect): Signature {
  const plain = text.startsWith(GATEWAY_MARK) ? Buffer.from(text, "base64").toString() : text;
  const [, dialect, id, value] = FOREIGN.exec(plain) ?? [];
  if (dialect === undefined || value === undefined) return { dialect: clientDialect, value: text };
  return { dialect: dialect as ChatDialect, value, ...(id && { id: plain === text ? id : decodeURIComponent(id) }) };
}

/** Ids of calls may contain the separator. */
const encodeId = (id = ""): string => encodeURIComponent(id.toWellFormed()).replaceAll("~", "%7E");

/** Letters that every provider takes in ids of calls, and how many Anthropic is known to take. */
const PLAIN_ID = /^[A-Za-z0-9_-]+$/;

/**
 * The id of a call for clients whose format allows only letters, digits, `_` and `-` (Anthropic's API refuses a history with
 * any other): one with other characters, such as Kimi's `functions.search:0`, is encoded so that `readCallId` restores it.
 */
export const carryCallId = (id: string): string =>
  id === "" || PLAIN_ID.test(id) ? id : `toolu_${Buffer.from(OLD_MARK + id).toString("base64url")}`;

/** The provider's own id of a call from one that `carryCallId` may have encoded. */
export function readCallId(id: string): string {
  if (!id.startsWith(`toolu_${GATEWAY_MARK}`)) return id;
  const plain = Buffer.from(id.slice("toolu_".length), "base64url").toString();
  return plain.startsWith(OLD_MARK) ? plain.slice(OLD_MARK.length) : id;
}
