import { Database as SqliteFile } from "bun:sqlite";
import type { Family } from "./family.ts";

/** `kind` says how the dialect spells what differs: SQLite takes everything as it is. */
type Run = (statement: string) => Promise<unknown>;

const NEW_TOKENS = `, model_limits_enabled boolean default false, model_limits varchar(1024) default '', allow_ips text default '',
  "group" text default '', deleted_at timestamp`;
const NEW_CHANNELS = `, openai_organization text, test_model text, auto_ban int default 1, status_code_mapping varchar(1024) default '',
  other_info text, tag text, setting text, param_override text`;
const VELOERA_CODES =
  ", valid_from bigint default 0, valid_until bigint default 0, is_gift boolean default false, max_uses int default -1, used_count int default 0";

/** The tables of a gateway, as its ORM makes them. */
function tablesOf(family: Family): string[] {
  const isOld = family === "one-api";
  const isVeloera = family === "Veloera";
  return [
    `create table users (id integer primary key, username text unique, password text not null, display_name text, role int default 1,
      status int default 1, email text, github_id text, wechat_id text, oidc_id text${isOld ? "" : ", telegram_id text, linux_do_id text"},
      access_token char(32) unique, quota bigint default 0, used_quota bigint default 0, request_count int default 0,
      "group" varchar(64) default 'default', aff_code varchar(32), inviter_id int
      ${isOld ? "" : ", aff_count int default 0, aff_quota int default 0, aff_history int default 0, deleted_at timestamp, setting text"}
      ${isVeloera ? ", last_check_in_time timestamp" : ""})`,
    `create table tokens (id integer primary key, user_id int, "key" char(48) unique, status int default 1, name text,
      created_time bigint, accessed_time bigint, expired_time bigint default -1, remain_quota bigint default 0,
      unlimited_quota boolean default false, used_quota bigint default 0
      ${isOld ? ", models text, subnet text default ''" : NEW_TOKENS})`,
    `create table channels (id integer primary key, type int default 0, "key" text, status int default 1, name text, weight int default 0,
      created_time bigint, test_time bigint, response_time int, base_url text default '', other text, balance float default 0,
      balance_updated_time bigint, models text, "group" varchar(64) default 'default', used_quota bigint default 0,
      model_mapping text, priority bigint default 0 ${isOld ? ", config text, system_prompt text" : NEW_CHANNELS}
      ${isVeloera ? ", model_prefix varchar(64) default ''" : ""})`,
    `create table options ("key" varchar(128) primary key, value text)`,
    `create table redemptions (id integer primary key, user_id int, "key" char(32) unique, status int default 1, name text,
      quota bigint default 100, created_time bigint, redeemed_time bigint
      ${isOld ? "" : ", used_user_id int, deleted_at timestamp"} ${isVeloera ? VELOERA_CODES : ""})`,
    ...(isVeloera
      ? ["create table redemption_logs (id integer primary key, redemption_id int, user_id int, used_time bigint)"]
      : []),
    `create table logs (id integer primary key, user_id int, created_at bigint, type int, content text, username text default '',
      token_name text default '', model_name text default '', quota int default 0, prompt_tokens int default 0,
      completion_tokens int default 0, channel_id int ${
        isOld
          ? ", request_id text, elapsed_time bigint, is_stream boolean default false, system_prompt_reset boolean default false"
          : ', use_time int default 0, is_stream boolean default false, token_id int default 0, "group" text, other text'
      })`,
  ];
}

/** bcrypt of "correct horse", as the others keep it. */
const passwordHash = Bun.password.hashSync("correct horse", { algorithm: "bcrypt", cost: 4 }).replace("$2b$", "$2a$");

export const KEYS = { root: `${"A".repeat(47)}1`, alice: `${"B".repeat(47)}2`, spent: `${"C".repeat(47)}3` } as const;
export const CHANNEL_KEY = "sk-upstream-of-the-source";

/** Rows every family can hold: two users of whom one invited the other, three keys, two channels, codes, options, logs. */
const ROWS: readonly string[] = [
  `insert into users (id, username, password, display_name, role, email, github_id, access_token, quota, used_quota, "group", aff_code, inviter_id)
   values (1, 'root', '${passwordHash}', 'Root User', 100, '', '', '0123456789abcdef0123456789abcdef', 100000000, 700, 'default', 'aaaa', 0),
   (7, 'alice', '${passwordHash}', 'Alice', 1, 'alice@example.com', 'gh-7', 'fedcba9876543210fedcba9876543210', 2500000000, 1500, 'vip', 'bbbb', 1),
   (8, 'debtor', '${passwordHash}', 'Debtor', 1, '', '', null, -25, 10, 'default', 'cccc', 7)`,
  `insert into tokens (id, user_id, "key", status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota, used_quota)
   values (3, 1, '${KEYS.root}', 1, 'mine', 1700000000, 1700000001, -1, 0, true, 700),
   (4, 7, '${KEYS.alice}', 1, 'hers', 1700000000, 1700000001, 1900000000, 5000, false, 1500),
   (9, 8, '${KEYS.spent}', 4, 'spent', 1700000000, 1700000001, -1, -3, false, 10),
   (10, 99, 'orphan', 1, 'orphan', 1700000000, 1700000001, -1, 5, false, 0)`,
  `insert into channels (id, type, "key", status, name, weight, created_time, models, "group", base_url, used_quota, priority)
   values (2, 1, '${CHANNEL_KEY}', 1, 'First', 3, 1700000000, 'gpt-4o,gpt-4o-mini', 'default,vip', 'https://up.example/', 2200, 5),
   (5, 14, 'claude-key', 2, 'Claude', 0, 1700000000, 'claude-3', 'default', null, 10, 0)`,
  `insert into options ("key", value) values ('SystemName', 'Old Name'), ('GroupRatio', '{"default":1,"vip":0.5}'),
   ('ModelRatio', '{"gpt-4o":1.25}'), ('SMTPToken', 'mail-secret'), ('Nonsense', 'x'), ('RetryTimes', 'many')`,
  `insert into redemptions (id, user_id, "key", status, name, quota, created_time, redeemed_time)
   values (1, 1, 'unused-code', 1, 'gift', 500000, 1700000000, 0), (2, 1, 'used-code', 3, 'gift', 250000, 1700000000, 1700000500)`,
  `insert into logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, channel_id)
   values (1, 7, 1735690000, 2, '', 'alice', 'hers', 'gpt-4o', 900, 10, 20, 2),
   (2, 7, 1738368500, 2, '', 'alice', 'hers', 'gpt-4o', 600, 10, 20, 2),
   (3, 7, 1738368501, 1, 'topped up', 'alice', '', '', 1000, 0, 0, 0)`,
];

/** Fills an empty database with a gateway's tables and rows. */
export async function fill(run: Run, family: Family): Promise<void> {
  for (const statement of [...tablesOf(family), ...ROWS]) await run(statement);
}

/** Makes a SQLite file as `family` leaves it; `more` are statements for what only this family has. */
export async function makeFile(path: string, family: Family, more: readonly string[] = []): Promise<void> {
  const file = new SqliteFile(path, { create: true });
  await fill(async (statement) => file.run(statement), family);
  for (const statement of more) file.run(statement);
  file.close();
}
