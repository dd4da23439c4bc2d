import { t } from "elysia";

/** Tools of the ecosystem send filters that are not set as empty text. */
const EMPTY = t.Literal("");
const LARGEST_ID = 2_147_483_647;
/** The year 9999: everything that dates can say. */
const LAST_SECOND = 253_402_300_799;

/** An optional whole number of a query; empty text stands for none. */
export const integerField = (maximum = LARGEST_ID) =>
  t.Optional(t.Union([t.Integer({ minimum: -maximum, maximum }), EMPTY]));

/** An optional time of a query in epoch seconds, with or without a fraction; empty text stands for none. */
export const timestamp = () => t.Optional(t.Union([t.Number({ minimum: 0, maximum: LAST_SECOND }), EMPTY]));

/** The number that was given, 0 included. */
export const numberOrUndefined = (value: number | "" | undefined): number | undefined =>
  value === "" ? undefined : value;
