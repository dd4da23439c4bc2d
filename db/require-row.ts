import { DatabaseError } from "./types.ts";

/**
 * The row of a statement that always answers one, as aggregates and `returning` of an upsert do. Throws DatabaseError when
 * it is missing: that is a fault of the connection, never "none" or zero.
 */
export function requireRow<Row>(rows: readonly Row[]): NonNullable<Row> {
  const [row] = rows;
  if (row === undefined || row === null) throw new DatabaseError("the database left out a row that it always answers");
  return row;
}
