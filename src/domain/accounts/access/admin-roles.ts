import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { adminRoles } from "../../../../db/schema/accounts/access/admin-roles.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { UserEntry } from "../directory.ts";
import { isRoleRight, orderRights, type Right } from "./access-rules.ts";
import { checkRights } from "./check-rights.ts";
import { ROLE } from "./roles.ts";

type Deps = Readonly<{ db: Db; changes: Changes }>;

/** What a super administrator may set. */
export type AdminRoleInput = Readonly<{ name: string; rights: readonly string[] }>;

/** A custom role on the wire. */
export type AdminRoleView = Readonly<{
  id: number;
  name: string;
  rights: Right[];
  /** How many people have it. */
  users: number;
  created_time: number;
}>;

const LONGEST_NAME = 40;
const MOST_ROLES = 100;

/** All custom roles, by name. */
export const listAdminRoles = (db: Db): Promise<AdminRoleView[]> => readViews(db);

/** The rights of a custom role, as the database has them now, so that a change counts at once everywhere. */
export async function rightsOfRole(db: DbOrTx, id: number): Promise<ReadonlySet<Right>> {
  const [role] = await db.select({ rights: adminRoles.rights }).from(adminRoles).where(eq(adminRoles.id, id));
  return new Set(orderRights(role?.rights ?? []));
}

/** Creates a custom role. Throws OperationError. */
export async function createAdminRole({ db }: Deps, actor: UserEntry, input: AdminRoleInput): Promise<AdminRoleView> {
  const columns = columnsOf(input);
  return db.transaction(async (tx) => {
    await lockRoles(tx);
    await checkNameFree(tx, columns.name, 0);
    if ((await readViews(tx)).length >= MOST_ROLES) throw new OperationError("admin_roles_full", { max: MOST_ROLES });
    const [row] = await tx
      .insert(adminRoles)
      .values({ ...columns, createdAt: nowSeconds() })
      .returning({ id: adminRoles.id });
    const view = await getView(tx, row?.id ?? 0);
    await writeManagementLog(tx, actor, `Created the role ${view.name} (#${view.id})`, {
      note: { code: "admin_role_created", params: { name: view.name, id: view.id } },
      action: "create",
      after: view,
    });
    return view;
  });
}

/** Changes a custom role; other rights sign those out who have it. Throws OperationError. */
export async function updateAdminRole(
  { db, changes }: Deps,
  actor: UserEntry,
  id: number,
  input: AdminRoleInput,
): Promise<AdminRoleView> {
  const columns = columnsOf(input);
  const { view, holders } = await db.transaction(async (tx) => {
    await lockRoles(tx);
    const before = await getView(tx, id);
    await checkNameFree(tx, columns.name, id);
    await tx.update(adminRoles).set(columns).where(eq(adminRoles.id, id));
    const after = await getView(tx, id);
    const isSame = before.rights.join() === after.rights.join();
    const signedOut = isSame
      ? []
      : await tx
          .update(users)
          .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
          .where(eq(users.adminRoleId, id))
          .returning({ id: users.id });
    await writeManagementLog(tx, actor, `Changed the role ${after.name} (#${id})`, {
      note: { code: "admin_role_changed", params: { name: after.name, id } },
      action: "update",
      before,
      after,
    });
    return { view: after, holders: signedOut.map((user) => user.id) };
  });
  if (holders.length > 0) await changes.enforce("users", holders);
  return view;
}

/** Deletes a custom role that nobody has. Throws OperationError. */
export async function deleteAdminRole({ db }: Deps, actor: UserEntry, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockRoles(tx);
    const before = await getView(tx, id);
    if (before.users > 0) throw new OperationError("admin_role_in_use", { count: before.users });
    await tx.delete(adminRoles).where(eq(adminRoles.id, id));
    await writeManagementLog(tx, actor, `Deleted the role ${before.name} (#${id})`, {
      note: { code: "admin_role_deleted", params: { name: before.name, id } },
      action: "delete",
      before,
    });
  });
}

/** Gives a person without a built-in role above user a custom role, or (null) takes it. Signs them out. Throws OperationError. */
export async function assignAdminRole(
  { db, changes }: Deps,
  actor: UserEntry,
  { userId, roleId }: Readonly<{ userId: number; roleId: number | null }>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockRoles(tx);
    const [user] = await tx
      .select({ kind: users.kind, username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      .for("update");
    if (user?.kind !== "person") throw new OperationError("user_not_found");
    if (user.role > ROLE.user) throw new OperationError("admin_role_for_users_only");
    if (user.adminRoleId === roleId) return;
    const before = user.adminRoleId === null ? "" : (await getView(tx, user.adminRoleId)).name;
    const after = roleId === null ? "" : (await getView(tx, roleId)).name;
    await tx
      .update(users)
      .set({ adminRoleId: roleId, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId));
    const { username: name } = user;
    const what = after === "" ? `Took the role ${before} from` : `Gave the role ${after} to`;
    await writeManagementLog(tx, actor, `${what} ${name} (#${userId})`, {
      note:
        after === ""
          ? { code: "admin_role_removed", params: { role: before, name, id: userId } }
          : { code: "admin_role_assigned", params: { role: after, name, id: userId } },
      target: "user",
      user_id: userId,
      action: "update",
      before: { role: before },
      after: { role: after },
    });
  });
  await changes.enforce("users", [userId]);
}

function columnsOf({ name: input, rights }: AdminRoleInput) {
  const name = input.trim();
  if (name === "" || [...name].length > LONGEST_NAME)
    throw new OperationError("admin_role_name", { max: LONGEST_NAME });
  return { name, rights: checkRights(rights, isRoleRight) };
}

/** Changes of roles come one after the other: a role that is being deleted is given to nobody. */
const lockRoles = (tx: Tx) => tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('admin roles', 0))`);

async function checkNameFree(tx: Tx, name: string, exceptId: number): Promise<void> {
  const taken = await tx
    .select({ id: adminRoles.id })
    .from(adminRoles)
    .where(sql`lower(${adminRoles.name}) = lower(${name})`);
  if (taken.some(({ id }) => id !== exceptId)) throw new OperationError("admin_role_name_taken", { name });
}

async function getView(db: DbOrTx, id: number): Promise<AdminRoleView> {
  const [view] = await readViews(db, id);
  if (!view) throw new OperationError("admin_role_not_found");
  return view;
}

async function readViews(db: DbOrTx, id?: number): Promise<AdminRoleView[]> {
  const rows = await db
    .select({ role: adminRoles, holders: count(users.id) })
    .from(adminRoles)
    .leftJoin(users, eq(users.adminRoleId, adminRoles.id))
    .where(id === undefined ? undefined : eq(adminRoles.id, id))
    .groupBy(adminRoles.id)
    .orderBy(asc(sql`lower(${adminRoles.name})`));
  return rows.map(({ role, holders }) => ({
    id: role.id,
    name: role.name,
    rights: orderRights(role.rights),
    users: holders,
    created_time: role.createdAt,
  }));
}
