import { and, desc, eq, gt, isNull } from "drizzle-orm";
import {
  type OrganizationRole,
  organizationInvitations,
} from "../../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../../../db/types.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { type Language, writtenLanguage } from "../../../../../lib/messages.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { randomText, type Vault } from "../../../../../lib/security/crypto.ts";
import type { Mailer } from "../../../../notifications/mail.ts";
import { type Letter, writeMail } from "../../../../notifications/mail.ts";
import { checkEmailAddress } from "../../../registration/email-address.ts";
import type { MailLimits } from "../../../registration/mail-limits.ts";
import { requireLimit } from "../../budgets/manage-budgets.ts";
import { lockForChange, requireOrganizations } from "../../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../../operation.ts";
import { mayAssign } from "../../rights.ts";
import { requireFreeSeat } from "../seats.ts";

const TOKEN_BYTES = 32;
const LIFETIME_SECONDS = 7 * 86_400;
/** Invitations of one organization that are open at a time. */
const MOST_OPEN = 100;

/** An invitation as those who manage members see it; the link is shown once, where it is created. */
export type InvitationView = Readonly<{
  id: number;
  role: OrganizationRole;
  /** Where it was mailed to; empty: a link to pass on. */
  email: string;
  /** What the new member may spend in a month, in quota units; null: no limit of their own. */
  monthly_budget: number | null;
  created_by: string;
  created_time: number;
  /** Epoch seconds. */
  expires_time: number;
}>;

export type InvitationDeps = OrganizationDeps & Readonly<{ vault: Vault; mailer: Mailer; mailLimits: MailLimits }>;

type NewInvitation = Readonly<{
  organizationId: number;
  role: OrganizationRole;
  /** Where to mail the link; null: the caller passes it on. */
  email: string | null;
  /** What the new member may spend in a month, in quota units; null or absent: no limit of their own. */
  monthlyBudget?: number | null;
  /** Where the console is. */
  siteAddress: string;
  language: Language;
}>;

/** The keyed hash under which the database knows an invitation's token. */
export const invitationHash = (vault: Vault, token: string): string =>
  vault.keyedHash(`organization invitation ${token}`);

/**
 * Invites somebody to an organization for seven days: mails the link, or returns it to be passed on (null when it was
 * mailed). It works once. Owners are made of members, never by a link. Throws OperationError.
 */
export async function createInvitation(
  deps: InvitationDeps,
  person: Person,
  input: NewInvitation,
): Promise<Readonly<{ id: number; link: string | null }>> {
  const { db, settings, vault, mailer, mailLimits } = deps;
  requireOrganizations(settings);
  const { organizationId, role, monthlyBudget = null } = input;
  if (monthlyBudget !== null) requireLimit(monthlyBudget);
  if (role === "owner") throw new OperationError("organization_invite_no_owner");
  const email = input.email === null ? null : checkEmailAddress(settings, input.email);
  if (email !== null && !mailer.isConfigured()) throw new OperationError("mail_not_configured");
  const token = randomText(TOKEN_BYTES);
  const link = `${input.siteAddress}/organization/join?${new URLSearchParams({ token })}`;
  const created = await db.transaction(async (tx) => {
    const membership = await lockForChange(tx, organizationId, person, "members.manage");
    if (!mayAssign(membership.role, role)) throw new OperationError("organization_owners_only", {}, { status: 403 });
    if (monthlyBudget !== null) await lockForChange(tx, organizationId, person, "budgets.manage");
    const now = nowSeconds();
    const open = await tx
      .select({ id: organizationInvitations.id })
      .from(organizationInvitations)
      .where(isOpen(organizationId, now));
    if (open.length >= MOST_OPEN) throw new OperationError("organization_invitations_too_many", { max: MOST_OPEN });
    await requireFreeSeat(tx, organizationId, open.length);
    const [row] = await tx
      .insert(organizationInvitations)
      .values({
        ...{ organizationId, role, email, monthlyBudget, createdBy: person.id, createdAt: now },
        tokenHash: invitationHash(vault, token),
        expiresAt: now + LIFETIME_SECONDS,
      })
      .returning({ id: organizationInvitations.id });
    if (!row) throw new Error("the invitation was not created");
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} invited ${email ?? "somebody by link"} as ${role}`,
      note: email
        ? { code: "organization_invited_by_mail", params: { by: person.username, email, role } }
        : { code: "organization_invited_by_link", params: { by: person.username, role } },
      action: "create",
      ...(monthlyBudget !== null && { after: { monthly_budget: monthlyBudget } }),
    });
    return { id: row.id, organization: membership.organization };
  });
  if (email === null) return { id: created.id, link };
  try {
    await mailLimits.countMail(email, person.id);
    const { displayName, username } = created.organization;
    const names = { site: settings.get("SystemName"), organization: displayName || username, by: person.username };
    await mailer.send(writeMail(email, letter(input.language, names, link)));
  } catch (error) {
    // A link that nobody has got is of no use.
    await db.delete(organizationInvitations).where(eq(organizationInvitations.id, created.id));
    throw error;
  }
  return { id: created.id, link: null };
}

/** The open invitations of an organization, newest first. The caller has checked the right to see them. */
export async function listInvitations(db: Db, organizationId: number): Promise<InvitationView[]> {
  const rows = await db
    .select({ invitation: organizationInvitations, by: users.username })
    .from(organizationInvitations)
    .leftJoin(users, eq(users.id, organizationInvitations.createdBy))
    .where(isOpen(organizationId, nowSeconds()))
    .orderBy(desc(organizationInvitations.id));
  return rows.map(({ invitation, by }) => ({
    id: invitation.id,
    role: invitation.role,
    email: invitation.email ?? "",
    monthly_budget: invitation.monthlyBudget,
    created_by: by ?? "",
    created_time: invitation.createdAt,
    expires_time: invitation.expiresAt,
  }));
}

/** Revokes an open invitation: its link no longer works. Throws OperationError. */
export async function revokeInvitation(
  { db, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: Readonly<{ organizationId: number; id: number }>,
): Promise<void> {
  requireOrganizations(settings);
  await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "members.manage");
    const [revoked] = await tx
      .delete(organizationInvitations)
      .where(and(eq(organizationInvitations.id, id), isOpen(organizationId, nowSeconds())))
      .returning({ role: organizationInvitations.role });
    if (!revoked) throw new OperationError("organization_invitation_invalid");
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} revoked an invitation as ${revoked.role}`,
      note: { code: "organization_invitation_revoked", params: { by: person.username, role: revoked.role } },
      action: "delete",
    });
  });
}

const isOpen = (organizationId: number, now: number) =>
  and(
    eq(organizationInvitations.organizationId, organizationId),
    isNull(organizationInvitations.acceptedAt),
    gt(organizationInvitations.expiresAt, now),
  );

type Names = Readonly<{ site: string; organization: string; by: string }>;

function letter(language: Language, { site, organization, by }: Names, address: string): Letter {
  if (writtenLanguage(language) === "zh") {
    return {
      subject: `${site}：邀请你加入 ${organization}`,
      paragraphs: [
        `${by} 邀请你加入 ${site} 上的组织 ${organization}。链接 7 天内有效，只能使用一次。如不认识对方，请忽略此邮件。`,
      ],
      link: { label: "查看邀请", address },
    };
  }
  return {
    subject: `${site}: join ${organization}`,
    paragraphs: [
      `${by} invites you to the organization ${organization} at ${site}. The link works once, for 7 days. If you don't know them, ignore this mail.`,
    ],
    link: { label: "View invitation", address },
  };
}
