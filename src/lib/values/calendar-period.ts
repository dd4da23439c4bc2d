import { type SQL, sql } from "drizzle-orm";

/** When the day, the week (from Monday) or the month that holds `nowSeconds` ends in a time zone; epoch seconds. */
export const periodEnd = (period: SQL, timeZone: string, nowSeconds: number): SQL<number> =>
  inZone(sql`${begin(period, timeZone, nowSeconds)} + ('1 ' || ${period})::interval`, timeZone);

/** When it began; epoch seconds. */
export const periodStart = (period: SQL, timeZone: string, nowSeconds: number): SQL<number> =>
  inZone(begin(period, timeZone, nowSeconds), timeZone);

const begin = (period: SQL, timeZone: string, nowSeconds: number): SQL =>
  sql`date_trunc(${period}, to_timestamp(${nowSeconds}::bigint) at time zone ${timeZone}::text)`;

const inZone = (time: SQL, timeZone: string): SQL<number> =>
  sql<number>`extract(epoch from (${time}) at time zone ${timeZone}::text)::bigint`;
