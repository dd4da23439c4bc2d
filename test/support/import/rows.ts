import type { Kin } from "../../../src/cli/import/coverage/detect-family.ts";

/** Keys of which only some families can say what is limited in them. */
export const LIMITED_KEY = `${"D".repeat(47)}4`;
export const DELETED_KEY = `${"E".repeat(47)}5`;
export const CHINESE = '充值了 $1，谢谢 🎉 "quoted" \\ o\'clock';

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** What one-api alone can hold: limits of its own kind, other numbers of providers, calls timed in milliseconds. */
const ONE_API: readonly string[] = [
  "insert into users (id, username, password, status, quota, aff_code) values (11, 'struck', 'x', 3, 40, 'dddd')",
  `insert into tokens (id, user_id, "key", name, created_time, remain_quota, models, subnet)
   values (12, 7, '${LIMITED_KEY}', 'limited', 1700000000, 70, 'gpt-4o,gpt-4o-mini', '10.0.0.0/8,192.0.2.1')`,
  `insert into channels (id, type, "key", name, weight, created_time, models, balance, config) values
   (6, 28, 'mistral-key', 'Mistral', null, 1700000000, 'mistral-large', 12.5, ''),
   (7, 38, 'deepl-key', 'DeepL', 0, 1700000000, 'deepl', 0, ''),
   (8, 33, '', 'Bedrock', 0, 1700000000, 'claude-3', 0, '{"ak":"A","sk":"S","region":"us-east-1"}')`,
  `insert into options ("key", value) values ('OidcClientId', 'client'), ('ChatLink', 'https://chat.example'),
   ('CompletionRatio', '{"m(24)":2,"m":3}'), ('ModelPrice', '{"draw":0.04}')`,
  `insert into logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, channel_id, is_stream, elapsed_time)
   values (4, 7, 1738368600, 2, ${literal(CHINESE)}, 'alice', 'hers', 'gpt-4o', 0, 2, true, 1234),
   (5, 1, 1738368601, 5, 'test', 'root', '', 'gpt-4o', 0, 2, false, 0)`,
];

const LATER = (family: Kin): readonly string[] => [
  `insert into users (id, username, password, quota, aff_code, aff_count, aff_quota, aff_history, telegram_id, setting, deleted_at)
   values (11, 'struck', 'x', 40, 'dddd', 2, 30, 50, 'tg-11', '{"notify_type":"webhook","webhook_secret":"hush"}', '2025-03-01 12:00:00+00:00')`,
  `insert into tokens (id, user_id, "key", name, created_time, remain_quota, model_limits_enabled, model_limits, allow_ips, "group", deleted_at)
   values (12, 7, '${LIMITED_KEY}', 'limited', 1700000000, 70, true, 'gpt-4o,gpt-4o-mini', '10.0.0.0/8
192.0.2.1', 'vip', null),
   (13, 7, '${DELETED_KEY}', 'gone', 1700000000, 99, false, '', '', '', '2025-03-01 12:00:00+00:00')`,
  `insert into channels (id, type, "key", name, weight, created_time, models, priority, balance, auto_ban, tag, setting,
     model_mapping, status_code_mapping, other_info, open_ai_organization${family === "Veloera" ? ", model_prefix" : ""})
   values (6, 42, 'mistral-key', 'Mistral', null, 1700000000, 'mistral-large', null, 12.5, 0, 'eu', '{"proxy":"http://127.0.0.1:9"}',
     '{"large":"mistral-large"}', '{"429":"503"}', '{"status_reason":"x"}', 'org'${family === "Veloera" ? ", 'eu/'" : ""}),
   (7, 999, 'odd-key', 'Odd', 0, 1700000000, 'odd', 0, 0, 1, null, null, null, '', '', null${family === "Veloera" ? ", ''" : ""})`,
  `insert into options ("key", value) values ('ModelPrice', '{"draw":0.04}'), ('CompletionRatio', '{"m":3}')`,
  `update redemptions set used_user_id = 7 where id = 2`,
  `insert into redemptions (id, user_id, "key", name, quota, created_time, deleted_at)
   values (5, 1, 'deleted-code', 'gone', 7, 1700000000, '2025-03-01 12:00:00+00:00')`,
  `insert into logs (id, user_id, created_at, type, content, username, token_name, token_id, model_name, quota, channel_id,
     is_stream, use_time, "group", other)
   values (4, 7, 1738368600, 2, ${literal(CHINESE)}, 'alice', 'hers', 4, 'gpt-4o', 0, 2, true, 3, 'vip', '{"model_ratio":1.25,"group_ratio":0.5}'),
   (5, 7, 1738368601, 5, 'five', 'alice', '', 4, 'gpt-4o', 0, 2, false, 0, 'vip', '')`,
];

const VELOERA: readonly string[] = [
  "update users set last_check_in_time = '2025-03-02 08:00:00+00:00' where id = 7",
  `insert into redemptions (id, user_id, "key", name, quota, created_time, valid_from, valid_until, is_gift, max_uses, used_count)
   values (3, 1, 'party', 'party', 100, 1700000000, 1700000000, 1900000000, true, 5, 2)`,
  "insert into redemption_logs (redemption_id, user_id, used_time) values (3, 7, 1700000100), (3, 99, 1700000200)",
];

/** A plan of new-api with a subscription that has used all of its quota, and plans without a counterpart. */
const NEW_API: readonly string[] = [
  `insert into subscription_plans (id, title, subtitle, price_amount, duration_unit, upgrade_group, total_amount, quota_reset_period, created_at)
   values (1, 'Pro', 'For teams', 9.99, 'month', 'vip', 5000000, 'daily', 1700000000),
   (2, 'Endless', '', 99, 'year', '', 0, 'never', 1700000000)`,
  `insert into user_subscriptions (user_id, plan_id, amount_total, amount_used, start_time, end_time, status, upgrade_group, prev_user_group)
   values (7, 1, 5000000, 5000000, 1700000000, 4000000000, 'active', 'vip', 'default'),
   (1, 1, 5000000, 0, 1600000000, 1602592000, 'expired', 'vip', 'default')`,
];

/** Statements that add to the rows of all families what the columns of this one can say beyond. */
export const ROWS_OF: Readonly<Record<Kin, readonly string[]>> = {
  "one-api": ONE_API,
  "new-api": [...LATER("new-api"), ...NEW_API],
  Veloera: [...LATER("Veloera"), ...VELOERA],
};
