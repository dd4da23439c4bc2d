import type { Kin } from "../../../src/cli/import/coverage/detect-family.ts";

export type Engine = "SQLite" | "Postgres" | "MariaDB";

/** How the ORM of the other gateways writes its types on each engine; `name` is a text with an index or a default. */
const TYPES: Readonly<Record<string, Readonly<Record<Engine, string>>>> = {
  id: {
    SQLite: "integer primary key autoincrement",
    Postgres: "bigserial primary key",
    MariaDB: "bigint auto_increment primary key",
  },
  integer: { SQLite: "integer", Postgres: "bigint", MariaDB: "bigint" },
  weight: { SQLite: "integer", Postgres: "bigint", MariaDB: "bigint unsigned" },
  flag: { SQLite: "numeric", Postgres: "boolean", MariaDB: "tinyint(1)" },
  money: { SQLite: "decimal(10,6)", Postgres: "decimal(10,6)", MariaDB: "decimal(10,6)" },
  real: { SQLite: "real", Postgres: "decimal", MariaDB: "double" },
  text: { SQLite: "text", Postgres: "text", MariaDB: "longtext" },
  name: { SQLite: "text", Postgres: "text", MariaDB: "varchar(191)" },
  moment: { SQLite: "datetime", Postgres: "timestamptz", MariaDB: "datetime(3)" },
};

const BINDINGS = "telegram_id name, linux_do_id name";
const INVITATIONS = "aff_count integer default 0, aff_quota integer default 0, aff_history integer default 0";
const VALIDITY = "valid_from integer default 0, valid_until integer default 0";
const GIFTS = "is_gift flag default false, max_uses integer default -1, used_count integer default 0";

/** The tables of a gateway as its ORM makes them, in the statements of an engine. */
export function tablesOf(engine: Engine, family: Kin): string[] {
  const isOld = family === "one-api";
  const isVeloera = family === "Veloera";
  const tables = {
    users: [
      'id id, username name unique, password text not null, display_name name, "role" integer default 1',
      "status integer default 1, email name, github_id name, wechat_id name, oidc_id name",
      "access_token char(32) unique, quota integer default 0, used_quota integer default 0, request_count integer default 0",
      `"group" varchar(64) default 'default', aff_code varchar(32) unique, inviter_id integer`,
      ...(isOld ? [] : [BINDINGS, INVITATIONS, "deleted_at moment, setting text"]),
      ...(isVeloera ? ["last_check_in_time moment"] : []),
    ],
    tokens: [
      'id id, user_id integer, "key" char(48) unique, status integer default 1, name name, created_time integer',
      "accessed_time integer, expired_time integer default -1, remain_quota integer default 0",
      "unlimited_quota flag default false, used_quota integer default 0",
      ...(isOld
        ? ["models text, subnet name default ''"]
        : [
            "model_limits_enabled flag default false, model_limits varchar(1024) default '', allow_ips name default ''",
            `"group" name default '', deleted_at moment`,
          ]),
    ],
    channels: [
      `id id, type integer default 0, "key" text not null, status integer default 1, name name, weight weight default 0`,
      "created_time integer, test_time integer, response_time integer, base_url name default '', other text, balance real",
      `balance_updated_time integer, models text, "group" varchar(64) default 'default', used_quota integer default 0`,
      "model_mapping text, priority integer default 0",
      ...(isOld
        ? ["config text, system_prompt text"]
        : [
            "openai_organization text, test_model text, auto_ban integer default 1, other_info text, tag name",
            "status_code_mapping varchar(1024) default '', setting text, param_override text",
          ]),
      ...(isVeloera ? ["model_prefix varchar(64) default ''"] : []),
    ],
    options: [`"key" name primary key, value text`],
    redemptions: [
      'id id, user_id integer, "key" char(32) unique, status integer default 1, name name, quota integer default 100',
      "created_time integer, redeemed_time integer",
      ...(isOld ? [] : ["used_user_id integer, deleted_at moment"]),
      ...(isVeloera ? [VALIDITY, GIFTS] : []),
      ...(family === "new-api" ? ["expired_time integer default 0"] : []),
    ],
    ...(family === "new-api" && {
      subscription_plans: [
        "id id, title varchar(128) not null, subtitle varchar(255) default '', price_amount money, currency varchar(8) default 'USD'",
        "duration_unit varchar(16) default 'month', duration_value integer default 1, custom_seconds integer default 0",
        "enabled flag default true, sort_order integer default 0, allow_balance_pay flag default true",
        "allow_wallet_overflow flag default true, stripe_price_id varchar(128) default '', max_purchase_per_user integer default 0",
        "upgrade_group varchar(64) default '', downgrade_group varchar(64) default '', total_amount integer default 0",
        "quota_reset_period varchar(16) default 'never', quota_reset_custom_seconds integer default 0",
        "created_at integer, updated_at integer",
      ],
      user_subscriptions: [
        "id id, user_id integer, plan_id integer, amount_total integer default 0, amount_used integer default 0",
        "start_time integer, end_time integer, status varchar(32), source varchar(32) default 'order'",
        "last_reset_time integer default 0, next_reset_time integer default 0, upgrade_group varchar(64) default ''",
        "prev_user_group varchar(64) default '', created_at integer, updated_at integer",
      ],
    }),
    ...(isVeloera && { redemption_logs: ["id id, redemption_id integer, user_id integer, used_time integer"] }),
    logs: [
      "id id, user_id integer, created_at integer, type integer, content text, username name default ''",
      "token_name name default '', model_name name default '', quota integer default 0, prompt_tokens integer default 0",
      "completion_tokens integer default 0, channel_id integer, is_stream flag default false",
      ...(isOld
        ? ["request_id name default '', elapsed_time integer default 0, system_prompt_reset flag default false"]
        : ['use_time integer default 0, channel_name text, token_id integer default 0, "group" name, other text']),
    ],
  };
  return Object.entries(tables).map(
    ([table, columns]) =>
      `create table ${table} (${columns
        .join(", ")
        .split(", ")
        .map((column) => typed(column, engine))
        .join(", ")})`,
  );
}

/** `name type …` with the engine's word for the type. */
function typed(column: string, engine: Engine): string {
  const [name = "", type = "", ...rest] = column.split(" ");
  return [name, TYPES[type]?.[engine] ?? type, ...rest].join(" ");
}
