import { sql } from "drizzle-orm";
import { LOG_ELSEWHERE_ROW } from "../../../db/schema/logs/deliveries.ts";
import type { DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { requestOrigin } from "../../lib/http/request.ts";

export const LOG_TYPE = { topUp: 1, consumption: 2, management: 3, system: 4, checkIn: 5 } as const;

export type Event = Readonly<{
  type: 1 | 3 | 4 | 5;
  /** The user whose log gets the event. */
  userId: number;
  /** A sentence in English; structured details belong in `other`. */
  content: string;
  /** The same as a code with parameters, for other languages. */
  note?: LogNote;
  /** The quota units that the event is about, if any. */
  quota?: number;
  ip?: string;
  other?: Readonly<Record<string, unknown>>;
}>;

/** Writes an event other than a call to the log. Pass the transaction of the change that the event describes. */
export async function writeLog(db: DbOrTx, event: Event): Promise<void> {
  const { type, userId, content, quota = 0, ip = "" } = event;
  const other =
    event.other || event.note ? JSON.stringify({ ...event.other, ...(event.note && { note: event.note }) }) : "";
  // Books and statements read events here, lists where the log is.
  await db.execute(sql`
    with written as (
      insert into logs (created_at, type, user_id, username, content, quota, ip, other)
      values (${nowSeconds()}, ${type}, ${userId}, coalesce((select username from users where id = ${userId}), ''), ${content},
        ${quota}, ${ip}, ${other})
      returning *
    )
    insert into log_deliveries (kind, rows, body, created_at)
    select 'rows', 1, json_build_array(row_to_json(w))::text, w.created_at from written w
    where exists (select from options where key = ${LOG_ELSEWHERE_ROW})`);
}

export type ManagementAction = "create" | "update" | "delete" | "enable" | "disable" | "promote" | "demote" | "read";

/** The values of changed fields before and after. */
export type Difference = Readonly<{ before?: Fields; after?: Fields }>;
type Fields = Readonly<Record<string, unknown>>;

type Management = Difference & Readonly<{ note: LogNote; action: ManagementAction }>;

/** Logs a management action in the actor's log: the values before and after, from where, and in which request. */
export const writeManagementLog = (
  db: DbOrTx,
  actor: Readonly<{ id: number }>,
  content: string,
  other: Management & Fields,
): Promise<void> => {
  const origin = requestOrigin();
  const from = origin && { ip: origin.ip, other: { ...other, request_id: origin.requestId } };
  return writeLog(db, { type: LOG_TYPE.management, userId: actor.id, content, other, ...from });
};

/**
 * What rows of the log can say in the reader's language: by code, the names of the values that are filled in. The words
 * are the console's (`log-notes.json`); `content` says the same in English, for tools and exports. Amounts are quota units
 * in the row itself; `money` is decimal text in `currency`, `time` epoch seconds.
 */
export const LOG_NOTES = {
  check_in: [],
  code_redeemed: ["id"],
  gift_code_redeemed: ["id"],
  top_up: ["money", "currency"],
  cashback: [],
  dividend: [],
  plan_quota_granted: ["name"],
  plan_quota_expired: ["name"],
  plan_paid: ["name"],
  plan_payment_returned: ["name"],
  plan_paid_seats: ["name", "seats"],
  plan_seats_added: ["name", "seats"],
  plan_saved: ["name"],
  plan_retired: ["name"],
  plan_granted: ["plan", "name", "id"],
  subscription_ended: ["id"],
  subscription_paused: ["id"],
  subscription_resumed: ["id"],
  coupon_created: ["code"],
  coupon_retired: ["code"],
  case_closed: ["reference"],
  card_saved: ["card"],
  card_removed: ["by", "card"],
  auto_top_up_saved: ["by"],
  auto_top_up_off: ["by"],
  auto_top_up_resumed: ["by"],
  auto_top_up_paused: [],
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
  channels_enabled: ["changed", "total"],
  channels_disabled: ["changed", "total"],
  abilities_rebuilt: ["count"],
  job_run: ["name"],
  failure_muted: ["cause"],
  failure_resolved: ["cause"],
  failure_open: ["cause"],
  books_checked: ["checked", "off"],
  journal_replayed: ["charged", "left"],
  journal_acknowledged: ["count"],
  channel_keys_seen: ["name", "id"],
  channels_exported: ["count"],
  channels_exported_with_keys: ["count"],
  channels_imported: ["created", "changed"],
  channel_changed: ["name", "id", "fields"],
  channel_enabled: ["name", "id"],
  channel_disabled: ["name", "id"],
  channels_deleted: ["count", "names"],
  channel_created: ["name", "id"],
  channel_copied: ["name", "id", "copy", "copyId"],
  tag_enabled: ["tag", "count"],
  tag_disabled: ["tag", "count"],
  tag_changed: ["tag", "count", "fields"],
  channels_changed: ["count", "fields"],
  tag_set: ["tag", "count"],
  tag_removed: ["count"],
  channel_key_enabled: ["key", "name", "id"],
  channel_key_disabled: ["key", "name", "id"],
  withdrawal_approved: ["id", "name", "user"],
  withdrawal_paid: ["id", "name", "user"],
  withdrawal_rejected: ["id", "name", "user"],
  agent_made: ["name", "id"],
  agent_changed: ["name", "id"],
  order_completed: ["order", "name", "id"],
  order_refund_begun: ["order"],
  order_refund_ended: ["order"],
  order_refund_returned: ["order"],
  codes_created: ["count", "name"],
  code_changed: ["name", "id"],
  code_enabled: ["name", "id"],
  code_disabled: ["name", "id"],
  codes_disabled: ["count"],
  code_deleted: ["id"],
  disabled_codes_deleted: [],
  named_codes_deleted: ["name"],
  user_promoted: ["name", "id"],
  user_demoted: ["name", "id"],
  user_disabled: ["name", "id"],
  user_enabled: ["name", "id"],
  user_deleted: ["name", "id"],
  user_created: ["name", "id"],
  user_changed: ["name", "id"],
  organization_created: ["by"],
  organization_renamed: ["by", "name"],
  organization_deleted: ["by"],
  organization_invited_by_mail: ["by", "email", "role"],
  organization_invited_by_link: ["by", "role"],
  organization_invitation_revoked: ["by", "role"],
  organization_member_joined: ["name", "role"],
  organization_no_seat: ["name", "seats"],
  organization_member_left: ["name"],
  organization_member_removed: ["by", "name"],
  organization_role_changed: ["by", "name", "role"],
  organization_role_by_groups: ["name", "role"],
  organization_left_by_groups: ["name"],
  organization_funded: ["by", "id"],
  organization_withdrawn: ["by", "id"],
  organization_project_created: ["by", "name"],
  organization_project_renamed: ["by", "before", "name"],
  organization_project_deleted: ["by", "name"],
  organization_key_created: ["by", "name"],
  organization_key_changed: ["by", "name"],
  organization_key_rotated: ["by", "name"],
  organization_key_deleted: ["by", "name"],
  organization_provider_key_added: ["by", "name"],
  organization_provider_key_changed: ["by", "name"],
  organization_provider_key_deleted: ["by", "name"],
  organization_mcp_signed_in: ["by", "name"],
  organization_mcp_signed_out: ["by", "name"],
  organization_access_changed: ["by", "name"],
  organization_budget_created: ["by", "id"],
  organization_budget_changed: ["by", "id"],
  organization_budget_deleted: ["by", "id"],
  scim_provisioned: ["name"],
  scim_deprovisioned: ["name"],
  scim_reactivated: ["name"],
  scim_token_created: ["name", "id"],
  scim_token_revoked: ["name", "id"],
  sso_provider_added: ["name", "id"],
  sso_provider_changed: ["name", "id"],
  sso_provider_deleted: ["name", "id"],
  organization_alert_changed: ["by", "name"],
  organization_policy_created: ["by", "policy"],
  organization_policy_changed: ["by", "policy"],
  organization_policy_deleted: ["by", "policy"],
  admin_role_created: ["name", "id"],
  admin_role_changed: ["name", "id"],
  admin_role_deleted: ["name", "id"],
  admin_role_assigned: ["role", "name", "id"],
  admin_role_removed: ["role", "name", "id"],
  service_account_created: ["name", "id"],
  service_account_changed: ["name", "id"],
  service_token_rotated: ["name", "id"],
  service_account_deleted: ["name", "id"],
  second_factor_removed: ["name", "id"],
  account_exported: [],
  account_exported_with_keys: [],
  option_changed: ["key"],
  catalog_changed: ["keys"],
  route_created: ["name"],
  route_changed: ["name"],
  route_deleted: ["name"],
  experiment_results_deleted: ["name"],
  response_cache_cleared: [],
  channel_checked: ["name", "model"],
  replay_set_created: ["name"],
  replay_set_deleted: ["name"],
  evaluation_started: ["name"],
  evaluation_stopped: ["name"],
  evaluation_deleted: ["name"],
  option_reset: ["key"],
  announced: ["title"],
  announcement_changed: ["title"],
  announcement_deleted: ["title"],
  key_leaked: ["name", "url"],
  key_leaked_disabled: ["name", "url"],
  alert_destination_added: ["name"],
  alert_destination_changed: ["name"],
  alert_destination_deleted: ["name"],
  alert_rule_added: ["event"],
  alert_rule_changed: ["event"],
  alert_rule_deleted: ["event"],
  mcp_server_added: ["name"],
  mcp_server_changed: ["name"],
  mcp_server_deleted: ["name"],
  mcp_tools_approved: ["name", "tools"],
  mcp_tools_withdrawn: ["name", "tools"],
  sink_added: ["name"],
  sink_changed: ["name"],
  sink_deleted: ["name"],
  logs_deleted: ["count", "time"],
  broadcast_sent: ["title"],
  broadcast_stopped: ["title"],
  broadcast_resent: ["title", "username"],
  broadcast_resent_to_failed: ["title"],
  settings_exported: [],
  settings_exported_with_secrets: [],
  settings_imported: ["keys"],
  device_approved: ["client", "machine", "name", "id"],
  device_key_revoked: ["client", "name", "id"],
  application_approved: ["client", "name", "id"],
  application_revoked: ["client", "id"],
  configuration_applied: ["label", "created", "changed", "deleted"],
  configuration_exported: [],
  configuration_exported_with_secrets: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Notes = typeof LOG_NOTES;
type Values<Names extends readonly string[]> = Names extends readonly []
  ? Readonly<{ params?: never }>
  : Readonly<{ params: Readonly<Record<Names[number], string | number>> }>;

/** A text of the log by its code, with what is filled in; it stands in the row's `other` as `note`. */
export type LogNote = { [Code in keyof Notes]: Readonly<{ code: Code }> & Values<Notes[Code]> }[keyof Notes];
