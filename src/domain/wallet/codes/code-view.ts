import { users } from "../../../../db/schema/accounts/users.ts";
import { redemptionCodes } from "../../../../db/schema/wallet/codes.ts";
import { plans } from "../../../../db/schema/wallet/plans/plans.ts";

export const CODE_STATUS = { unused: 1, disabled: 2, used: 3 } as const;

/** A redemption code on the wire. */
export type CodeView = {
  id: number;
  /** Who created it; null: deleted. */
  user_id: number | null;
  name: string;
  key: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  quota: number;
  /** The plan that it gives for one period instead of quota. */
  plan_id: number | null;
  plan_name: string | null;
  is_gift: boolean;
  /** -1: unlimited. */
  max_uses: number;
  used_count: number;
  /** Epoch seconds; 0: unset. */
  valid_from: number;
  valid_until: number;
  created_time: number;
  redeemed_time: number;
  /** 0: nobody. */
  used_user_id: number;
  used_username: string;
};

/** Columns of a code, joined with the `users` row of who used it and the plan that it gives. */
export const codeColumns = { code: redemptionCodes, usedUsername: users.username, planName: plans.name };

/** Turns a row into what administrators see. */
export const viewCode = (row: {
  code: typeof redemptionCodes.$inferSelect;
  usedUsername: string | null;
  planName: string | null;
}): CodeView => ({
  id: row.code.id,
  user_id: row.code.userId,
  name: row.code.name,
  key: row.code.key,
  status: row.code.status,
  quota: row.code.quota,
  plan_id: row.code.planId,
  plan_name: row.planName,
  is_gift: row.code.isGift,
  max_uses: row.code.maxUses,
  used_count: row.code.usedCount,
  valid_from: row.code.validFrom,
  valid_until: row.code.validUntil,
  created_time: row.code.createdTime,
  redeemed_time: row.code.redeemedTime,
  used_user_id: row.code.usedUserId ?? 0,
  used_username: row.usedUsername ?? "",
});
