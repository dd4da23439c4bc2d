import { t } from "elysia";
import { TypeSystem } from "elysia/type-system";
import { LARGEST_ID, readInteger } from "../../lib/http/integers.ts";

type Range = Readonly<{
  minimum?: number;
  maximum?: number;
  default?: number;
  description?: string;
}>;

const schemaOf = TypeSystem.Type<number, Range & { type: "integer" }>("CanonicalInteger", (range, value) => {
  const number = readInteger(value);
  return number !== null && number >= (range.minimum ?? -Infinity) && number <= (range.maximum ?? Infinity);
});

/**
 * An integer in a path, a query or a body. The framework's own accepts every text that JavaScript reads as a number, `1e0`
 * and `+1` among them; this one accepts the one spelling of `readInteger`.
 */
export const integer = (range: Range = {}) =>
  t
    .Transform(schemaOf({ ...range, type: "integer" }))
    .Decode(Number)
    .Encode((value) => value);

/** The id of a row, the same in a path, a query and a body. */
export const rowId = integer({ minimum: 1, maximum: LARGEST_ID });
