import { and, count, desc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { keyLeaks, tokens } from "../../../db/schema/api-keys.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { orderBy, type Sorting } from "../../lib/values/sorting.ts";
import { contains } from "../../lib/values/sql-text.ts";
import { findRotation } from "../accounts/organizations/policies/manage-policies.ts";
import type { Rotation } from "../accounts/organizations/policies/policy.ts";
import { type ApiKeyRow, type ApiKeyView, secretSinceOf, viewApiKey } from "./api-key-view.ts";
import { applicationsOf } from "./authorization/applications.ts";
import { importedKeyHash } from "./directory/key-hash.ts";
import { type ApiKeyDeps, type Owner, showsSecret } from "./operation.ts";

export type TokenFilter = Readonly<{
  /** Part of the name. */
  keyword?: string;
  /** A whole key, with or without `sk-`. */
  key?: string;
  status?: number;
  projectId?: number;
  group?: string;
}>;

/** A key in its owner's list. */
export type ListedApiKey = ApiKeyView &
  Readonly<{
    /** Where the secret that the key has now was found in public, if it was, and when, in epoch seconds. */
    leak?: Readonly<{ url: string; time: number }>;
    /** The application that uses it, by tokens of its own: nobody has its secret. */
    application?: string;
    /** The policy of its organization that demands rotation, and from when on it refuses the secret, in epoch seconds. */
    rotation?: Readonly<{ policy: string; days: number; due: number }>;
  }>;

const DAY_SECONDS = 86_400;

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
  secret_time: sql`greatest(${tokens.createdTime}, ${tokens.secretSince})`,
} as const;

/** A page of the owner's keys, newest first unless sorted; `page` counts from 0. */
export async function listTokens(
  { db, vault }: ReadDeps,
  owner: Owner,
  filter: TokenFilter,
  page: Readonly<{ page: number; pageSize: number }> & Sorting<keyof typeof TOKEN_SORTS>,
): Promise<{ items: ListedApiKey[]; total: number }> {
  const key = filter.key?.trim().replace(/^sk-/, "");
  const where = and(
    ownedBy(owner),
    filter.keyword?.trim() ? contains(tokens.name, filter.keyword.trim()) : undefined,
    key ? inArray(tokens.keyHash, [vault.keyedHash(key), importedKeyHash(vault, key)]) : undefined,
    filter.status ? eq(tokens.status, filter.status) : undefined,
    filter.projectId ? eq(tokens.projectId, filter.projectId) : undefined,
    filter.group ? sql`${filter.group} = any(string_to_array(${tokens.group}, ','))` : undefined,
  );
  const { total } = requireRow(await db.select({ total: count() }).from(tokens).where(where));
  const rows = await db
    .select()
    .from(tokens)
    .where(where)
    .orderBy(...orderBy(TOKEN_SORTS, tokens.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: await viewFor({ db, vault }, owner, rows), total };
}

/** One of the owner's keys. Throws OperationError when it is not theirs. */
export async function getToken({ db, vault }: ReadDeps, owner: Owner, id: number): Promise<ListedApiKey> {
  const rows = await db
    .select()
    .from(tokens)
    .where(and(ownedBy(owner), eq(tokens.id, id)));
  const [view] = await viewFor({ db, vault }, owner, rows);
  if (!view) throw new OperationError("token_not_found");
  return view;
}

/** Rows of the owner that are not deleted, as far as the member who acts for it reaches them. */
export const ownedBy = ({ id, member }: Owner): SQL | undefined =>
  and(eq(tokens.userId, id), isNull(tokens.deletedAt), member?.ownOnly ? eq(tokens.createdBy, member.id) : undefined);

/** What the owner sees of keys. Members without the right to write keys see that they exist, not what they are. */
async function viewFor({ db, vault }: ReadDeps, owner: Owner, rows: readonly ApiKeyRow[]): Promise<ListedApiKey[]> {
  const { id: ownerId, member } = owner;
  const ids = rows.map(({ id }) => id);
  const found =
    ids.length === 0
      ? []
      : await db.select().from(keyLeaks).where(inArray(keyLeaks.tokenId, ids)).orderBy(desc(keyLeaks.id));
  const applications = await applicationsOf(db, ids);
  const rotations = new Map<number | null, Rotation | undefined>();
  for (const projectId of member ? new Set(rows.map((row) => row.projectId)) : []) {
    rotations.set(projectId, await findRotation(db, ownerId, projectId));
  }
  return rows.map((row) => {
    const rotation = rotations.get(row.projectId);
    const application = applications.get(row.id);
    const leak = found.find(({ tokenId, keyHash }) => tokenId === row.id && keyHash === row.keyHash);
    return {
      ...viewApiKey(row, vault, showsSecret(owner, row)),
      ...(application !== undefined && { application }),
      ...(leak && { leak: { url: leak.url, time: leak.reportedAt } }),
      ...(rotation && { rotation: viewRotation(rotation, row), previous_key_until: previousUntil(rotation, row) }),
    };
  });
}

/** When the secret before a rotation stops working, epoch seconds: a policy can end it before its time. */
const previousUntil = ({ seconds }: Rotation, { previousKeyUntil, previousSecretSince, createdTime }: ApiKeyRow) =>
  Math.min(previousKeyUntil, Math.max(createdTime, previousSecretSince) + seconds);

const viewRotation = ({ policy, seconds }: Rotation, row: ApiKeyRow): ListedApiKey["rotation"] => ({
  policy: policy.name,
  days: seconds / DAY_SECONDS,
  due: secretSinceOf(row) + seconds,
});
