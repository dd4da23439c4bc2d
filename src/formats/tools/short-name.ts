import { hexDigest } from "../../lib/security/digest.ts";

/** OpenAI and most who imitate it take names of users up to this length. */
const MOST_CHARACTERS = 64;
const DIGITS = 32;

/** A name that a service of OpenAI's kind takes: of one that is too long a digest, always the same for the same one. */
export const shortName = (name: string, prefix: string): string =>
  name.length <= MOST_CHARACTERS ? name : prefix + hexDigest(name).slice(0, DIGITS);

/**
 * Which ids of tool calls each format takes. OpenAI's chats refuse more than 40 characters ("Expected a string with maximum
 * length 40"), its Responses more than 64; Anthropic and Bedrock validate the characters, too.
 */
const CALL_IDS = {
  "openai-chat": /^.{1,40}$/s,
  "openai-responses": /^.{1,64}$/s,
  anthropic: /^[A-Za-z0-9_-]+$/,
  converse: /^[A-Za-z0-9_-]{1,64}$/,
} as const;

/** The id of a call as the format takes it: of any other a digest, so that different ids stay different and results still match. */
export const callIdFor = (format: keyof typeof CALL_IDS, id: string): string =>
  CALL_IDS[format].test(id) ? id : `call_${hexDigest(id).slice(0, DIGITS)}`;
