import { and, asc, count, desc, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { redemptionCodes, redemptionUses } from "../../../../db/schema/wallet/codes.ts";
import { plans } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { csvById } from "../../../lib/values/csv.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { startsWith } from "../../../lib/values/sql-text.ts";
import { type CodeView, codeColumns, viewCode } from "./code-view.ts";

export type CodeFilter = Readonly<{
  /** The beginning of the name, the whole id, or the whole key. */
  keyword?: string;
  status?: number;
  isGift?: boolean;
}>;

/** `page` counts from 0. */
type Page = Readonly<{ page: number; pageSize: number }>;

const usedBy = eq(users.id, redemptionCodes.usedUserId);

/** What codes can be sorted by; one that stays valid ends last. */
export const CODE_SORTS = {
  id: redemptionCodes.id,
  name: redemptionCodes.name,
  status: redemptionCodes.status,
  quota: redemptionCodes.quota,
  used_count: redemptionCodes.usedCount,
  redeemed_time: redemptionCodes.redeemedTime,
  valid_from: redemptionCodes.validFrom,
  valid_until: sql`case when ${redemptionCodes.validUntil} = 0 then 9223372036854775807 else ${redemptionCodes.validUntil} end`,
  created_time: redemptionCodes.createdTime,
} as const;

/** A page of codes, newest first unless sorted, without deleted ones. */
export async function listCodes(db: Db, filter: CodeFilter, page: Page & Sorting<keyof typeof CODE_SORTS>) {
  const where = whereCodes(filter);
  const { total } = requireRow(await db.select({ total: count() }).from(redemptionCodes).where(where));
  const rows = await db
    .select(codeColumns)
    .from(redemptionCodes)
    .leftJoin(users, usedBy)
    .leftJoin(plans, eq(plans.id, redemptionCodes.planId))
    .where(where)
    .orderBy(...orderBy(CODE_SORTS, redemptionCodes.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: rows.map(viewCode), total };
}

/** The condition of a filter; deleted codes fit none. */
function whereCodes({ keyword, status, isGift }: CodeFilter): SQL | undefined {
  const text = keyword?.trim();
  return and(
    isNull(redemptionCodes.deletedAt),
    text ? matchesKeyword(text) : undefined,
    status ? eq(redemptionCodes.status, status) : undefined,
    isGift === undefined ? undefined : eq(redemptionCodes.isGift, isGift),
  );
}

/** One code. Throws OperationError when there is none. */
export async function getCode(db: Db, id: number): Promise<CodeView> {
  const [row] = await db
    .select(codeColumns)
    .from(redemptionCodes)
    .leftJoin(users, usedBy)
    .leftJoin(plans, eq(plans.id, redemptionCodes.planId))
    .where(and(eq(redemptionCodes.id, id), isNull(redemptionCodes.deletedAt)));
  if (!row) throw new OperationError("code_not_found");
  return viewCode(row);
}

type CodeUse = { user_id: number; username: string; quota: number; used_time: number };

/** Who used a code and when, newest first. */
export async function listCodeUses(
  db: Db,
  codeId: number,
  { page, pageSize }: Page,
): Promise<{ items: CodeUse[]; total: number }> {
  await getCode(db, codeId);
  const where = eq(redemptionUses.codeId, codeId);
  const { total } = requireRow(await db.select({ total: count() }).from(redemptionUses).where(where));
  const items = await db
    .select({
      user_id: redemptionUses.userId,
      username: users.username,
      quota: redemptionUses.quota,
      used_time: redemptionUses.usedTime,
    })
    .from(redemptionUses)
    .innerJoin(users, eq(users.id, redemptionUses.userId))
    .where(where)
    .orderBy(desc(redemptionUses.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items, total };
}

const matchesKeyword = (keyword: string) =>
  or(
    startsWith(redemptionCodes.name, keyword),
    eq(redemptionCodes.key, keyword),
    /^\d{1,9}$/.test(keyword) ? eq(redemptionCodes.id, Number(keyword)) : undefined,
  );

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
export const exportCodes = (db: Db, filter: CodeFilter, unitsPerDollar: number): ReadableStream<Uint8Array> =>
  csvById(COLUMNS, { columns: ["quota"], unitsPerDollar }, async (after, limit) => {
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
