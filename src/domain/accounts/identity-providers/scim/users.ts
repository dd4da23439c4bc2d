import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { scimGroupMembers, scimGroups, scimUsers } from "../../../../../db/schema/accounts/identity-providers/scim.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { ProviderRow } from "../providers.ts";
import { syncMemberships } from "../sync-memberships.ts";
import { accountFor, type Changed, deprovision, reactivate } from "./accounts.ts";
import { equalities, parseFilter } from "./filter.ts";
import { applyPatch, type PatchOperation } from "./patch.ts";
import type { Attributes } from "./protocol.ts";
import { ScimError } from "./protocol.ts";
import { type ListQuery, listPage, readUser, type UserFields, viewUser } from "./resources.ts";

export type ScimDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;
/** Whose resources, and the address that theirs begin with. */
export type ScimCall = Readonly<{ row: ProviderRow; base: string }>;

const notFound = (id: string) => new ScimError(404, `There is no user ${id.slice(0, 40)}`);

/** A page of the provider's users that fit a filter. Throws ScimError. */
export async function listUsers({ db }: ScimDeps, call: ScimCall, query: ListQuery) {
  const filter = query.filter ? parseFilter(query.filter) : null;
  const { username, externalid, id } = filter ? equalities(filter) : {};
  const rows = await db
    .select()
    .from(scimUsers)
    .where(
      and(
        eq(scimUsers.providerId, call.row.id),
        isNull(scimUsers.deletedAt),
        username === undefined ? undefined : sql`lower(${scimUsers.userName}) = ${username.toLowerCase()}`,
        // Compared as the filter does, in whatever case.
        externalid === undefined ? undefined : sql`lower(${scimUsers.externalId}) = ${externalid.toLowerCase()}`,
        id === undefined ? undefined : sql`${scimUsers.userId}::text = ${id}`,
      ),
    )
    .orderBy(asc(scimUsers.userId));
  return listPage(await viewAll(db, call, rows), filter, query);
}

/** One user. Throws ScimError 404. */
export async function getUser({ db }: ScimDeps, call: ScimCall, id: string): Promise<Attributes> {
  return viewOne(db, call, await rowOf(db, call.row.id, id));
}

/** Provisions somebody. Throws ScimError uniqueness when the name is taken. */
export async function createUser(deps: ScimDeps, call: ScimCall, resource: Attributes): Promise<Attributes> {
  const fields = readUser(resource);
  const { row } = call;
  const userId = await inTransaction(deps, async (tx, changed) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`scim ${row.id}`}, 0))`);
    const [known] = await tx.select().from(scimUsers).where(isNamed(row.id, fields.userName));
    if (known && known.deletedAt === null) throw taken(fields.userName);
    const account = known?.userId ?? (await accountFor(tx, deps, row, fields, changed));
    const now = nowSeconds();
    const values = { providerId: row.id, userId: account, ...fields, createdAt: now, updatedAt: now, deletedAt: null };
    const [stored] = await tx
      .insert(scimUsers)
      .values(values)
      .onConflictDoUpdate({
        target: [scimUsers.providerId, scimUsers.userId],
        set: values,
        // Else the account is somebody else's resource.
        setWhere: sql`${scimUsers.deletedAt} is not null`,
      })
      .returning({ userId: scimUsers.userId });
    if (!stored) throw taken(fields.userName);
    if (fields.active === false) await deprovision(tx, row, account, changed);
    else if (known) await reactivate(tx, row, account, changed);
    return account;
  });
  return getUser(deps, call, String(userId));
}

/** Replaces what is known of a user. Throws ScimError. */
export const replaceUser = (deps: ScimDeps, call: ScimCall, id: string, resource: Attributes): Promise<Attributes> =>
  change(deps, call, id, () => readUser(resource));

/** Changes a user by operations. Throws ScimError. */
export const patchUser = (
  deps: ScimDeps,
  call: ScimCall,
  id: string,
  operations: readonly PatchOperation[],
): Promise<Attributes> => change(deps, call, id, (resource) => readUser(applyPatch(resource, operations), null));

/** Deletes the resource and deprovisions the account, which stays for the books. Throws ScimError. */
export async function deleteUser(deps: ScimDeps, { row }: ScimCall, id: string): Promise<void> {
  const userId = await inTransaction(deps, async (tx, changed) => {
    const stored = await rowOf(tx, row.id, id, true);
    await tx.update(scimUsers).set({ deletedAt: nowSeconds(), active: false }).where(isResource(row.id, stored.userId));
    const groups = tx.select({ id: scimGroups.id }).from(scimGroups).where(eq(scimGroups.providerId, row.id));
    await tx
      .delete(scimGroupMembers)
      .where(and(eq(scimGroupMembers.userId, stored.userId), inArray(scimGroupMembers.groupId, groups)));
    if (stored.active !== false) await deprovision(tx, row, stored.userId, changed);
    return stored.userId;
  });
  await syncMemberships(deps, row, userId);
}

async function change(
  deps: ScimDeps,
  call: ScimCall,
  id: string,
  edit: (resource: Attributes) => UserFields,
): Promise<Attributes> {
  const { row } = call;
  await inTransaction(deps, async (tx, changed) => {
    const stored = await rowOf(tx, row.id, id, true);
    const fields = edit(await viewOne(tx, call, stored));
    const [other] = await tx
      .select({ userId: scimUsers.userId })
      .from(scimUsers)
      .where(isNamed(row.id, fields.userName));
    if (other && other.userId !== stored.userId) throw taken(fields.userName);
    await tx
      .update(scimUsers)
      .set({ ...fields, updatedAt: nowSeconds() })
      .where(isResource(row.id, stored.userId));
    const [wasActive, isActive] = [stored.active !== false, fields.active !== false];
    if (wasActive && !isActive) await deprovision(tx, row, stored.userId, changed);
    if (!wasActive && isActive) await reactivate(tx, row, stored.userId, changed);
  });
  return getUser(deps, call, id);
}

/** Runs a transaction and publishes what it has changed. */
async function inTransaction<Result>(
  { db, changes }: ScimDeps,
  work: (tx: Parameters<Parameters<Db["transaction"]>[0]>[0], changed: Changed) => Promise<Result>,
): Promise<Result> {
  const changed: Changed = { users: new Set(), tokens: new Set() };
  const result = await db.transaction((tx) => work(tx, changed));
  if (changed.users.size > 0) await changes.enforce("users", [...changed.users]);
  if (changed.tokens.size > 0) await changes.enforce("tokens", [...changed.tokens]);
  return result;
}

const taken = (name: string) => new ScimError(409, `userName ${name} is taken`, "uniqueness");
const isNamed = (providerId: number, userName: string) =>
  and(eq(scimUsers.providerId, providerId), sql`lower(${scimUsers.userName}) = ${userName.toLowerCase()}`);
const isResource = (providerId: number, userId: number) =>
  and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, userId));

async function rowOf(db: DbOrTx, providerId: number, id: string, isLocked = false) {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw notFound(id);
  const query = db
    .select()
    .from(scimUsers)
    .where(and(isResource(providerId, Number(id)), isNull(scimUsers.deletedAt)));
  const [row] = isLocked ? await query.for("update") : await query;
  if (!row) throw notFound(id);
  return row;
}

type UserRow = Awaited<ReturnType<typeof rowOf>>;

async function viewOne(db: DbOrTx, call: ScimCall, row: UserRow): Promise<Attributes> {
  const [view] = await viewAll(db, call, [row]);
  return view ?? {};
}

async function viewAll(db: DbOrTx, { row: provider, base }: ScimCall, rows: readonly UserRow[]): Promise<Attributes[]> {
  const [only] = rows;
  const memberships = await db
    .select({ userId: scimGroupMembers.userId, id: scimGroups.id, name: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(
      and(
        eq(scimGroups.providerId, provider.id),
        rows.length === 1 && only ? eq(scimGroupMembers.userId, only.userId) : undefined,
      ),
    );
  const byUser = Map.groupBy(memberships, ({ userId }) => userId);
  return rows.map((row) => {
    const groups = (byUser.get(row.userId) ?? []).map(({ id, name }) => ({ value: String(id), display: name }));
    return viewUser(row, groups, base);
  });
}
