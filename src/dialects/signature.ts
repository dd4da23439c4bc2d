import type { ChatDialect, Signature } from "./conversation.ts";

/** Begins what stands in the place of a proof that only another maker could give. */
export const MADE_HERE = "sluice~";
const FOREIGN = /^sluice~([a-z-]+)~([^~]*)~(.*)$/s;

/**
 * A signature in a place of the door's format that its clients send back unchanged: as it is when it is the format's own,
 * else with its origin before it, so that the next turn finds its maker.
 */
export function carrySignature({ dialect, value, id }: Signature, door: ChatDialect): string {
  return dialect === door ? value : `sluice~${dialect}~${id ?? ""}~${value}`;
}

/** What `carrySignature` wrote, read back; anything else is the door's own. */
export function readSignature(text: string, door: ChatDialect): Signature {
  const [, dialect, id, value] = FOREIGN.exec(text) ?? [];
  if (dialect === undefined || value === undefined) return { dialect: door, value: text };
  return { dialect: dialect as ChatDialect, value, ...(id && { id }) };
}
