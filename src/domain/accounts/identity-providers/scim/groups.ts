import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { scimGroupMembers, scimGroups, scimUsers } from "../../../../../db/schema/accounts/identity-providers/scim.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { syncMemberships } from "../sync-memberships.ts";
import { equalities, parseFilter } from "./filter.ts";
import { applyPatch, type PatchOperation } from "./patch.ts";
import type { Attributes } from "./protocol.ts";
import { ScimError } from "./protocol.ts";
import { type ListQuery, listPage, readGroup, viewGroup } from "./resources.ts";
import type { ScimCall, ScimDeps } from "./users.ts";

/** A page of the provider's groups that fit a filter. Throws ScimError. */
export async function listGroups({ db }: ScimDeps, call: ScimCall, query: ListQuery) {
  const filter = query.filter ? parseFilter(query.filter) : null;
  const name = filter ? equalities(filter).displayname : undefined;
  const rows = await db
    .select()
    .from(scimGroups)
    .where(
      and(
        eq(scimGroups.providerId, call.row.id),
        name === undefined ? undefined : sql`lower(${scimGroups.displayName}) = ${name.toLowerCase()}`,
      ),
    )
    .orderBy(asc(scimGroups.id));
  return listPage(await viewAll(db, call, rows), filter, query);
}

/** One group. Throws ScimError 404. */
export async function getGroup({ db }: ScimDeps, call: ScimCall, id: string): Promise<Attributes> {
  return viewOne(db, call, await rowOf(db, call.row.id, id));
}

/** Creates a group with its members. Throws ScimError. */
export async function createGroup(deps: ScimDeps, call: ScimCall, resource: Attributes): Promise<Attributes> {
  const { members, ...fields } = readGroup(resource);
  const { row } = call;
  const id = await deps.db.transaction(async (tx) => {
    const now = nowSeconds();
    const [created] = await tx
      .insert(scimGroups)
      .values({ providerId: row.id, ...fields, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning({ id: scimGroups.id });
    if (!created) throw taken(fields.displayName);
    await setMembers(tx, row.id, created.id, members);
    return created.id;
  });
  await syncAll(deps, call, members);
  return getGroup(deps, call, String(id));
}

/** Replaces a group and its members. Throws ScimError. */
export const replaceGroup = (deps: ScimDeps, call: ScimCall, id: string, resource: Attributes): Promise<Attributes> =>
  change(deps, call, id, () => resource);

/** Changes a group by operations. Throws ScimError. */
export const patchGroup = (
  deps: ScimDeps,
  call: ScimCall,
  id: string,
  operations: readonly PatchOperation[],
): Promise<Attributes> => change(deps, call, id, (resource) => applyPatch(resource, operations));

/** Deletes a group; memberships that it gave end. Throws ScimError. */
export async function deleteGroup(deps: ScimDeps, call: ScimCall, id: string): Promise<void> {
  const affected = await deps.db.transaction(async (tx) => {
    const stored = await rowOf(tx, call.row.id, id, true);
    const members = await membersOf(tx, stored.id);
    await tx.delete(scimGroups).where(eq(scimGroups.id, stored.id));
    return members;
  });
  await syncAll(deps, call, affected);
}

async function change(
  deps: ScimDeps,
  call: ScimCall,
  id: string,
  edit: (resource: Attributes) => Attributes,
): Promise<Attributes> {
  const affected = await deps.db.transaction(async (tx) => {
    const stored = await rowOf(tx, call.row.id, id, true);
    const { members, ...fields } = readGroup(edit(await viewOne(tx, call, stored)));
    const [other] = await tx
      .select({ id: scimGroups.id })
      .from(scimGroups)
      .where(
        and(
          eq(scimGroups.providerId, call.row.id),
          sql`lower(${scimGroups.displayName}) = ${fields.displayName.toLowerCase()}`,
        ),
      );
    if (other && other.id !== stored.id) throw taken(fields.displayName);
    const before = await membersOf(tx, stored.id);
    await tx
      .update(scimGroups)
      .set({ ...fields, updatedAt: nowSeconds() })
      .where(eq(scimGroups.id, stored.id));
    await setMembers(tx, call.row.id, stored.id, members);
    return [...before, ...members];
  });
  await syncAll(deps, call, affected);
  return getGroup(deps, call, id);
}

/** Memberships of organizations follow, for everybody who was or is in a group. */
async function syncAll(deps: ScimDeps, { row }: ScimCall, userIds: readonly number[]): Promise<void> {
  for (const userId of new Set(userIds)) {
    await syncMemberships(deps, row, userId);
  }
}

const taken = (name: string) => new ScimError(409, `displayName ${name} is taken`, "uniqueness");

async function membersOf(db: DbOrTx, groupId: number): Promise<number[]> {
  const rows = await db
    .select({ userId: scimGroupMembers.userId })
    .from(scimGroupMembers)
    .where(eq(scimGroupMembers.groupId, groupId));
  return rows.map(({ userId }) => userId);
}

/** Makes these users of the provider, and no others, the members. Throws ScimError for one that is not the provider's. */
async function setMembers(tx: Tx, providerId: number, groupId: number, members: readonly number[]): Promise<void> {
  const ids = [...new Set(members)];
  const known = await tx
    .select({ userId: scimUsers.userId })
    .from(scimUsers)
    .where(and(eq(scimUsers.providerId, providerId), isNull(scimUsers.deletedAt), isOneOf(scimUsers.userId, ids)));
  if (known.length !== ids.length) throw new ScimError(400, "a member does not exist", "invalidValue");
  const before = new Set(await membersOf(tx, groupId));
  const removed = [...before].filter((id) => !ids.includes(id));
  const added = ids.filter((id) => !before.has(id));
  if (removed.length > 0) {
    await tx
      .delete(scimGroupMembers)
      .where(and(eq(scimGroupMembers.groupId, groupId), inArray(scimGroupMembers.userId, removed)));
  }
  if (added.length > 0) await tx.insert(scimGroupMembers).values(added.map((userId) => ({ groupId, userId })));
}

async function rowOf(db: DbOrTx, providerId: number, id: string, isLocked = false) {
  const notFound = new ScimError(404, `There is no group ${id.slice(0, 40)}`);
  if (!/^[1-9]\d{0,8}$/.test(id)) throw notFound;
  const query = db
    .select()
    .from(scimGroups)
    .where(and(eq(scimGroups.providerId, providerId), eq(scimGroups.id, Number(id))));
  const [row] = isLocked ? await query.for("update") : await query;
  if (!row) throw notFound;
  return row;
}

type GroupRow = Awaited<ReturnType<typeof rowOf>>;

async function viewOne(db: DbOrTx, call: ScimCall, row: GroupRow): Promise<Attributes> {
  const [view] = await viewAll(db, call, [row]);
  return view ?? {};
}

async function viewAll(db: DbOrTx, { base }: ScimCall, rows: readonly GroupRow[]): Promise<Attributes[]> {
  const members = await db
    .select({ groupId: scimGroupMembers.groupId, userId: scimGroupMembers.userId })
    .from(scimGroupMembers)
    .where(
      isOneOf(
        scimGroupMembers.groupId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(scimGroupMembers.userId));
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return rows.map((row) => {
    const ids = (byGroup.get(row.id) ?? []).map(({ userId }) => String(userId));
    return viewGroup(row, ids, base);
  });
}
