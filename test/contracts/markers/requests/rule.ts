import type { Loss } from "./follow.ts";

/** Why a member need not arrive, and need not be named. Each rule stands for one fact. */
export type Rule = Readonly<{
  why: string;
  /** Members, by the client's format. */
  at: Readonly<Partial<Record<Loss["client"], RegExp>>>;
  /** Only these values; absent: any. */
  values?: readonly unknown[];
  /** Only in these provider formats; absent: in any. */
  formats?: readonly string[];
  /** Only where this is true of the request and what was sent. */
  when?(loss: Loss): boolean;
  what?: Loss["what"];
}>;

/** Whether the rule allows the loss. */
export function allows({ at, values, formats, when, what = "lost" }: Rule, loss: Loss): boolean {
  if (what !== loss.what || !at[loss.client]?.test(loss.path)) return false;
  if (values && !values.includes(loss.value)) return false;
  if (formats && !formats.includes(loss.service.format)) return false;
  return when?.(loss) ?? true;
}
