import { and, eq, inArray, isNull, or } from "drizzle-orm";
import {
  organizationInvitations,
  organizationMembers,
} from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { requireOtherOwner } from "../membership.ts";
import { disableMemberKeys } from "./member-keys.ts";

/** Locks an account that is to be deleted, with the organizations that a person belongs to, in the order of their ids. */
export async function lockWithOrganizations(tx: Tx, userId: number): Promise<void> {
  const places = await tx
    .select({ id: organizationMembers.organizationId })
    .from(organizationMembers)
    .where(eq(organizationMembers.userId, userId));
  const ids = [userId, ...places.map(({ id }) => id)];
  await tx.select({ id: users.id }).from(users).where(inArray(users.id, ids)).orderBy(users.id).for("update");
}

/**
 * Ends every membership of an account that is deleted, a person's or an organization's, and withdraws invitations; the keys
 * that a person created for others are disabled. Returns their ids. Throws OperationError for the last owner of an organization.
 */
export async function endMemberships(tx: Tx, userId: number): Promise<number[]> {
  const owned = await tx
    .select({ id: users.id, username: users.username })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.organizationId))
    .where(and(eq(organizationMembers.userId, userId), eq(organizationMembers.role, "owner"), isNull(users.deletedAt)));
  for (const { id, username } of owned) {
    await requireOtherOwner(tx, id).catch((error: unknown) => {
      throw error instanceof OperationError
        ? new OperationError("organization_needs_owner", { name: username })
        : error;
    });
  }
  await tx
    .delete(organizationMembers)
    .where(or(eq(organizationMembers.userId, userId), eq(organizationMembers.organizationId, userId)));
  await tx
    .delete(organizationInvitations)
    .where(
      and(
        or(eq(organizationInvitations.organizationId, userId), eq(organizationInvitations.createdBy, userId)),
        isNull(organizationInvitations.acceptedAt),
      ),
    );
  return disableMemberKeys(tx, userId);
}
