import { and, asc, eq, gt } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { redemptionCodes } from "../../../db/schema/billing/codes.ts";
import { plans } from "../../../db/schema/billing/plans.ts";
import type { Db } from "../../../db/types.ts";
import { csvOf } from "../../lib/values/csv.ts";
import { type CodeView, codeColumns, viewCode } from "./code-view.ts";
import { type CodeFilter, whereCodes } from "./list-codes.ts";

const SLICE = 500;
const COLUMNS = [
  "id",
  "name",
  "key",
  "status",
  "quota",
  "is_gift",
  "max_uses",
  "used_count",
  "valid_from",
  "valid_until",
  "created_time",
  "redeemed_time",
  "used_user_id",
  "used_username",
  "plan_name",
] as const satisfies readonly (keyof CodeView)[];

/** Codes as CSV, oldest first, read in slices while it is sent. */
export const exportCodes = (db: Db, filter: CodeFilter): ReadableStream<Uint8Array> =>
  csvOf(COLUMNS, slicesOf(db, filter));

async function* slicesOf(db: Db, filter: CodeFilter) {
  let last = 0;
  for (;;) {
    const rows = await db
      .select(codeColumns)
      .from(redemptionCodes)
      .leftJoin(users, eq(users.id, redemptionCodes.usedUserId))
      .leftJoin(plans, eq(plans.id, redemptionCodes.planId))
      .where(and(whereCodes(filter), gt(redemptionCodes.id, last)))
      .orderBy(asc(redemptionCodes.id))
      .limit(SLICE);
    if (rows.length === 0) return;
    yield rows.map(viewCode).map((view) => COLUMNS.map((column) => view[column]));
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.code.id ?? last;
  }
}
