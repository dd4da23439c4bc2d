import { and, count, eq, isNull } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import {
  type OrganizationRole,
  organizationMembers,
} from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx, Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { hasRight, type Member, type OrganizationRight } from "./rights.ts";

/** An organization's account as operations need it. */
export type Organization = Readonly<{ id: number; username: string; displayName: string; quota: number }>;

/** A person's place in an organization. */
export type Membership = Readonly<{ organization: Organization; role: OrganizationRole }>;

const columns = { id: users.id, username: users.username, displayName: users.displayName, quota: users.quota };
const isOrganization = and(eq(users.kind, "organization"), isNull(users.deletedAt));

/** Throws OperationError organizations_off unless the site has organizations. */
export function requireOrganizations(settings: SettingsReader): void {
  if (settings.get("Organizations") === "off") throw new OperationError("organizations_off", {}, { status: 404 });
}

/** A person's place in an organization that exists; null: none, whether or not there is such an organization. */
export async function findMember(db: DbOrTx, organizationId: number, userId: number): Promise<Member | null> {
  const [member] = await db
    .select({ role: organizationMembers.role, withheld: organizationMembers.withheld })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.organizationId))
    .where(
      and(
        eq(organizationMembers.organizationId, organizationId),
        eq(organizationMembers.userId, userId),
        isOrganization,
      ),
    );
  return member ?? null;
}

/** The role of a person in an organization that exists; null as of `findMember`. */
export const findRole = async (db: DbOrTx, organizationId: number, userId: number): Promise<OrganizationRole | null> =>
  (await findMember(db, organizationId, userId))?.role ?? null;

/**
 * The role of a person in an organization, if it has the right. Throws OperationError: 404 for whoever is no member, also of
 * an organization that does not exist; 403 without the right.
 */
export async function requireRight(
  db: DbOrTx,
  organizationId: number,
  userId: number,
  right: OrganizationRight,
): Promise<OrganizationRole> {
  const role = await findRole(db, organizationId, userId);
  if (role === null) throw new OperationError("organization_not_found", {}, { status: 404 });
  if (!hasRight(role, right)) throw new OperationError("organization_right_missing", {}, { status: 403 });
  return role;
}

/** Who changes an organization: a member, or the site itself by files of its configuration, with the rights of an owner. */
type Changer = Readonly<{ id: number; isSite?: true }>;

/**
 * Locks an organization until the transaction ends, so that its members and balance stay as they are read, then checks the
 * right as `requireRight` does. Every change of members, invitations and balance starts with this. Throws OperationError.
 */
export async function lockForChange(
  tx: Tx,
  organizationId: number,
  person: Changer,
  right: OrganizationRight,
): Promise<Membership> {
  const [organization] = await tx
    .select(columns)
    .from(users)
    .where(and(eq(users.id, organizationId), isOrganization))
    .for("update");
  if (!organization) throw new OperationError("organization_not_found", {}, { status: 404 });
  return { organization, role: person.isSite ? "owner" : await requireRight(tx, organizationId, person.id, right) };
}

/**
 * Checks a member's right and keeps it as it is until the transaction ends: a removal that comes at the same time waits.
 * Throws OperationError.
 */
export async function holdRight(
  tx: Tx,
  organizationId: number,
  userId: number,
  right: OrganizationRight,
): Promise<void> {
  const [member] = await tx
    .select({ role: organizationMembers.role })
    .from(organizationMembers)
    .where(and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.userId, userId)))
    .for("share");
  if (!member) throw new OperationError("organization_not_member", {}, { status: 403 });
  if (!hasRight(member.role, right)) throw new OperationError("organization_right_missing", {}, { status: 403 });
}

/** Another member of a locked organization. Throws OperationError organization_member_not_found. */
export async function memberOf(tx: Tx, organizationId: number, userId: number): Promise<Member> {
  const member = await findMember(tx, organizationId, userId);
  if (member === null) throw new OperationError("organization_member_not_found");
  return member;
}

/** The role of another member of a locked organization. Throws OperationError organization_member_not_found. */
export const roleOfMember = async (tx: Tx, organizationId: number, userId: number): Promise<OrganizationRole> =>
  (await memberOf(tx, organizationId, userId)).role;

/** Throws OperationError when an owner of a locked organization is about to go and there is no other. */
export async function requireOtherOwner(tx: Tx, organizationId: number): Promise<void> {
  const { owners } = requireRow(
    await tx
      .select({ owners: count() })
      .from(organizationMembers)
      .where(and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.role, "owner"))),
  );
  if (owners < 2) throw new OperationError("organization_last_owner");
}
