/** Backups of versions before the first release, in its tables. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

setDefaultTimeout(240_000);

const FIRST_MIGRATION = 1_795_237_265_097;
const LAST_MIGRATION = 1_795_903_604_923;

let directory = "";
let source: TestDatabase;
let target: TestDatabase;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sluice-carry-over-"));
  source = await openTestDatabase();
  target = await openTestDatabase();
});
afterAll(async () => {
  await source.close();
  await target.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await source.sql.unsafe("truncate users, channels, plans cascade");
});

/** The source's rows, as a version with this newest migration would have backed them up, in the target. */
async function restored(migration: number): Promise<TestDatabase> {
  const file = join(directory, "old.zst");
  const { sql } = source;
  const [{ newest } = { newest: 0 }] =
    await sql`select max(created_at)::bigint as newest from drizzle.__drizzle_migrations`;
  await sql`update drizzle.__drizzle_migrations set created_at = ${migration}`;
  await writeBackup(source, file, { version: "0.1.0-dev" });
  await sql`update drizzle.__drizzle_migrations set created_at = ${newest}`;
  await restoreBackup(target, file, { replace: true });
  return target;
}

async function weightsAfter(migration: number, ...weights: number[]): Promise<number[]> {
  const { sql } = source;
  await sql`delete from channels`;
  for (const weight of weights) {
    const [{ id } = { id: 0 }] =
      await sql`insert into channels (type, name, key_cipher, created_time, weight) values (1, 'c', '', 1, ${weight}) returning id`;
    await sql`insert into abilities ("group", model, channel_id, enabled, weight) values ('default', 'm', ${id}, true, ${weight})`;
  }
  const rows = await (await restored(migration))
    .sql`select c.weight, a.weight as ability from channels c join abilities a on a.channel_id = c.id order by c.id`;
  return rows.flatMap(({ weight, ability }) => [weight, ability]);
}

test("weights keep their shares: 10 more each, unless all are equal", async () => {
  expect(await weightsAfter(FIRST_MIGRATION, 0, 3)).toEqual([10, 10, 13, 13]);
  expect(await weightsAfter(FIRST_MIGRATION, 5, 5)).toEqual([5, 5, 5, 5]);
  expect(await weightsAfter(LAST_MIGRATION, 0, 3)).toEqual([0, 0, 3, 3]);
});

test("access tokens go on, those of deleted accounts do not", async () => {
  await source.sql`insert into users (id, username, aff_code, created_at, access_token_hash, session_version, deleted_at) values
    (1, 'a', 'a', 1, 'hash', 4, null), (2, 'b', 'b', 1, 'gone', 0, 9)`;
  const { sql } = await restored(FIRST_MIGRATION);
  expect([...(await sql`select user_id, token_hash, session_version from access_tokens`)]).toEqual([
    { user_id: 1, token_hash: "hash", session_version: 4 },
  ]);
  expect([...(await sql`select id from users where access_token_hash is not null`)]).toEqual([]);
});

test("plans know who has had them, and what has been drawn", async () => {
  await source.sql`insert into users (id, username, aff_code, created_at) values (1, 'a', 'a', 1)`;
  await source.sql`insert into plans (id, name, price, period, window_quota, "window", window_calls, created_at)
    values (5, 'p', 1, 'month', 100, 'day', 9, 1)`;
  await source.sql`insert into subscriptions
    (user_id, plan_id, status, paid, started_at, period_start, period_end, window_start, window_end, remaining, window_calls, calls_left)
    values (1, 5, 'active', 1, 1, 1, 2, 1, 2, 70, 9, 4)`;
  const { sql } = await restored(FIRST_MIGRATION);
  expect([...(await sql`select plan_id, person_id, account_id from plan_holders`)]).toEqual([
    { plan_id: 5, person_id: 1, account_id: 1 },
  ]);
  expect([...(await sql`select drawn::int, drawn_calls from subscriptions`)]).toEqual([{ drawn: 30, drawn_calls: 5 }]);
});

test("a backup of the last version before the release is restored as it is", async () => {
  await source.sql`insert into users (id, username, aff_code, created_at, access_token_hash) values (1, 'a', 'a', 1, 'hash')`;
  const { sql } = await restored(LAST_MIGRATION);
  expect([...(await sql`select access_token_hash as hash from users`)]).toEqual([{ hash: "hash" }]);
  expect([...(await sql`select 1 from access_tokens`)]).toEqual([]);
});
