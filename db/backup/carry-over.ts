type Step = Readonly<{
  /** What was made by migrations before this time needs it: milliseconds since 1970. */
  before: number;
  statements: readonly string[];
}>;

/** What later versions changed in rows, oldest first. Columns that a backup does not know have their defaults. */
const STEPS: readonly Step[] = [
  {
    // Rights over what happens in an organization are rights of their own.
    before: 1_795_804_242_149,
    statements: [
      `update service_accounts set rights = rights
         || '{organization_usage:read,organization_requests:read,organization_audit:read,organization_exports:read}'::text[]
       where rights && '{organizations:read,organizations:write}'::text[]`,
    ],
  },
  {
    // A user has several access tokens.
    before: 1_795_897_704_545,
    statements: [
      `insert into access_tokens (user_id, token_hash, session_version, created_at)
       select id, access_token_hash, session_version, extract(epoch from now())::bigint from users
       where access_token_hash is not null and deleted_at is null`,
      "update users set access_token_hash = null where access_token_hash is not null",
    ],
  },
  {
    // A channel's part of the calls was its weight + 10; now it is its weight. Equal ones share equally as they are.
    before: 1_795_903_302_258,
    statements: [
      `update channels set weight = least(weight::bigint + 10, 2147483647)
       where (select min(weight) <> max(weight) from channels)`,
      "update abilities set weight = channels.weight from channels where channels.id = abilities.channel_id",
    ],
  },
  {
    // A plan is given once to a person, and says what has been drawn from it.
    before: 1_795_903_604_923,
    statements: [
      `insert into plan_holders (plan_id, person_id, account_id)
       select distinct on (plan_id, person_id) plan_id, person_id, account_id from (
         select s.plan_id, coalesce(m.user_id, s.user_id) as person_id, s.user_id as account_id, s.id
         from subscriptions s left join organization_members m on m.organization_id = s.user_id and m.role = 'owner'
       ) h order by plan_id, person_id, id on conflict do nothing`,
      `update subscriptions s set drawn = greatest(0, p.window_quota - s.remaining), drawn_calls = s.window_calls - s.calls_left
       from plans p where p.id = s.plan_id and s.status <> 'ended'`,
    ],
  },
];

/**
 * Brings the rows of an older version's backup up to this release. `migration`: the newest one of that version; `run` executes
 * one statement.
 */
export async function carryOver(migration: number, run: (statement: string) => Promise<unknown>): Promise<void> {
  for (const { before, statements } of STEPS)
    if (migration < before) for (const statement of statements) await run(statement);
}
