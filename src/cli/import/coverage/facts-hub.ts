import type { SourceFacts } from "./column-facts.ts";

const NEW_TIME = "0 becomes the time of the import";
const STATISTICS = "statistics are made from the log";
const TASKS = "results of tasks stay at the old gateway";
const CATALOG = "descriptions come from the model catalog";

/** What becomes of the tables of one-hub, and of done-hub, which adds to them. */
export const HUB_FACTS: SourceFacts = {
  users: {
    taken: `id username password display_name email oidc_id wechat_id group used_quota request_count aff_count aff_quota
      aff_history inviter_id created_time deleted_at`,
    converted: {
      role: "one that is unknown here becomes that of a user",
      status: "other than 1 becomes banned",
      quota: "below zero becomes zero",
      aff_code: "a code that somebody has here is replaced",
      access_token: "stored as a hash",
      github_id_new: "the number by which GitHub knows the account",
      telegram_id: "0 is none",
      linuxdo_id: "0 is none",
    },
    leftOut: {
      github_id: "a name at GitHub may have changed hands; github_id_new comes over",
      lark_id: "there is no sign-in by Lark",
      "linuxdo_username linuxdo_trust_level": "known from the next sign-in on",
      avatar_url: "accounts have no pictures",
      "quota_remind_threshold quota_remind_enabled": "people choose their notices themselves",
      "last_login_time last_login_ip": "known from the next sign-in on",
      "agreed_user_agreement_version agreed_privacy_policy_version": "people agree to the terms of this site",
      used_invite_code: "invitations are codes of people here",
    },
  },
  tokens: {
    taken: "id user_id used_quota unlimited_quota accessed_time expired_time",
    converted: {
      key: "encrypted, and found by a keyed hash",
      name: "one without a name is called API key",
      status: "other than 1 to 4 becomes disabled",
      created_time: NEW_TIME,
      remain_quota: "below zero becomes zero",
      deleted_at: "deleted keys are left out",
      setting: "models and addresses; heartbeats and billing tags have no counterpart",
      "group backup_group": "to the key's groups in order",
    },
  },
  channels: {
    taken: "id status name test_time response_time balance_updated_time weight used_quota tag test_model",
    converted: {
      type: "to the numbers used here; the report names those without a counterpart",
      key: "encrypted",
      base_url: "without a slash at its end",
      other: "to the field that the type has here",
      balance: "to an exact number",
      models: "to a list",
      group: "to a list; an empty one becomes default",
      model_mapping: "to a JSON object",
      priority: "null becomes 0",
      created_time: NEW_TIME,
      proxy: "to the channel's settings",
      custom_parameter: "to overrides: set always or where absent, removed, by model; pre_add is left out",
      "model_headers header_override": "to the channel's own headers; the report names those that are refused",
      "pass_through_body cost_ratio": "to the channel's settings",
      deleted_at: "deleted channels are left out",
    },
    leftOut: {
      only_chat: "channels serve what their type serves",
      pre_cost: "how much is held is a setting of the site",
      compatible_response: "the Responses API is translated where a provider lacks it",
      allow_extra_body: "members that the provider does not know are sent",
      disabled_stream: "the stream setting holds for all models of a channel",
      plugin: "there are no plugins of providers",
    },
  },
  options: {
    taken: "key",
    converted: { value: "checked as if it were entered here; the report names what is refused or unknown" },
  },
  user_groups: {
    taken: "",
    converted: {
      "symbol ratio": "to GroupRatio",
      "name public enable": "to UserUsableGroups, where the group is public and on",
    },
    leftOut: {
      id: "groups are known by their symbol",
      api_rate: "limits of groups are set here by their own option",
      "promotion min max": "no group follows from what somebody paid",
      description: "groups have a name only",
    },
  },
  prices: {
    taken: "",
    converted: {
      "model type": "to a price of tokens or of calls",
      input: "to ModelRatio, or to ModelPrice for calls",
      output: "to CompletionRatio",
      extra_ratios: "to ratios of cached tokens, cache writes and audio; the report names others",
      channel_type: "the general price of a model, else the first",
      long_context: "to ContextTiers",
    },
    leftOut: { locked: "prices here change by hand only" },
  },
  redemptions: {
    taken: "id name quota redeemed_time",
    converted: {
      user_id: "null where the creator did not come over",
      key: "codes without one are left out",
      status: "other than 1 to 3 becomes disabled",
      created_time: NEW_TIME,
    },
  },
  logs: {
    taken: "created_at username token_name model_name content quota prompt_tokens completion_tokens is_stream",
    converted: {
      "user_id channel_id": "to the ids here; 0 where it did not come over",
      id: "part of the id by which a second import recognizes the row",
      type: "other than 1 to 4 becomes a system row",
      request_time: "the milliseconds of the call",
      source_ip: "the address of the caller",
      metadata: "the details of the row",
    },
    leftOut: {
      cost_quota: "the cost of past calls",
      "request_id upstream_request_id": "rows get ids by which a second import recognizes them",
    },
  },
  invite_codes: "invitations are codes of people here",
  migrations: "what its own updates have done",
  midjourneys: TASKS,
  tasks: TASKS,
  orders: "orders are over; what they paid is in the balances",
  payments: "set up payment services here",
  statistics: STATISTICS,
  statistics_months: STATISTICS,
  statistics_month_generated_histories: STATISTICS,
  model_info: CATALOG,
  model_owned_by: CATALOG,
  telegram_menus: "there is no bot for Telegram",
  webauthn_credentials: "people set up second factors and passkeys themselves",
};
