import type { ModelInfo } from "./catalog.ts";

/** When a model was turned off. `date`: a day, or a month where the source names no day. */
export type Retirement = Readonly<{ date: string; successor: string | null }>;

type RetirementFacts = Pick<ModelInfo, "deprecation_date" | "deprecation_channel_types" | "successor">;

/**
 * The retirement of a model that is over. `channelType`: at the service of that type, as clouds have dates of their own; null:
 * at whichever service the date is of.
 */
export function retirementOf(
  { deprecation_date: date, deprecation_channel_types: types, successor }: RetirementFacts,
  channelType: number | null,
  today = utcDay(),
): Retirement | null {
  if (date === null || (channelType !== null && types && !types.includes(channelType))) return null;
  // Of a month without a day, all days have to be over.
  const isOver = date.length === 7 ? date < today.slice(0, 7) : date <= today;
  return isOver ? { date, successor } : null;
}

/** The day in Greenwich, such as 2026-11-29. */
export const utcDay = (now = new Date()): string => now.toISOString().slice(0, 10);
