/** The length of a period in seconds. */
export const STEP_SECONDS = { hour: 3600, day: 86_400, week: 604_800 } as const;
export type PeriodStep = keyof typeof STEP_SECONDS;

/**
 * The start of the period so many steps after another, or before it, in epoch seconds: days and weeks are those of the reader's
 * calendar, so one in which the clock changes is an hour shorter or longer.
 */
export function shiftPeriod(start: number, step: PeriodStep, count: number): number {
  if (step === "hour") return start + count * STEP_SECONDS.hour;
  const date = new Date(start * 1000);
  const days = step === "week" ? 7 * count : count;
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime() / 1000;
}
