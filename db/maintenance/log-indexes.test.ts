import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`
    insert into logs (created_at, type, user_id, token_id, model_name, channel_id, failed)
    select extract(epoch from now())::bigint - i, case when i % 100 = 0 then 3 else 2 end, i % 30, i % 60, 'm' || i % 40,
      i % 20, i % 50 = 0
    from generate_series(1, 6000) i`;
});
afterAll(() => database.close());

test.each([
  ["user_id = 7", "pkey"],
  ["token_id = 7", "token_id_created_at_idx"],
  ["model_name = 'm7'", "model_name_created_at_idx"],
  ["channel_id = 7", "channel_id_created_at_idx"],
  ["type = 3 and type <> 2", "type_created_at_idx"],
  ["failed", "created_at_id_idx"],
  ["true", "created_at_id_idx"],
])("the newest rows where %s come out of an index in order, without sorting all that fit", async (where, index) => {
  const plan = await database.sql.begin(async (tx) => {
    await tx.unsafe("set local enable_seqscan = off; set local enable_bitmapscan = off");
    const rows = await tx.unsafe<{ "QUERY PLAN": string }[]>(
      `explain (costs off) select * from logs where ${where} order by created_at desc, id desc limit 20`,
    );
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  expect(plan).toContain(index);
  // An incremental sort only orders rows of the same second.
  expect(plan.replaceAll("Incremental Sort", "")).not.toMatch(/^\s*(->\s*)?Sort\s*$/m);
});

test("every key of rows that may be distributed by their user names the user", async () => {
  const keys = await database.sql<{ name: string; users: boolean }[]>`
    select i.indexrelid::regclass::text as name, exists (
      select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attname = 'user_id'
    ) as users
    from pg_index i where i.indisunique and i.indrelid::regclass::text in ('logs', 'usage_rollups', 'usage_days', 'agent_sessions', 'agent_session_calls')`;
  expect(keys.length).toBeGreaterThanOrEqual(6);
  expect(keys.filter(({ users }) => !users)).toEqual([]);
});
