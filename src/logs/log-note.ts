/**
 * What rows of the log can say in the reader's language: by code, the names of the values that are filled in. The words
 * are the console's (`log-notes.json`); `content` says the same in English, for tools and exports. Amounts are quota units
 * in the row itself; `money` is decimal text in `currency`.
 */
export const LOG_NOTES = {
  check_in: [],
  code_redeemed: ["id"],
  gift_code_redeemed: ["id"],
  top_up: ["money", "currency"],
  cashback: [],
  dividend: [],
  rewards_transferred: [],
  earnings_transferred: [],
  withdrawal_requested: [],
  quota_for_new_user: [],
  quota_for_invitee: [],
  reward_for_inviter: [],
  quota_to_start: [],
  drawing_refunded: ["task"],
  media_refunded: ["task"],
  drawing_not_taken: ["task"],
  media_not_taken: ["task"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Notes = typeof LOG_NOTES;
type Values<Names extends readonly string[]> = Names extends readonly []
  ? Readonly<{ params?: never }>
  : Readonly<{ params: Readonly<Record<Names[number], string | number>> }>;

/** A text of the log by its code, with what is filled in; it stands in the row's `other` as `note`. */
export type LogNote = { [Code in keyof Notes]: Readonly<{ code: Code }> & Values<Notes[Code]> }[keyof Notes];
