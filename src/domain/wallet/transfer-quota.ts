import { and, eq } from "drizzle-orm";
import { organizationMembers } from "../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../db/types.ts";
import type { Billing } from "../../billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../billing/ledger/errors.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { rightsOfRole } from "../accounts/access/admin-roles.ts";
import { ROLE } from "../accounts/access/roles.ts";
import { requireOrganizations, requireRight } from "../accounts/organizations/membership.ts";
import type { OrganizationDeps, Person } from "../accounts/organizations/operation.ts";
import { LOG_TYPE, writeLog } from "../logs/write-log.ts";
import { lockPlanAccount } from "./plans/plan-account.ts";

export type TransferDeps = OrganizationDeps & Readonly<{ billing: Pick<Billing, "transfer"> }>;

type Transfer = Readonly<{ organizationId: number; quotaUnits: number; direction: TransferDirection }>;

/** `in`: from the person's wallet to the organization's; `out`: back, for owners. */
export type TransferDirection = "in" | "out";

/**
 * Moves quota units between the wallets of a person and an organization, in one transaction with a log row for each. Only
 * what no call holds can be moved; whoever changes balances as an administrator gets back at most what they moved in. Throws
 * OperationError.
 */
export async function transferQuota(
  deps: TransferDeps,
  person: Person,
  { organizationId, quotaUnits, direction }: Transfer,
): Promise<void> {
  const { db, changes, settings, billing } = deps;
  requireOrganizations(settings);
  if (!Number.isSafeInteger(quotaUnits) || quotaUnits <= 0) throw new OperationError("organization_transfer_invalid");
  const right = direction === "in" ? "wallet.topUp" : "wallet.withdraw";
  await requireRight(db, organizationId, person.id, right);
  const [from, to] = direction === "in" ? [person.id, organizationId] : [organizationId, person.id];
  try {
    await billing.transfer(db, { from, to, amount: quotaUnits }, async (tx) => {
      // Both accounts are locked: the person may have lost the right, or the organization been deleted, meanwhile.
      await requireRight(tx, organizationId, person.id, right);
      await countFunds(tx, person.id, { organizationId, quotaUnits, direction });
      // Quota of plans stays with the account that has them.
      const { walletUnits } = await lockPlanAccount(tx, from);
      if (walletUnits < 0) {
        throw new OperationError("organization_transfer_too_large", { available: walletUnits + quotaUnits });
      }
      for (const [userId, delta] of [
        [from, -quotaUnits],
        [to, quotaUnits],
      ] as const) {
        await writeLog(tx, {
          type: LOG_TYPE.management,
          userId,
          content:
            direction === "in"
              ? `${person.username} moved quota to the organization #${organizationId}`
              : `${person.username} moved quota out of the organization #${organizationId}`,
          note: {
            code: direction === "in" ? "organization_funded" : "organization_withdrawn",
            params: { by: person.username, id: organizationId },
          },
          quota: quotaUnits,
          // The books add up balances by these two.
          other: { user_id: userId, quota_delta: delta, target: "organization", action: "update", by: person.id },
        });
      }
    });
  } catch (error) {
    if (error instanceof InsufficientQuota) {
      throw new OperationError("organization_transfer_too_large", { available: error.availableUnits });
    }
    if (error instanceof LedgerUnavailable) throw new OperationError("database_unavailable", {}, { status: 503 });
    throw error;
  }
  await changes.enforce("users", [from, to]);
}

/** Keeps the books of what a member moved in, and holds administrators to it. Throws OperationError. */
async function countFunds(
  tx: Tx,
  personId: number,
  { organizationId, quotaUnits, direction }: Transfer,
): Promise<void> {
  const place = and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.userId, personId));
  const [member] = await tx
    .select({ funded: organizationMembers.funded })
    .from(organizationMembers)
    .where(place)
    .for("update");
  const before = member?.funded ?? 0;
  if (direction === "out" && quotaUnits > before && (await changesBalances(tx, personId))) {
    throw new OperationError("organization_withdraw_limited", { available: before });
  }
  const funded = direction === "in" ? before + quotaUnits : Math.max(before - quotaUnits, 0);
  await tx.update(organizationMembers).set({ funded }).where(place);
}

/**
 * Whether a person, super admins excepted, may change balances of others: of an organization of which they become an owner
 * afterwards, or of an account that moves its own into one.
 */
async function changesBalances(tx: Tx, personId: number): Promise<boolean> {
  const [person] = await tx
    .select({ role: users.role, adminRoleId: users.adminRoleId })
    .from(users)
    .where(eq(users.id, personId));
  if (!person || person.role >= ROLE.root) return false;
  if (person.role >= ROLE.admin) return true;
  return person.adminRoleId !== null && (await rightsOfRole(tx, person.adminRoleId)).has("users:write");
}
