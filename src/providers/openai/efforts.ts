/** From the least to the most. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof EFFORTS)[number];

/** What models know, the first that fits; later ones know all, or are asked as it came. Source: OpenAI's reasoning guide. */
const KNOWN: readonly (readonly [model: RegExp, efforts: readonly Effort[]])[] = [
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-5\.[1-5]-pro/, ["medium", "high", "xhigh"]],
  [/^(o\d|gpt-5(\.1)?-codex(?!-max))/, ["low", "medium", "high"]],
  [/^gpt-5\.[1-5]-codex/, ["low", "medium", "high", "xhigh"]],
  [/^gpt-5(?!\.)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-5\.1(?!\d)/, ["none", "low", "medium", "high"]],
  [/^gpt-5\.[2-5](?!\d)/, ["none", "low", "medium", "high", "xhigh"]],
];

/** The effort that an OpenAI model knows next to the one that is asked for: the higher of two that are as near. */
export function nearestEffort(model: string, wanted: unknown): unknown {
  const asked = (EFFORTS as readonly unknown[]).indexOf(wanted);
  const known = KNOWN.find(([pattern]) => pattern.test(model))?.[1];
  if (asked < 0 || !known) return wanted;
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - asked);
  return known.reduce((nearest, effort) => (distance(effort) <= distance(nearest) ? effort : nearest));
}

/** OpenAI's models that do not reason: they refuse a word on how much they should. */
export const neverReasons = (model: string): boolean => /^(ft:)?(gpt-3\.5|gpt-4|chatgpt-4o)|^gpt-5-chat/.test(model);
