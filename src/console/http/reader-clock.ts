import { t } from "elysia";
import type { SeriesClock } from "../../domain/logs/usage/series/read-series.ts";
import { isTimeZone } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { integer } from "./integers.ts";

/** By which clock days and weeks begin: `time_zone` ("Europe/Berlin"), else a fixed distance to UTC. */
export const clockQuery = {
  offset_minutes: t.Optional(integer({ minimum: -840, maximum: 840 })),
  time_zone: t.Optional(t.String({ maxLength: 64 })),
};

type ClockInput = Readonly<{ offset_minutes?: number | undefined; time_zone?: string | undefined }>;

/** The clock of a query. Throws OperationError for a zone that there is not, unless a distance to UTC comes with it. */
export function clockOf({ offset_minutes: offsetMinutes, time_zone: timeZone }: ClockInput): SeriesClock {
  if (timeZone && isTimeZone(timeZone)) return { offsetMinutes: offsetMinutes ?? 0, timeZone };
  if (timeZone && offsetMinutes === undefined)
    throw new OperationError("field_invalid", { field: "time_zone", expected: "Europe/Berlin" });
  return { offsetMinutes: offsetMinutes ?? 0 };
}
