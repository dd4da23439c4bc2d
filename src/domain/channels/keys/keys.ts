import { OperationError } from "../../../lib/operation-error.ts";
import { isSecretReference } from "../../../lib/security/secret-references/reference.ts";
import type { ChannelEntry } from "../entry.ts";

/** Service-account JSON holds commas itself: channels of this type have exactly one key. */
const VERTEX_AI = 41;

/** The single keys of a channel's key text: separated by commas or line breaks, blanks left out, each once. */
export function splitKeys(type: number, text: string): string[] {
  if (type === VERTEX_AI) return text.trim() === "" ? [] : [text.trim()];
  const keys = text.split(/[,\r\n]+/).map((key) => key.trim());
  return [...new Set(keys.filter(Boolean))];
}

const HIDDEN = "••••";

/**
 * Enough of a stored key to recognize it: "sk-a••••wxyz"; short keys are hidden whole. Of a reference the secret's name is
 * shown.
 */
export function maskKey(key: string): string {
  if (isSecretReference(key)) return `${key.split("#")[0]}#${HIDDEN}`;
  return key.length <= 12 ? HIDDEN : `${key.slice(0, 4)}${HIDDEN}${key.slice(-4)}`;
}

/** Whether a form sent back what it was shown instead of a key. */
export const isMasked = (text: string): boolean => text.includes(HIDDEN);

/**
 * The key for requests to a channel's upstream other than calls: the first that is enabled, else the first. Throws
 * OperationError where its only keys are references that can't be resolved.
 */
export function firstKey({ keys, disabledKeys, unresolved }: ChannelEntry): string {
  const [problem] = unresolved;
  if (keys.length === 0 && problem) throw new OperationError("channel_key_unresolved", problem);
  return keys.find((key) => !disabledKeys.has(key)) ?? keys[0] ?? "";
}

/** What stands where a server of one's own needs no key: no secret, and words that messages have for other reasons. */
const PLACEHOLDER = /^(.{0,2}|api|dummy|empty|fake|key|lmstudio|local|na|no|none|null|ollama|test|token|vllm|xxx+)$/i;

/** Removes the key from an error message: upstreams often repeat it. */
export const withoutKey = (message: string, key: string): string =>
  PLACEHOLDER.test(key) ? message : message.replaceAll(key, "***");
