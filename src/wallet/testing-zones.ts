const HOUR_MS = 3_600_000;
const NOON = 12;

/** The name of the time zone that is so many hours ahead of UTC. */
const zoneAhead = (hours: number): string => `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;

/** Hours by which the zone is ahead of UTC where it is about noon. */
const hoursToNoon = (timeMs: number): number => NOON - (Math.floor(timeMs / HOUR_MS) % 24);

/** A time zone where it is about noon, and so stays the same day for as long as a test takes. */
export const zoneAtNoon = (timeMs = Date.now()): string => zoneAhead(hoursToNoon(timeMs));

/** A time zone where it is another day than at `zoneAtNoon`, for an hour at least. */
export function zoneOfAnotherDay(timeMs = Date.now()): string {
  const hours = hoursToNoon(timeMs);
  return zoneAhead(hours <= 1 ? hours + 13 : hours - 14);
}
