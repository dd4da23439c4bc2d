import { and, arrayContains, eq, inArray, not, or, sql } from "drizzle-orm";
import { serviceAccounts } from "../../../db/schema/accounts/access/service-accounts.ts";
import { ORGANIZATION_ROLES, organizationMembers } from "../../../db/schema/accounts/organizations/organizations.ts";
import type { Db } from "../../../db/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { hasRight } from "../accounts/organizations/rights.ts";

const REACH_ALL = ORGANIZATION_ROLES.filter((role) => hasRight(role, "keys.all"));

/**
 * Refuses the log of a key to whoever sends the key alone, where somebody who may have the key must not read requests: its creator,
 * or a member who manages all keys of the organization. Throws OperationError.
 */
export async function checkKeyLog(
  db: Db,
  { userId, createdBy }: Readonly<{ userId: number; createdBy: number }>,
): Promise<void> {
  const [restricted] = await db
    .select({ one: sql`1` })
    .from(organizationMembers)
    .where(
      and(
        eq(organizationMembers.organizationId, userId),
        arrayContains(organizationMembers.withheld, ["requests.read"]),
        or(inArray(organizationMembers.role, REACH_ALL), eq(organizationMembers.userId, createdBy)),
      ),
    )
    .limit(1);
  const [service] = restricted
    ? []
    : await db
        .select({ one: sql`1` })
        .from(serviceAccounts)
        .where(
          and(
            eq(serviceAccounts.userId, createdBy),
            not(arrayContains(serviceAccounts.rights, ["organization_requests:read"])),
          ),
        );
  if (restricted || service) throw new OperationError("key_log_withheld", {}, { status: 403 });
}
