import type { ModelInfo } from "./catalog.ts";

/** When a model was turned off. `date`: a day, or a month where the source names no day. */
export type Retirement = Readonly<{ date: string; successor: string | null }>;

type RetirementFacts = Pick<
  ModelInfo,
  "deprecation_date" | "deprecation_channel_types" | "platform_retirements" | "successor"
>;

/**
 * The retirement of a model that is over. `channelType`: at the service of that type, as clouds have dates of their own; null:
 * at whichever service the date is of.
 */
export function retirementOf(facts: RetirementFacts, channelType: number | null, today = utcDay()): Retirement | null {
  const date = dayAt(facts, channelType);
  if (date === null) return null;
  // Of a month without a day, all days have to be over.
  const isOver = date.length === 7 ? date < today.slice(0, 7) : date <= today;
  return isOver ? { date, successor: facts.successor } : null;
}

/** The day on which the service of a channel type turns the model off: its own, else the maker's if that holds there. */
function dayAt(facts: RetirementFacts, channelType: number | null): string | null {
  const { deprecation_date: date, deprecation_channel_types: types, platform_retirements: platforms } = facts;
  if (channelType === null) return date;
  const own = platforms?.find(({ channel_types = [] }) => channel_types.includes(channelType))?.date;
  return own ?? (types && !types.includes(channelType) ? null : date);
}

/** The day in Greenwich, such as 2026-11-29. */
export const utcDay = (now = new Date()): string => now.toISOString().slice(0, 10);
