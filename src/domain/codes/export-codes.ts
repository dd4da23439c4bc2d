import { and, asc, eq, gt } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { redemptionCodes } from "../../../db/schema/billing/codes.ts";
import { plans } from "../../../db/schema/billing/plans.ts";
import type { Db } from "../../../db/types.ts";
import { csvById } from "../../lib/values/csv.ts";
import { type CodeView, codeColumns, viewCode } from "./code-view.ts";
import { type CodeFilter, whereCodes } from "./list-codes.ts";

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

/** Codes as CSV, oldest first, read while it is sent. */
export const exportCodes = (db: Db, filter: CodeFilter): ReadableStream<Uint8Array> =>
  csvById(COLUMNS, async (after, limit) => {
    const rows = await db
      .select(codeColumns)
      .from(redemptionCodes)
      .leftJoin(users, eq(users.id, redemptionCodes.usedUserId))
      .leftJoin(plans, eq(plans.id, redemptionCodes.planId))
      .where(and(whereCodes(filter), gt(redemptionCodes.id, after)))
      .orderBy(asc(redemptionCodes.id))
      .limit(limit);
    return rows.map(viewCode);
  });
