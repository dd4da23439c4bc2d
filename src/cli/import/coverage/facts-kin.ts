import type { SourceFacts } from "./column-facts.ts";
import type { Kin } from "./detect-family.ts";

const NEW_TIME = "0 becomes the time of the import";
const BELOW_ZERO = "below zero becomes zero";
const STATISTICS = "statistics are made from the log";
const SECOND_FACTORS = "people set up second factors and passkeys themselves";
const SESSIONS = "people sign in once";
const TASKS = "results of tasks stay at the old gateway";
const RUNTIME = "states of running processes";
const ORDERS = "orders are over; what they paid is in the balances";

/** Columns that one-api, new-api and Veloera have in common, in all their releases. */
const SHARED: SourceFacts = {
  users: {
    taken: `id username password display_name email github_id wechat_id oidc_id telegram_id discord_id linux_do_id group used_quota
      request_count aff_count aff_quota aff_history inviter_id created_at created_time deleted_at`,
    converted: {
      role: "one that is unknown here becomes that of a user",
      status: "other than 1 becomes banned, 3 also deleted",
      quota: BELOW_ZERO,
      aff_code: "a code that somebody has here is replaced",
      access_token: "stored as a hash",
      setting: "the secret of a webhook is encrypted",
      last_check_in_time: "to its day in UTC",
    },
    leftOut: {
      lark_id: "there is no sign-in by Lark",
      remark: "accounts have no notes",
      stripe_customer: "Stripe gets customers of this gateway's own",
      last_login_at: "known from the next sign-in on",
      auth_version: SESSIONS,
    },
  },
  tokens: {
    taken: "id user_id used_quota unlimited_quota model_limits_enabled accessed_time expired_time",
    converted: {
      key: "encrypted, and found by a keyed hash",
      name: "one without a name is called API key",
      status: "other than 1 to 4 becomes disabled",
      created_time: NEW_TIME,
      remain_quota: BELOW_ZERO,
      model_limits: "to a list",
      models: "to a list, which limits where it is not empty",
      "allow_ips subnet": "to a list; one that makes no sense disables the key",
      deleted_at: "deleted keys are left out",
      "group auto_groups": "to the key's groups in order; auto is the option AutoGroups",
    },
    leftOut: { cross_group_retry: "a call stays in the group that has a channel for its model" },
  },
  channels: {
    taken: `id status name test_time response_time balance_updated_time openai_organization open_ai_organization test_model
      tag status_code_mapping used_quota other_info model_prefix`,
    converted: {
      type: "to the numbers used here; an unknown one comes disabled",
      key: "encrypted; a list of service accounts becomes a channel each",
      weight: "10 more where weights differ, so that shares stay as they were",
      priority: "null becomes 0",
      auto_ban: "to a switch",
      base_url: "without a slash at its end",
      "other config": "to the key and the field that the type has here",
      balance: "to an exact number",
      models: "to a list",
      group: "to a list; an empty one becomes default",
      model_mapping: "older Azure channels get the names of deployments that had lost their dots",
      created_time: NEW_TIME,
      system_prompt: "to the channel's settings",
      setting: "member by member; the report names those that nothing reads here",
      param_override: "members are set as there; the report names operations that have no counterpart",
      header_override: "to the channel's own headers; the report names those that are refused",
      channel_info: "the states of single keys, and how keys take turns",
    },
    leftOut: {
      remark: "channels have no notes",
      settings: "types of keys are recognized by the key; service tiers are sent, and charged by their own prices",
    },
  },
  abilities: "made from the channels",
  options: {
    taken: "key",
    converted: { value: "checked as if it were entered here; the report names what is refused or unknown" },
  },
  redemptions: {
    taken: "id name quota redeemed_time valid_from valid_until expired_time is_gift",
    converted: {
      user_id: "null where the creator did not come over",
      used_user_id: "null where the user did not come over",
      key: "codes without one are left out",
      status: "other than 1 to 3 becomes disabled",
      created_time: NEW_TIME,
      max_uses: "below 1 becomes unlimited",
      used_count: "not more than the most uses",
      deleted_at: "deleted codes are left out",
    },
  },
  redemption_logs: { taken: "redemption_id user_id used_time", leftOut: { id: "uses have no numbers of their own" } },
  logs: {
    taken: `created_at username token_name model_name content quota prompt_tokens completion_tokens is_stream use_time
      elapsed_time group ip`,
    converted: {
      "user_id token_id channel_id": "to the ids here; 0 where it did not come over",
      id: "part of the id by which a second import recognizes the row",
      type: "failed calls are calls with a mark; channel tests become system rows",
      other: "left empty where it is no JSON",
    },
    leftOut: {
      channel_name: "the channel has it",
      "request_id upstream_request_id": "rows get ids by which a second import recognizes them",
      system_prompt_reset: "rows don't say it",
    },
  },
  setups: RUNTIME,
  midjourneys: TASKS,
  tasks: TASKS,
  top_ups: ORDERS,
  quota_data: STATISTICS,
};

const NEW_API: SourceFacts = {
  ...SHARED,
  subscription_plans: {
    taken: "id created_at",
    converted: {
      "title subtitle": "cut to the lengths of names and descriptions here",
      price_amount: "to quota units of a dollar",
      currency: "a plan in another currency than USD comes hidden",
      "duration_unit duration_value custom_seconds": "to days, months or years; others are left out",
      "enabled allow_balance_pay": "to whether the plan is shown",
      allow_wallet_overflow: "to whether calls beyond the plan are paid from the balance",
      upgrade_group: "the group of its subscribers",
      total_amount: "the quota of a window; plans with unlimited quota are left out",
      "quota_reset_period quota_reset_custom_seconds": "to a window of 5 hours, a day, a week or the period",
    },
    leftOut: {
      sort_order: "plans stand by their price",
      "stripe_price_id creem_product_id waffo_pancake_product_id": "plans are paid from the balance",
      max_purchase_per_user: "there is no limit of purchases",
      downgrade_group: "people go back to the group that they had before",
      updated_at: "plans don't have it",
    },
  },
  user_subscriptions: {
    taken: "id user_id plan_id start_time end_time prev_user_group",
    converted: {
      "amount_total amount_used": "what is left becomes part of the balance",
      status: "those that are over are left out",
    },
    leftOut: {
      source: "the log has it",
      "last_reset_time next_reset_time": "windows begin with the import",
      "upgrade_group downgrade_group allow_wallet_overflow": "the plan decides",
      "created_at updated_at": "the beginning of the paid time stands for them",
    },
  },
  subscription_orders: ORDERS,
  subscription_pre_consume_records: RUNTIME,
  checkins: "the days of past check-ins",
  models: "descriptions come from the model catalog",
  vendors: "descriptions come from the model catalog",
  prefill_groups: "lists for that console's forms",
  two_fas: SECOND_FACTORS,
  two_fa_backup_codes: SECOND_FACTORS,
  passkey_credentials: SECOND_FACTORS,
  custom_oauth_providers: "set up single sign-on here, then people bind it",
  user_oauth_bindings: "they belong to custom_oauth_providers",
  external_identity_claims: "the same as the columns of users",
  user_sessions: SESSIONS,
  auth_flows: SESSIONS,
  perf_metrics: STATISTICS,
  system_instances: RUNTIME,
  system_tasks: RUNTIME,
  system_task_locks: RUNTIME,
  casbin_rule: "give administrators their roles here",
  authz_roles: "give administrators their roles here",
};

const ONE_API: SourceFacts = {
  ...SHARED,
  users: {
    ...(SHARED.users as object),
    taken: `id username password display_name email github_id wechat_id oidc_id group used_quota request_count inviter_id`,
    converted: {
      role: "one that is unknown here becomes that of a user",
      status: "other than 1 becomes banned, 3 also deleted",
      quota: BELOW_ZERO,
      aff_code: "a code that somebody has here is replaced",
    },
    leftOut: {
      lark_id: "there is no sign-in by Lark",
      access_token: "everybody has one there, whether or not it was ever seen",
    },
  },
};

/** What becomes of the tables of each kin. */
export const KIN_FACTS: Readonly<Record<Kin, SourceFacts>> = {
  "one-api": ONE_API,
  "new-api": NEW_API,
  Veloera: SHARED,
};
