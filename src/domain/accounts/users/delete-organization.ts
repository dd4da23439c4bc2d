import { and, count, eq, isNull } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { lockForChange, requireOrganizations } from "../organizations/membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../organizations/operation.ts";
import { deleteAccount } from "./delete-user.ts";

/**
 * Deletes an organization that has no keys and no balance left; its name stays taken, its log stays in the books.
 * Throws OperationError.
 */
export async function deleteOrganization(
  { db, changes, settings, vault }: OrganizationDeps & Readonly<{ vault: Vault }>,
  person: Person,
  organizationId: number,
): Promise<void> {
  requireOrganizations(settings);
  await db.transaction(async (tx) => {
    const { organization } = await lockForChange(tx, organizationId, person, "organization.delete");
    if (organization.quota > 0) throw new OperationError("organization_has_balance");
    const { keys } = requireRow(
      await tx
        .select({ keys: count() })
        .from(tokens)
        .where(and(eq(tokens.userId, organizationId), isNull(tokens.deletedAt))),
    );
    if (keys > 0) throw new OperationError("organization_has_keys", { count: keys });
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} deleted the organization`,
      note: { code: "organization_deleted", params: { by: person.username } },
      action: "delete",
    });
    await deleteAccount(tx, vault, organizationId);
  });
  await changes.enforce("users", [organizationId]);
}
