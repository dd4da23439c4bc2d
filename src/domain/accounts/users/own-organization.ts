import { and, eq } from "drizzle-orm";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { ROLE } from "../access/roles.ts";
import type { UserEntry } from "../directory.ts";

/**
 * Keeps an administrator from changing an organization that they belong to, as they change nothing of themselves: its balance
 * is theirs to use. Super admins may. Throws OperationError.
 */
export async function refuseOwnOrganization(db: DbOrTx, actor: UserEntry, accountId: number): Promise<void> {
  if (actor.role >= ROLE.root) return;
  const [member] = await db
    .select({ role: organizationMembers.role })
    .from(organizationMembers)
    .where(and(eq(organizationMembers.organizationId, accountId), eq(organizationMembers.userId, actor.id)));
  if (member) throw new OperationError("own_organization_out_of_reach");
}
