import { hexDigest } from "../lib/digest.ts";

/** OpenAI and most who imitate it take names of users and ids of calls up to this length. */
const MOST_CHARACTERS = 64;
const DIGITS = 32;

/** A name that a service of OpenAI's kind takes: of one that is too long a digest, always the same for the same one. */
export const shortName = (name: string, prefix: string): string =>
  name.length <= MOST_CHARACTERS ? name : prefix + hexDigest(name).slice(0, DIGITS);
