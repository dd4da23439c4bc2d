/** Days over which a pace is the average. */
export const PACE_DAYS = 7;
/** Beyond this a forecast from one week says nothing. */
const MOST_DAYS = 730;

/**
 * Whole days that a balance lasts at a pace, both in the same unit; 0: it is used up. Null: nothing was spent, or it lasts longer
 * than a week's pace can tell.
 */
export function lastsDays(balance: number, daily: number): number | null {
  if (daily <= 0) return null;
  const days = Math.max(0, Math.floor(balance / daily));
  return days <= MOST_DAYS ? days : null;
}
