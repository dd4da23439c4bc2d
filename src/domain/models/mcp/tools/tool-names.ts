import { hexDigest } from "../../../../lib/security/crypto.ts";

const MAX_NAME_LENGTH = 64;
const DIGITS = 8;
const DISTINCT_DIGITS = 32;

/** The function of a tool: its name prefixed with that of its server, in characters that every provider accepts. */
export function aliasOf(label: string, name: string): string {
  const plain = `${label}__${name}`;
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(plain) && plain.length <= MAX_NAME_LENGTH) return plain;
  const readable = `_${plain}`.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH - DIGITS - 1);
  return `${readable}_${hexDigest(plain).slice(0, DIGITS)}`;
}

/** The function of a tool whose usual name is another tool's. */
export const distinctAlias = (label: string, name: string): string =>
  `_${hexDigest(JSON.stringify([label, name])).slice(0, DISTINCT_DIGITS)}`;
