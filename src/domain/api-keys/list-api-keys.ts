import { and, count, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { tokens } from "../../../db/schema/accounts/api-keys.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { orderBy, type Sorting } from "../../lib/values/sorting.ts";
import { contains } from "../../lib/values/sql-text.ts";
import { type ApiKeyRow, type ApiKeyView, viewApiKey } from "./api-key-view.ts";
import { importedKeyHash } from "./directory/key-hash.ts";
import type { ApiKeyDeps, Owner } from "./operation.ts";

export type TokenFilter = Readonly<{
  /** Part of the name. */
  keyword?: string;
  /** A whole key, with or without `sk-`. */
  key?: string;
  status?: number;
  projectId?: number;
  group?: string;
}>;

type ReadDeps = Pick<ApiKeyDeps, "db" | "vault">;

/** What keys can be sorted by; one that never expires does so last. */
export const TOKEN_SORTS = {
  id: tokens.id,
  name: tokens.name,
  status: tokens.status,
  used_quota: tokens.usedQuota,
  remain_quota: tokens.remainQuota,
  group: tokens.group,
  expired_time: sql`case when ${tokens.expiredTime} = -1 then 9223372036854775807 else ${tokens.expiredTime} end`,
  accessed_time: tokens.accessedTime,
  created_time: tokens.createdTime,
} as const;

/** A page of the owner's keys, newest first unless sorted; `page` counts from 0. */
export async function listTokens(
  { db, vault }: ReadDeps,
  owner: Owner,
  filter: TokenFilter,
  page: Readonly<{ page: number; pageSize: number }> & Sorting<keyof typeof TOKEN_SORTS>,
): Promise<{ items: ApiKeyView[]; total: number }> {
  const key = filter.key?.trim().replace(/^sk-/, "");
  const where = and(
    ownedBy(owner),
    filter.keyword?.trim() ? contains(tokens.name, filter.keyword.trim()) : undefined,
    key ? inArray(tokens.keyHash, [vault.keyedHash(key), importedKeyHash(vault, key)]) : undefined,
    filter.status ? eq(tokens.status, filter.status) : undefined,
    filter.projectId ? eq(tokens.projectId, filter.projectId) : undefined,
    filter.group ? eq(tokens.group, filter.group) : undefined,
  );
  const { total } = requireRow(await db.select({ total: count() }).from(tokens).where(where));
  const rows = await db
    .select()
    .from(tokens)
    .where(where)
    .orderBy(...orderBy(TOKEN_SORTS, tokens.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: rows.map((row) => viewFor(owner, row, vault)), total };
}

/** One of the owner's keys. Throws OperationError when it is not theirs. */
export async function getToken({ db, vault }: ReadDeps, owner: Owner, id: number): Promise<ApiKeyView> {
  const [row] = await db
    .select()
    .from(tokens)
    .where(and(ownedBy(owner), eq(tokens.id, id)));
  if (!row) throw new OperationError("token_not_found");
  return viewFor(owner, row, vault);
}

/** Rows of the owner that are not deleted, as far as the member who acts for it reaches them. */
export const ownedBy = ({ id, member }: Owner): SQL | undefined =>
  and(eq(tokens.userId, id), isNull(tokens.deletedAt), member?.ownOnly ? eq(tokens.createdBy, member.id) : undefined);

/** Members without the right to write keys see that they exist, not what they are. */
const viewFor = ({ member }: Owner, row: ApiKeyRow, vault: ReadDeps["vault"]): ApiKeyView =>
  viewApiKey(row, vault, member?.seesSecrets !== false);
