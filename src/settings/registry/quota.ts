import { bool, exact, integer, timeZone } from "../option/option.ts";

/** What is given away, held back and warned about; amounts are quota units. */
export const quotaOptions = {
  QuotaForNewUser: integer(0),
  QuotaForInviter: integer(0),
  QuotaForInvitee: integer(0),
  /** Output tokens assumed for a hold when the call names no limit. */
  PreConsumedQuota: integer(500),
  /** For those who chose none themselves, who are shown it. */
  QuotaRemindThreshold: integer(500_000),
  /** Percent of a recharge paid to the inviter; 0: none. */
  RechargeCashbackRate: exact(0, { max: 100, decimals: 2 }),
  MinRechargeCashbackQuota: integer(0),
  RebateEnabled: bool(false),
  RebatePercentage: exact(0, { max: 100 }),
  CheckInEnabled: bool(false),
  CheckInQuota: integer(1000),
  /** Above CheckInQuota: the reward is random between the two. */
  CheckInMaxQuota: integer(0),
  /** Whose midnight begins a day of check-ins. */
  CheckInTimeZone: timeZone("UTC"),
};
