import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx, Tx } from "../../../../db/types.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { createAccount, type NewAccount } from "../identity/create-user.ts";

type Welcome = Readonly<{
  settings: SettingsReader;
  account: NewAccount;
  passwordHash: string | null;
  /** The inviter's code; unknown ones are ignored. */
  affCode: string;
}>;

/**
 * Creates a user who came by themselves, with the quota for new and invited users, and rewards the inviter, all in the
 * transaction `tx`. Returns the ids that the caller publishes to "users" after the commit: the new user's first.
 */
export async function welcomeUser(tx: Tx, { settings, account, passwordHash, affCode }: Welcome): Promise<number[]> {
  const inviterId = await findInviter(tx, affCode);
  const forNew = settings.get("QuotaForNewUser");
  const forInvitee = inviterId === null ? 0 : settings.get("QuotaForInvitee");
  const userId = await createAccount(tx, { ...account, quota: forNew + forInvitee, inviterId }, passwordHash);
  if (forNew > 0) await log(tx, userId, "quota_for_new_user", forNew);
  if (forInvitee > 0) await log(tx, userId, "quota_for_invitee", forInvitee);
  if (inviterId === null) return [userId];
  const forInviter = settings.get("QuotaForInviter");
  await tx
    .update(users)
    .set({
      affCount: sql`${users.affCount} + 1`,
      affQuota: sql`${users.affQuota} + ${forInviter}`,
      affHistoryQuota: sql`${users.affHistoryQuota} + ${forInviter}`,
    })
    .where(eq(users.id, inviterId));
  if (forInviter > 0) await log(tx, inviterId, "reward_for_inviter", forInviter);
  return [userId, inviterId];
}

const CONTENT = {
  quota_for_new_user: "Quota for a new user",
  quota_for_invitee: "Quota for using an invitation",
  reward_for_inviter: "Reward for an invitation",
} as const;

const log = (tx: Tx, userId: number, code: keyof typeof CONTENT, quota: number) =>
  writeLog(tx, { type: LOG_TYPE.system, userId, content: CONTENT[code], note: { code }, quota });

/** The user whose invitation a code is; null: it is nobody's. */
export async function findInviter(db: DbOrTx, affCode: string): Promise<number | null> {
  const code = affCode.trim();
  if (code === "" || code.length > 32) return null;
  const [inviter] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.affCode, code), eq(users.kind, "person"), isNull(users.deletedAt)));
  return inviter?.id ?? null;
}
