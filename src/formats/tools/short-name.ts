import { hexDigest } from "../../lib/security/digest.ts";

/** OpenAI and most compatible services limit user ids to this length. */
const MAX_CHARACTERS = 64;
const DIGITS = 32;

/** A name of a length that OpenAI-compatible services accept: longer ones become a stable digest. */
export const shortName = (name: string, prefix: string): string =>
  name.length <= MAX_CHARACTERS ? name : prefix + hexDigest(name).slice(0, DIGITS);

/**
 * Call ids that each format accepts. OpenAI's chat API rejects more than 40 characters ("Expected a string with maximum
 * length 40"), its Responses API more than 64; Anthropic and Bedrock also validate the characters.
 */
const CALL_IDS = {
  "openai-chat": /^.{1,40}$/s,
  "openai-responses": /^.{1,64}$/s,
  anthropic: /^[A-Za-z0-9_-]+$/,
  converse: /^[A-Za-z0-9_-]{1,64}$/,
} as const;

/**
 * The id of a call in a form the format accepts. Any other id becomes a digest, so that different ids stay different
 * and results still match.
 */
export const callIdFor = (format: keyof typeof CALL_IDS, id: string): string =>
  CALL_IDS[format].test(id) ? id : `call_${hexDigest(id).slice(0, DIGITS)}`;
