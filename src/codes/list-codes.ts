import { and, count, desc, eq, isNull, or } from "drizzle-orm";
import { redemptionCodes, redemptionUses } from "../../db/schema/codes.ts";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import { startsWith } from "../lib/sql-text.ts";
import { type CodeView, codeColumns, viewCode } from "./code-view.ts";

export type CodeFilter = Readonly<{
  /** The beginning of the name, the whole id, or the whole key. */
  keyword?: string;
  status?: number;
  isGift?: boolean;
}>;

/** `page` counts from 0. */
export type Page = Readonly<{ page: number; pageSize: number }>;

const usedBy = eq(users.id, redemptionCodes.usedUserId);

/** A page of codes, newest first, without deleted ones. */
export async function listCodes(db: Db, filter: CodeFilter, { page, pageSize }: Page) {
  const keyword = filter.keyword?.trim();
  const where = and(
    isNull(redemptionCodes.deletedAt),
    keyword ? matchesKeyword(keyword) : undefined,
    filter.status ? eq(redemptionCodes.status, filter.status) : undefined,
    filter.isGift === undefined ? undefined : eq(redemptionCodes.isGift, filter.isGift),
  );
  const [sum] = await db.select({ total: count() }).from(redemptionCodes).where(where);
  const rows = await db
    .select(codeColumns)
    .from(redemptionCodes)
    .leftJoin(users, usedBy)
    .where(where)
    .orderBy(desc(redemptionCodes.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map(viewCode), total: sum?.total ?? 0 };
}

/** One code. Throws OperationError when there is none. */
export async function getCode(db: Db, id: number): Promise<CodeView> {
  const [row] = await db
    .select(codeColumns)
    .from(redemptionCodes)
    .leftJoin(users, usedBy)
    .where(and(eq(redemptionCodes.id, id), isNull(redemptionCodes.deletedAt)));
  if (!row) throw new OperationError("code_not_found");
  return viewCode(row);
}

export type CodeUse = { user_id: number; username: string; quota: number; used_time: number };

/** Who used a code and when, newest first. */
export async function listCodeUses(
  db: Db,
  codeId: number,
  { page, pageSize }: Page,
): Promise<{ items: CodeUse[]; total: number }> {
  await getCode(db, codeId);
  const where = eq(redemptionUses.codeId, codeId);
  const [sum] = await db.select({ total: count() }).from(redemptionUses).where(where);
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
  return { items, total: sum?.total ?? 0 };
}

const matchesKeyword = (keyword: string) =>
  or(
    startsWith(redemptionCodes.name, keyword),
    eq(redemptionCodes.key, keyword),
    /^\d{1,9}$/.test(keyword) ? eq(redemptionCodes.id, Number(keyword)) : undefined,
  );
