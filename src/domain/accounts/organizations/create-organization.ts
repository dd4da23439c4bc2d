import { and, count, eq, isNull } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { planAccounts } from "../../../../db/schema/wallet/plans/plans.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { createAccount } from "../identity/create-user.ts";
import { checkUsername } from "../identity/usernames.ts";
import { requireOrganizations } from "./membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "./operation.ts";

/** Organizations that one person may own: names are taken for good. */
const MOST_OWNED = 20;

/**
 * Creates an organization with an empty wallet and the person as its owner; returns its id. It has the person's own group, not that
 * of a plan, which ends. Its calls count in the limits of its owners.
 * Throws OperationError when a name is refused or taken, or the person owns too many.
 */
export async function createOrganization(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  input: Readonly<{ username: string; displayName: string }>,
): Promise<number> {
  requireOrganizations(settings);
  const id = await db.transaction(async (tx) => {
    // One at a time for each person, so that the count holds.
    const [creator] = await tx
      .select({ group: users.group, planGroup: planAccounts.planGroup, ownGroup: planAccounts.ownGroup })
      .from(users)
      .leftJoin(planAccounts, eq(planAccounts.userId, users.id))
      .where(eq(users.id, person.id))
      .for("update", { of: users });
    if (!creator) throw new OperationError("user_not_found");
    const group = creator.planGroup === creator.group ? (creator.ownGroup ?? creator.group) : creator.group;
    const { owned } = requireRow(
      await tx
        .select({ owned: count() })
        .from(organizationMembers)
        .innerJoin(users, eq(users.id, organizationMembers.organizationId))
        .where(
          and(
            eq(organizationMembers.userId, person.id),
            eq(organizationMembers.role, "owner"),
            isNull(users.deletedAt),
          ),
        ),
    );
    if (owned >= MOST_OWNED) throw new OperationError("organization_too_many", { max: MOST_OWNED });
    const username = checkUsername(input.username, settings.get("UsernameMaxLength"));
    const account = { username, displayName: input.displayName, kind: "organization" } as const;
    const organizationId = await createAccount(tx, account, null);
    await tx.update(users).set({ group }).where(eq(users.id, organizationId));
    await tx
      .insert(organizationMembers)
      .values({ organizationId, userId: person.id, role: "owner", joinedAt: nowSeconds() });
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} created the organization`,
      note: { code: "organization_created", params: { by: person.username } },
      action: "create",
    });
    return organizationId;
  });
  await changes.publish("users", [id]);
  return id;
}
