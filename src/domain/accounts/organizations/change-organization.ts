import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { checkDisplayName } from "../identity/usernames.ts";
import { lockForChange, requireOrganizations } from "./membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "./operation.ts";

/** Changes the display name of an organization; its username stays. Throws OperationError. */
export async function renameOrganization(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  organizationId: number,
  displayName: string,
): Promise<void> {
  requireOrganizations(settings);
  const name = checkDisplayName(displayName);
  if (name === "") throw new OperationError("organization_name_required");
  await db.transaction(async (tx) => {
    const { organization } = await lockForChange(tx, organizationId, person, "organization.rename");
    await tx.update(users).set({ displayName: name }).where(eq(users.id, organizationId));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} renamed the organization to ${name}`,
      note: { code: "organization_renamed", params: { by: person.username, name } },
      action: "update",
      before: { display_name: organization.displayName },
      after: { display_name: name },
    });
  });
  await changes.publish("users", [organizationId]);
}
