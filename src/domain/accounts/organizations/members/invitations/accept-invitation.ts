import { and, eq, gt, isNull } from "drizzle-orm";
import { requireRow } from "../../../../../../db/require-row.ts";
import {
  type OrganizationRole,
  organizationInvitations,
  organizationMembers,
} from "../../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import type { DbOrTx } from "../../../../../../db/types.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import type { Vault } from "../../../../../lib/security/crypto.ts";
import { insertBudget } from "../../budgets/manage-budgets.ts";
import { findMember, findRole, requireOrganizations } from "../../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../../operation.ts";
import { type Member, mayAssign } from "../../rights.ts";
import { requireFreeSeat } from "../seats.ts";
import { invitationHash } from "./invite.ts";

type AcceptDeps = OrganizationDeps & Readonly<{ vault: Vault }>;

/** What an invitation's link opens, before it is accepted. */
export type InvitationPreview = Readonly<{
  organization_id: number;
  organization: string;
  role: OrganizationRole;
  /** Quota units that may be spent in a month; null: no limit of one's own. */
  monthly_budget: number | null;
  /** Who invites; empty: a deleted account. */
  invited_by: string;
  /** Epoch seconds. */
  expires_time: number;
  is_member: boolean;
}>;

/** Reads the invitation of a token. Throws OperationError when it was used or revoked, has expired, or never existed. */
export async function previewInvitation(
  { db, settings, vault }: AcceptDeps,
  person: Person,
  token: string,
): Promise<InvitationPreview> {
  requireOrganizations(settings);
  const { invitation, organization } = await findOpen(db, vault, token);
  const by = invitation.createdBy ?? 0;
  const [inviter] = await db.select({ username: users.username }).from(users).where(eq(users.id, by));
  return {
    organization_id: organization.id,
    organization: organization.displayName || organization.username,
    role: invitation.role,
    monthly_budget: invitation.monthlyBudget,
    invited_by: inviter?.username ?? "",
    expires_time: invitation.expiresAt,
    is_member: (await findRole(db, organization.id, person.id)) !== null,
  };
}

/**
 * Makes the person a member with the invitation's role, less what is withheld from the inviter, and with its budget, unless they have
 * one from an earlier membership; returns the organization's id. A token works once, whoever comes at the same time; members keep
 * their role and leave it open. Throws OperationError.
 */
export async function acceptInvitation(
  { db, changes, settings, vault }: AcceptDeps,
  person: Person,
  token: string,
): Promise<number> {
  requireOrganizations(settings);
  const found = await findOpen(db, vault, token);
  const organizationId = found.organization.id;
  const budget = await db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, organizationId)).for("update");
    // Again, now that nobody else can accept or revoke it.
    const { invitation, inviter } = await findOpen(tx, vault, token);
    if ((await findRole(tx, organizationId, person.id)) !== null)
      throw new OperationError("organization_member_already");
    await requireFreeSeat(tx, organizationId);
    const now = nowSeconds();
    const { role, monthlyBudget } = invitation;
    // Who lacks a right gives it to nobody, a second account of theirs included.
    const withheld = [...inviter.withheld];
    await tx.insert(organizationMembers).values({ organizationId, userId: person.id, role, withheld, joinedAt: now });
    await tx
      .update(organizationInvitations)
      .set({ acceptedAt: now, acceptedBy: person.id })
      .where(eq(organizationInvitations.id, invitation.id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} joined as ${role}`,
      note: { code: "organization_member_joined", params: { name: person.username, role } },
      action: "create",
      after: { role, ...(withheld.length > 0 && { withheld }) },
    });
    if (monthlyBudget === null) return null;
    const target = { scope: "member", scopeId: person.id, period: "month" } as const;
    const by = requireRow(
      await tx
        .select()
        .from(users)
        .where(eq(users.id, invitation.createdBy ?? 0)),
    );
    return insertBudget(tx, settings, by, organizationId, { ...target, limit: monthlyBudget, isHard: true });
  });
  if (budget !== null) await changes.enforce("budgets", [budget]);
  return organizationId;
}

async function findOpen(db: DbOrTx, vault: Vault, token: string) {
  const [found] = await db
    .select({ invitation: organizationInvitations, organization: users })
    .from(organizationInvitations)
    .innerJoin(users, eq(users.id, organizationInvitations.organizationId))
    .where(
      and(
        eq(organizationInvitations.tokenHash, invitationHash(vault, token)),
        isNull(organizationInvitations.acceptedAt),
        gt(organizationInvitations.expiresAt, nowSeconds()),
        eq(users.kind, "organization"),
        isNull(users.deletedAt),
      ),
    );
  const inviter = found && (await findInviter(db, found.invitation));
  if (!found || !inviter) throw new OperationError("organization_invitation_invalid");
  return { ...found, inviter };
}

/** Who invited, if they could still invite now: a removed member must not return by a link of their own. */
async function findInviter(
  db: DbOrTx,
  { organizationId, createdBy, role }: typeof organizationInvitations.$inferSelect,
): Promise<Member | null> {
  const inviter = createdBy === null ? null : await findMember(db, organizationId, createdBy);
  return inviter !== null && mayAssign(inviter.role, role) ? inviter : null;
}
