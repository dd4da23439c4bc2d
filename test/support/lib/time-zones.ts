const HOUR_MS = 3_600_000;
const NOON = 12;

/** The name of the time zone that is so many hours ahead of UTC. */
const zoneAhead = (hours: number): string => `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;

/**
 * Two time zones: one where it is about noon, and so stays the same day for as long as a test takes, and one where it is
 * another day, for an hour at least. Asked for once, since both move on with the hour.
 */
export function zonesOfTwoDays(timeMs = Date.now()): { noon: string; another: string } {
  const hours = NOON - (Math.floor(timeMs / HOUR_MS) % 24);
  return { noon: zoneAhead(hours), another: zoneAhead(hours <= 1 ? hours + 13 : hours - 14) };
}
