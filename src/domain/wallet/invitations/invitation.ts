import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { toText } from "../../../lib/values/decimal.ts";
import type { WalletDeps } from "../operation.ts";
import { cashbackTerms } from "./rebate-terms.ts";

export type Invitation = {
  code: string;
  /** The code was chosen by its owner and stays. */
  code_modified: boolean;
  /** How many came. */
  count: number;
  /** Quota units that wait to be transferred, and those of all time. */
  quota: number;
  history_quota: number;
  for_inviter: number;
  for_invitee: number;
  /** Percent of what the invited recharge; "0": nothing. */
  cashback_rate: string;
  min_cashback_quota: number;
  min_transfer: number;
};

/** A user's invitation code, what it brought, and by which rules. */
export async function readInvitation(
  { db, settings }: Omit<WalletDeps, "changes">,
  userId: number,
): Promise<Invitation> {
  const [user] = await db
    .select({
      code: users.affCode,
      code_modified: users.affCodeModified,
      count: users.affCount,
      quota: users.affQuota,
      history_quota: users.affHistoryQuota,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new OperationError("user_not_found");
  const { rate, minimum } = cashbackTerms(settings);
  return {
    ...user,
    for_inviter: settings.get("QuotaForInviter"),
    for_invitee: settings.get("QuotaForInvitee"),
    cashback_rate: toText(rate),
    min_cashback_quota: minimum,
    min_transfer: settings.get("QuotaPerUnit"),
  };
}
