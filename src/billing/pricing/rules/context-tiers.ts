import { type Decimal, isNegative, ONE, subtract } from "../../../lib/values/decimal.ts";

/** A price step: calls whose prompt is longer than `over` tokens pay so many times the price, input and output apart. */
export type ContextTier = Readonly<{ over: number; input: Decimal; output: Decimal }>;

/** The step that a prompt of so many tokens is on: the highest that it is over; undefined: the base price. */
export const tierOf = (tiers: readonly ContextTier[] | undefined, promptTokens: number): ContextTier | undefined =>
  tiers?.findLast(({ over }) => promptTokens > over);

/** The highest factors that can apply to a prompt of at most so many tokens, including those of the base price. */
export function highestTier(
  tiers: readonly ContextTier[] = [],
  mostPromptTokens: number,
): Readonly<{ input: Decimal; output: Decimal }> {
  return tiers
    .filter(({ over }) => mostPromptTokens > over)
    .reduce(
      (highest, { input, output }) => ({ input: dearer(highest.input, input), output: dearer(highest.output, output) }),
      {
        input: ONE,
        output: ONE,
      },
    );
}

export const dearer = (a: Decimal, b: Decimal): Decimal => (isNegative(subtract(a, b)) ? b : a);
