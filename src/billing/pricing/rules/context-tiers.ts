import { type Decimal, isNegative, ONE, subtract } from "../../../lib/values/decimal.ts";

/** A price step: calls whose prompt is longer than `over` tokens pay so many times the price, input and output apart. */
export type ContextTier = Readonly<{ over: number; input: Decimal; output: Decimal }>;

/** The step that a prompt of so many tokens is on: the highest that it is over; undefined: the base price. */
export const tierOf = (tiers: readonly ContextTier[] | undefined, promptTokens: number): ContextTier | undefined =>
  tiers?.findLast(({ over }) => promptTokens > over);

/** The highest factors among tiers that a prompt may reach and the base price. */
export const highestTier = (reached: readonly ContextTier[]): Readonly<{ input: Decimal; output: Decimal }> =>
  reached.reduce<Pick<ContextTier, "input" | "output">>(
    (highest, { input, output }) => ({ input: dearer(highest.input, input), output: dearer(highest.output, output) }),
    { input: ONE, output: ONE },
  );

export const dearer = (a: Decimal, b: Decimal): Decimal => (isNegative(subtract(a, b)) ? b : a);
