import { and, eq, inArray } from "drizzle-orm";
import { ORGANIZATION_ROLES, organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../db/types.ts";
import { hasRight } from "../../accounts/organizations/rights.ts";
import type { Notice } from "../../notifications/message.ts";
import { FIRST_REST_SECONDS, keepNotice } from "../../notifications/pending-notices.ts";

/**
 * Stores a notice to those who pay for an account, in the transaction of what it is about, so that a crash loses neither: the
 * person, or the members of an organization who may top it up. It is sent by the job of notifications.
 */
export async function notifyPayers(tx: Tx, userId: number, notice: Notice, now: number): Promise<void> {
  const [account] = await tx.select({ kind: users.kind }).from(users).where(eq(users.id, userId));
  const roles = ORGANIZATION_ROLES.filter((role) => hasRight(role, "wallet.topUp"));
  const receivers =
    account?.kind === "organization"
      ? await tx
          .select({ id: organizationMembers.userId })
          .from(organizationMembers)
          .where(and(eq(organizationMembers.organizationId, userId), inArray(organizationMembers.role, roles)))
      : [{ id: userId }];
  for (const { id } of receivers) await keepNotice(tx, id, notice, now - FIRST_REST_SECONDS);
}
