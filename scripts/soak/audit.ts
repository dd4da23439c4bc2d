import { openExistingDatabase } from "../../db/connect.ts";
import type { Database } from "../../db/types.ts";
import { BOOKS, checkBooks } from "../../src/billing/check-ledger/check-ledger.ts";
import type { Traffic } from "./clients.ts";
import { BY_OWN_KEY, ECHO_MODELS, HIT, MADE } from "./echo-upstream.ts";
import { TOOL_PRICE, type ToolTraffic } from "./hostile/tool-clients.ts";

/** One line of the result: two figures that must be equal. */
export type Finding = Readonly<{ name: string; expected: number; found: number }>;

/** The account and key as they were before the first call; quota units. */
export type Before = Readonly<{ userId: number; quota: number; tokenId: number; tokenQuota: number }>;

type Place = Readonly<{ databaseUrl: string | null; dataDir: string }>;

/** Re-adds everything that the calls were charged with, in the database of gateways that have ended. */
export async function auditBooks(
  place: Place,
  before: Before,
  traffic: Traffic,
  { refused, tools }: Readonly<{ refused: readonly string[]; tools: ToolTraffic }>,
): Promise<Finding[]> {
  const database = await openExistingDatabase(place);
  try {
    return [
      ...(await auditCalls(database, traffic)),
      ...(await auditRefused(database, refused)),
      ...(await auditTools(database, tools)),
      ...(await auditSums(database, before)),
      ...(await auditEchoes(database)),
      ...(await auditOwnChecks(database)),
    ];
  } finally {
    await database.close();
  }
}

/** Each delivered answer has one row with a charge; no call has two. */
export async function auditCalls({ sql }: Database, { delivered }: Traffic): Promise<Finding[]> {
  const rows = await sql<{ id: string; rows: number; quota: number }[]>`
    select split_part(request_id, '~', 1) as id, count(*)::int as rows, sum(quota)::bigint as quota
    from logs where type = 2 group by 1`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const charged = delivered.filter((id) => Number(byId.get(id)?.quota ?? 0) > 0);
  return [
    {
      name: "delivered answers with a row",
      expected: delivered.length,
      found: delivered.filter((id) => byId.has(id)).length,
    },
    { name: "delivered answers that were charged", expected: delivered.length, found: charged.length },
    { name: "calls with more than one row", expected: 0, found: rows.filter((row) => row.rows > 1).length },
  ];
}

/** Calls that guardrails refused cost nothing. */
async function auditRefused({ sql }: Database, ids: readonly string[]): Promise<Finding[]> {
  const rows = await sql<{ charged: number }[]>`select count(*)::int as charged from logs
    where type = 2 and quota > 0 and request_id = any(${[...ids]})`;
  return [{ name: "calls refused by guardrails that were charged", expected: 0, found: Number(rows[0]?.charged) }];
}

/** Each call of a tool that had a result was charged its price once, and none that had an error. */
async function auditTools({ sql }: Database, { delivered, refused }: ToolTraffic): Promise<Finding[]> {
  const rows = await sql<{ id: string; quota: number }[]>`
    select split_part(request_id, '~', 1) as id, sum(quota)::bigint as quota
    from logs where type = 2 and request_id like 'tool-%' group by 1`;
  const chargeOf = new Map(rows.map(({ id, quota }) => [id, Number(quota)]));
  const charged = delivered.filter((id) => chargeOf.get(id) === TOOL_PRICE);
  return [
    { name: "tool calls with a result, charged once", expected: delivered.length, found: charged.length },
    {
      name: "tool calls with an error that were charged",
      expected: 0,
      found: refused.filter((id) => chargeOf.get(id)).length,
    },
  ];
}

/** What rows charge, balances lost, and counters count is the same. */
async function auditSums({ sql }: Database, before: Before): Promise<Finding[]> {
  const [sums] = await sql<Record<string, number | string>[]>`
    select (select coalesce(sum(quota), 0) from logs where type = 2) as rows,
      (select coalesce(sum(quota), 0) from logs where type = 2 and channel_id > 0) as channel_rows,
      (select coalesce(sum(quota), 0) from logs where type = 2 and user_id = ${before.userId}) as user_rows,
      (select coalesce(sum(quota), 0) from logs where type = 2 and token_id = ${before.tokenId}) as key_rows,
      (select coalesce(sum(uncovered), 0) from logs where type = 2) as uncovered,
      (select coalesce(sum(quota), 0) from usage_rollups) as rolled_up,
      (select used_quota from users where id = ${before.userId}) as user_used,
      (select quota from users where id = ${before.userId}) as user_quota,
      (select used_quota from tokens where id = ${before.tokenId}) as token_used,
      (select remain_quota from tokens where id = ${before.tokenId}) as token_quota,
      (select coalesce(sum(used_quota), 0) from channels) as channels_used,
      (select coalesce(sum(held), 0) from users) + (select coalesce(sum(held), 0) from tokens) as held,
      (select count(*) from holds where amount <> 0) as holds`;
  const sum = (name: string): number => Number(sums?.[name] ?? Number.NaN);
  const rows = sum("rows");
  return [
    { name: "rows = used quota of the user", expected: sum("user_rows"), found: sum("user_used") },
    { name: "rows = drop of the balance", expected: sum("user_rows"), found: before.quota - sum("user_quota") },
    { name: "rows = used quota of the key", expected: sum("key_rows"), found: sum("token_used") },
    {
      name: "rows = drop of the key's quota",
      expected: sum("key_rows"),
      found: before.tokenQuota - sum("token_quota"),
    },
    { name: "rows = used quota of the channels", expected: sum("channel_rows"), found: sum("channels_used") },
    { name: "rows = roll-ups", expected: rows, found: sum("rolled_up") },
    { name: "uncovered quota units", expected: 0, found: sum("uncovered") },
    { name: "quota units still held", expected: 0, found: sum("held") },
    { name: "holds left", expected: 0, found: sum("holds") },
  ];
}

/** Answers from the cache and by callers' own keys cost what the operator set, and the sums of their days agree. */
async function auditEchoes({ sql }: Database): Promise<Finding[]> {
  const [sums] = await sql<Record<string, number | string>[]>`
    with calls as (
      select quota, model_name, failed, other::jsonb as notes from logs where type = 2 and model_name = any(${[...ECHO_MODELS]})
    ), complete as (
      select *, case when notes -> 'response_cache' ? 'age_seconds' then ${HIT}::int
        when notes ? 'own_key' then ${BY_OWN_KEY}::int else ${MADE}::int end as price
      from calls where not failed and notes ->> 'ending' = 'complete'
    )
    select count(*) as complete, count(*) filter (where quota <> price) as wrong,
      count(*) filter (where price = ${HIT}::int) as hits,
      count(*) filter (where price = ${HIT}::int and notes #>> '{receipt,cacheHitPercent}' is distinct from '10') as silent,
      (select count(*) from calls where notes ? 'own_key' and not failed) as own_calls,
      (select coalesce(sum(quota), 0) from calls where notes ? 'own_key' and not failed) as own_fees,
      (select coalesce(sum(hits), 0) from response_cache_days where user_id = 0) as summed_hits,
      (select coalesce(sum(saved), 0) from response_cache_days where user_id = 0) as summed_savings,
      (select coalesce(sum(calls), 0) from provider_key_days) as summed_calls,
      (select coalesce(sum(fees), 0) from provider_key_days) as summed_fees
    from complete`;
  const sum = (name: string): number => Number(sums?.[name] ?? Number.NaN);
  return [
    { name: "echoes with another price than the operator's", expected: 0, found: sum("wrong") },
    {
      name: "some were hits, and some went by own keys",
      expected: 1,
      found: Number(sum("hits") * sum("own_calls") > 0),
    },
    { name: "hits whose receipt does not say so", expected: 0, found: sum("silent") },
    { name: "hits = sums of days", expected: sum("hits"), found: sum("summed_hits") },
    { name: "savings of hits = sums of days", expected: sum("hits") * (MADE - HIT), found: sum("summed_savings") },
    { name: "calls by own keys = sums of days", expected: sum("own_calls"), found: sum("summed_calls") },
    { name: "fees of own keys = sums of days", expected: sum("own_fees"), found: sum("summed_fees") },
  ];
}

/** The product's own check of its books. */
export async function auditOwnChecks({ db }: Database): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const book of BOOKS) {
    let wrong = 0;
    for (let after: number | null = 0; after !== null; ) {
      const slice = await checkBooks(db, book, after, Math.floor(Date.now() / 1000));
      wrong += slice.wrong.length;
      after = slice.next;
    }
    findings.push({ name: `wrong entries in the book “${book}”`, expected: 0, found: wrong });
  }
  return findings;
}
