import type { Loss } from "./follow.ts";

/** Why a member need not arrive, and need not be named. Each rule stands for one fact. */
export type Rule = Readonly<{
  why: string;
  /** Members; clients of each format. */
  at: Readonly<Partial<Record<Loss["client"], RegExp>>>;
  /** Only these values; absent: any. */
  values?: readonly unknown[];
  /** Only in these provider formats; absent: in any. */
  formats?: readonly string[];
  /** Only where this is true of the request and what was sent. */
  when?(loss: Loss): boolean;
  what?: Loss["what"];
}>;

/** What asks for nothing: a request without the member means the same. */
const DEFAULTS: readonly Rule[] = [
  {
    why: "The default of the member: a request without it means the same",
    at: {
      chat: /^(response_format\[text\]|tools\[custom\]\.custom\.format\[text\]|modalities)$/,
      responses: /^(text\.format\[text\]|tools(\[namespace\]\.tools)?\[custom\]\.format\[text\])$/,
    },
  },
];

export const RULES: readonly Rule[] = [...DEFAULTS];

/** Losses that are still to be repaired. */
export const KNOWN: readonly Rule[] = [
  {
    why: "Reasoning has no one setting",
    at: {
      chat: /^reasoning/,
      responses: /^reasoning/,
      messages: /^(thinking|output_config)|\[(redacted_)?thinking\]/,
      gemini: /thinkingConfig|thought/,
      interactions: /thinking/,
    },
  },
  {
    why: "Dropped fields are not complete",
    at: { chat: /./, responses: /./, messages: /./, gemini: /./, interactions: /./ },
  },
];

/** Whether the rule allows the loss. */
export function allows({ at, values, formats, when, what = "lost" }: Rule, loss: Loss): boolean {
  if (what !== loss.what || !at[loss.client]?.test(loss.path)) return false;
  if (values && !values.includes(loss.value)) return false;
  if (formats && !formats.includes(loss.service.format)) return false;
  return when?.(loss) ?? true;
}
