import { FieldError, fieldsOf, flag, integerFrom, objectAt, oneOf } from "../../lib/field-readers.ts";
import { type NamePattern, namePattern } from "../../lib/values/patterns/name-patterns.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

/** Whose equal requests share an answer: those of one API key, or of one account (a person's or an organization's). */
export const CACHE_SCOPES = ["account", "key"] as const;

/** For which calls answers are kept, and how. Absent: as the site's settings say. */
export type CacheRule = Readonly<{
  /** Matches the model or the route that a call names. */
  pattern: NamePattern;
  isEnabled: boolean;
  ttlSeconds: number | null;
  scope: (typeof CACHE_SCOPES)[number];
  /** A longer answer is not kept. */
  maxBytes: number;
  /** What an answer from the cache costs, in percent of the price. */
  hitPercent: number | null;
  /** Also requests with tools, images, files or audio. */
  tools: boolean;
  images: boolean;
  files: boolean;
  /** Also those of organizations whose policies forbid to log contents. */
  private: boolean;
}>;

const MAX_RULES = 100;
const MAX_TTL_S = 30 * 86_400;
const [DEFAULT_KILOBYTES, MAX_KILOBYTES] = [512, 16_384];

const readRule = fieldsOf({
  enabled: flag,
  ttl_seconds: integerFrom(1, MAX_TTL_S),
  scope: oneOf(CACHE_SCOPES),
  max_kilobytes: integerFrom(1, MAX_KILOBYTES),
  hit_percent: integerFrom(0, 100),
  tools: flag,
  images: flag,
  files: flag,
  private: flag,
});

/** A name goes before patterns, and a pattern before shorter ones. */
const rankOf = (name: string): number => (name.includes("*") ? name.length : Number.POSITIVE_INFINITY);

/** Rules by the model, route or pattern (`*` for any characters) that they are for; the narrowest that matches counts. */
export const cacheRules = (
  initial: Readonly<Record<string, object>>,
  traits: Traits = {},
): Option<readonly CacheRule[]> => ({
  ...jsonDocument(traits, (value, key) => {
    const entries = Object.entries(objectAt(value, key)).toSorted(([a], [b]) => rankOf(b) - rankOf(a));
    if (entries.length > MAX_RULES) throw new FieldError(key, `an object of at most ${MAX_RULES} rules`);
    return entries.map(([name, rule]): CacheRule => {
      if (name.trim() === "") throw new FieldError(key, "an object whose names are models, routes or patterns");
      const read = readRule(rule, `${key}.${name}`);
      return {
        pattern: namePattern(name),
        isEnabled: read.enabled ?? true,
        ttlSeconds: read.ttl_seconds ?? null,
        scope: read.scope ?? "account",
        maxBytes: (read.max_kilobytes ?? DEFAULT_KILOBYTES) * 1024,
        hitPercent: read.hit_percent ?? null,
        tools: read.tools ?? false,
        images: read.images ?? false,
        files: read.files ?? false,
        private: read.private ?? false,
      };
    });
  }),
  initial: JSON.stringify(initial, null, 2),
});
