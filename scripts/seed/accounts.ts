import type { Statements } from "../../db/types.ts";
import type { Vault } from "../../src/lib/security/crypto.ts";
import { MODELS } from "./models.ts";
import type { FirstIds, Sizes } from "./seed.ts";

const YEAR_S = 365 * 86_400;
/** Models that one channel serves: its own and the next ones of the list. */
const MODELS_A_CHANNEL = 5;
const NEVER_USED_KEY = "sk-made-up-upstream-key";

/** Users named user-N in four groups; one in fifty is banned. They cannot sign in: they have no password. */
export async function addUsers(tx: Statements, first: FirstIds, { users }: Sizes): Promise<void> {
  await tx`
    insert into users (id, username, display_name, email, "group", status, quota, aff_code, created_at, last_login_at)
    select ${first.user}::int + i, 'user-' || ${first.user}::int + i,
      (array['Ada', 'Boris', 'Chen', 'Dora', 'Emil', 'Fatima', 'Goro', 'Hana'])[1 + i % 8] || ' ' || i,
      'user-' || ${first.user}::int + i || '@' || (array['example.com', 'example.org', 'example.net'])[1 + i % 3],
      (array['default', 'default', 'default', 'vip', 'svip'])[1 + i % 5], case when i % 50 = 49 then 2 else 1 end,
      500000 * (i % 200)::bigint, 'seed' || ${first.user}::int + i, now.s - ${YEAR_S}::int + i % ${YEAR_S}::int,
      now.s - i % 2592000
    from generate_series(0, ${users}::int - 1) i, (select extract(epoch from now())::bigint as s) now`;
  await follow(tx, "users");
}

/** API keys key-N, handed out to the users in turns. They lead nowhere: nobody knows the key behind a made-up hash. */
export async function addTokens(
  tx: Statements,
  vault: Vault,
  first: FirstIds,
  { tokens, users }: Sizes,
): Promise<void> {
  const cipher = vault.encrypt("made-up-api-key");
  await tx`
    insert into tokens (id, user_id, name, key_hash, key_cipher, status, remain_quota, unlimited_quota, created_time,
      accessed_time, expired_time)
    select ${first.token}::int + i, ${first.user}::int + i % ${users}::int, 'key-' || i,
      encode(sha256(convert_to('key' || ${first.token}::int + i, 'UTF8')), 'hex'), ${cipher}::text,
      case when i % 40 = 39 then 2 else 1 end, 500000, i % 3 > 0, now.s - i % ${YEAR_S}::int, now.s - i % 2592000, -1
    from generate_series(0, ${tokens}::int - 1) i, (select extract(epoch from now())::bigint as s) now`;
  await follow(tx, "tokens");
}

/** Channels, each with five of the models, some tagged, some off. */
export async function addChannels(tx: Statements, vault: Vault, first: FirstIds, { channels }: Sizes): Promise<void> {
  const cipher = vault.encrypt(NEVER_USED_KEY);
  await tx`
    insert into channels (id, type, name, key_cipher, status, priority, weight, base_url, models, groups, tag,
      response_time, test_time, created_time)
    select ${first.channel}::int + i, (array[1, 1, 3, 14, 24, 43])[1 + i % 6], 'channel-' || ${first.channel}::int + i,
      ${cipher}::text, case when i % 30 = 29 then 2 when i % 30 = 28 then 3 else 1 end, i % 7, i % 11,
      'https://upstream-' || i % 400 || '.invalid',
      array(select (${namesOf(MODELS)}::text::text[])[1 + (i + n) % ${MODELS.length}::int]
        from generate_series(0, ${MODELS_A_CHANNEL - 1}::int) n),
      case when i % 4 = 0 then array['default', 'vip', 'svip'] else array['default', 'vip'] end,
      case when i % 3 = 0 then 'tag-' || i % 90 else '' end, 200 + i % 3000, now.s - i % 86400, now.s - i % ${YEAR_S}::int
    from generate_series(0, ${channels}::int - 1) i, (select extract(epoch from now())::bigint as s) now`;
  await follow(tx, "channels");
}

/** Which group may call which model on the new channels. */
export async function addAbilities(tx: Statements, first: FirstIds): Promise<void> {
  await tx`
    insert into abilities ("group", model, channel_id, enabled, priority, weight, tag)
    select g, m, c.id, c.status = 1, c.priority, c.weight, c.tag
    from channels c, unnest(c.groups) g, unnest(c.models) m where c.id >= ${first.channel}::int`;
}

const namesOf = (names: readonly string[]): string => `{${names.map((name) => JSON.stringify(name)).join(",")}}`;

/** The next id behind those that were given by hand. */
async function follow(tx: Statements, table: "users" | "tokens" | "channels"): Promise<void> {
  await tx.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
}
