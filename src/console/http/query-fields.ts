import { t } from "elysia";

/** Clients of one-api and new-api send unset filters as empty text. */
const EMPTY = t.Literal("");
const LARGEST_ID = 2_147_483_647;
/** The year 9999, the last one that dates can represent. */
const LAST_SECOND = 253_402_300_799;

/** An optional integer in a query; empty text means none. */
export const integerField = (maximum = LARGEST_ID) =>
  t.Optional(t.Union([t.Integer({ minimum: -maximum, maximum }), EMPTY]));

/** An optional time in a query, in epoch seconds with or without a fraction; empty text means none. */
export const timestamp = () => t.Optional(t.Union([t.Number({ minimum: 0, maximum: LAST_SECOND }), EMPTY]));

/** The number if the query has one (0 included), else undefined. */
export const numberOrUndefined = (value: number | "" | undefined): number | undefined =>
  value === "" ? undefined : value;
