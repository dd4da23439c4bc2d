/**
 * Why the database did not take records. `away`: it can't be reached, is busy, full, stopping or read-only, so the same records
 * may pass later. `content`: it blames what they contain. `unknown`: only other records show whether it is these.
 */
export type Failure = "away" | "content" | "unknown";

const SQLSTATE = /^(?:\d|F0|HV|P0|XX)[\dA-Z]+$/;
const SQLSTATE_LENGTH = 5;
/** Connection, transaction rollback, insufficient resources, operator intervention, system error; a read-only transaction. */
const AWAY = /^(?:08|40|53|57|58)|^25006$/;
/** Data exception, integrity constraint violation, program limit exceeded. */
const CONTENT = /^(?:22|23|54)/;
const DUPLICATE = "23505";

/** What a failure says of the records that were to be written. */
export function failureOf(error: unknown): Failure {
  const state = sqlStateOf(error);
  if (state !== null) return AWAY.test(state) ? "away" : CONTENT.test(state) ? "content" : "unknown";
  // A text that is no record, or one that is too long for the runtime. All else comes from the driver, the network or the disk.
  const isOfRuntime = error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError;
  return isOfRuntime ? "unknown" : "away";
}

/** A row with this key is there already. */
export const isDuplicate = (error: unknown): boolean => sqlStateOf(error) === DUPLICATE;

/** Names of system errors such as EPIPE have five letters too. */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code.length === SQLSTATE_LENGTH && SQLSTATE.test(error.code) ? error.code : null;
}
