import { type SQL, sql } from "drizzle-orm";

/** When the day, the week (from Monday) or the month that holds `nowSeconds` ends in a time zone; epoch seconds. */
export const periodEnd = (period: SQL, timeZone: string, nowSeconds: number): SQL<number> =>
  sql<number>`extract(epoch from (
    date_trunc(${period}, to_timestamp(${nowSeconds}::bigint) at time zone ${timeZone}::text) + ('1 ' || ${period})::interval
  ) at time zone ${timeZone}::text)::bigint`;
