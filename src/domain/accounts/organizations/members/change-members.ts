import { and, eq } from "drizzle-orm";
import {
  type OrganizationRole,
  organizationMembers,
} from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { lockForChange, memberOf, requireOrganizations, requireOtherOwner, roleOfMember } from "../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../operation.ts";
import { ACCESS_RIGHTS, type AccessRight, hasRight, mayAssign } from "../rights.ts";
import { disableMemberKeys } from "./member-keys.ts";
import { requireFreeSeat } from "./seats.ts";

/** Whose place in which organization. */
type Place = Readonly<{ organizationId: number; userId: number }>;

/** Makes a person a member, where the site's configuration says so. Throws OperationError. */
export async function addMember(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, userId }: Place,
  role: OrganizationRole,
): Promise<void> {
  requireOrganizations(settings);
  await db.transaction(async (tx) => {
    const membership = await lockForChange(tx, organizationId, person, "members.manage");
    requireAssignable(membership.role, role);
    await requireFreeSeat(tx, organizationId);
    await tx.insert(organizationMembers).values({ organizationId, userId, role, joinedAt: nowSeconds() });
    const name = await nameOf(tx, userId);
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${name} joined as ${role}`,
      note: { code: "organization_member_joined", params: { name, role } },
      action: "create",
      after: { role },
    });
  });
  await changes.enforce("users", [organizationId]);
}

/**
 * Gives a member another role. Whoever changes it may give both the old and the new one; the last owner stays. From
 * then on no groups of an identity provider change the membership. Without the right to keys in the new role, the keys that the
 * member created are disabled. Throws OperationError.
 */
export async function changeMemberRole(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, userId }: Place,
  role: OrganizationRole,
): Promise<void> {
  requireOrganizations(settings);
  const keys = await db.transaction(async (tx) => {
    const membership = await lockForChange(tx, organizationId, person, "members.manage");
    const before = await roleOfMember(tx, organizationId, userId);
    requireAssignable(membership.role, before);
    requireAssignable(membership.role, role);
    if (before === role) return [];
    if (before === "owner") await requireOtherOwner(tx, organizationId);
    const withheld = role === "owner" ? { withheld: [] } : {};
    await tx
      .update(organizationMembers)
      .set({ role, providerId: null, ...withheld })
      .where(isPlace({ organizationId, userId }));
    const name = await nameOf(tx, userId);
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} changed the role of ${name} from ${before} to ${role}`,
      note: { code: "organization_role_changed", params: { by: person.username, name, role } },
      action: "update",
      before: { role: before },
      after: { role },
    });
    return hasRight(role, "keys.write") ? [] : disableMemberKeys(tx, userId, organizationId);
  });
  if (keys.length > 0) await changes.enforce("tokens", keys);
  // Its calls count in the limits of its owners.
  await changes.enforce("users", [organizationId]);
}

/**
 * Withholds rights of their role from a member: exactly these, for calls from now on. Owners have all rights; nobody gives
 * a right back that they lack themselves. Throws OperationError.
 */
export async function changeMemberAccess(
  { db, settings }: OrganizationDeps,
  person: Person,
  { organizationId, userId }: Place,
  rights: readonly AccessRight[],
): Promise<void> {
  requireOrganizations(settings);
  const withheld = ACCESS_RIGHTS.filter((right) => rights.includes(right));
  await db.transaction(async (tx) => {
    const membership = await lockForChange(tx, organizationId, person, "members.manage");
    const before = await memberOf(tx, organizationId, userId);
    requireAssignable(membership.role, before.role);
    if (before.role === "owner") throw new OperationError("organization_owner_access");
    if (person.id === userId) throw new OperationError("organization_own_access");
    const own = await memberOf(tx, organizationId, person.id);
    const isLifted = (right: string) => before.withheld.includes(right) && !withheld.some((other) => other === right);
    if (own.withheld.some(isLifted)) throw new OperationError("organization_right_missing", {}, { status: 403 });
    await tx.update(organizationMembers).set({ withheld }).where(isPlace({ organizationId, userId }));
    const name = await nameOf(tx, userId);
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} changed what ${name} may see`,
      note: { code: "organization_access_changed", params: { by: person.username, name } },
      action: "update",
      before: { withheld: before.withheld },
      after: { withheld },
    });
  });
}

/**
 * Removes a member, or lets a person leave. The keys that they created are disabled: they may have copies. The last owner
 * cannot go. Throws OperationError.
 */
export async function removeMember(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, userId }: Place,
): Promise<void> {
  requireOrganizations(settings);
  const isLeaving = person.id === userId;
  const keys = await db.transaction(async (tx) => {
    const right = isLeaving ? "organization.read" : "members.manage";
    const membership = await lockForChange(tx, organizationId, person, right);
    const role = await roleOfMember(tx, organizationId, userId);
    if (!isLeaving) requireAssignable(membership.role, role);
    if (role === "owner") await requireOtherOwner(tx, organizationId);
    await tx.delete(organizationMembers).where(isPlace({ organizationId, userId }));
    const name = await nameOf(tx, userId);
    await writeOrganizationLog(tx, organizationId, person, {
      content: isLeaving ? `${name} left the organization` : `${person.username} removed ${name}`,
      note: isLeaving
        ? { code: "organization_member_left", params: { name } }
        : { code: "organization_member_removed", params: { by: person.username, name } },
      action: "delete",
      before: { role },
    });
    return disableMemberKeys(tx, userId, organizationId);
  });
  if (keys.length > 0) await changes.enforce("tokens", keys);
  await changes.enforce("users", [organizationId]);
}

const isPlace = ({ organizationId, userId }: Place) =>
  and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.userId, userId));

function requireAssignable(role: OrganizationRole, assigned: OrganizationRole): void {
  if (!mayAssign(role, assigned)) throw new OperationError("organization_owners_only", {}, { status: 403 });
}

async function nameOf(tx: Tx, userId: number): Promise<string> {
  const [user] = await tx.select({ username: users.username }).from(users).where(eq(users.id, userId));
  return user?.username ?? "";
}
