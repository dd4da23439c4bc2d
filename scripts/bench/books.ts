import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";

type Query = <Row>(text: string) => Promise<Row[]>;

export type Expected = Readonly<{
  requests: number;
  userId: number;
  channelIds: readonly number[];
  tokenId: number;
  quotaBefore: number;
}>;

/** One agreement that must hold, with both sides. */
export type Entry = Readonly<{ what: string; expected: number; found: number; right: boolean }>;

/**
 * Checks the books in the database itself, after the gateway ended: as many log rows as calls, and their sum is what
 * the balance fell by and what the counters of user, channel and key say. Without `databaseUrl`, opens the
 * embedded database in `dataDir`.
 */
export async function auditBooks(
  place: Readonly<{ databaseUrl: string | null; dataDir: string }>,
  expected: Expected,
): Promise<Entry[]> {
  const { query, close } = place.databaseUrl ? openServer(place.databaseUrl) : await openEmbedded(place.dataDir);
  try {
    return await audit(query, expected);
  } finally {
    await close();
  }
}

async function audit(query: Query, expected: Expected): Promise<Entry[]> {
  const one = async (text: string) =>
    Number((await query<{ value: string | number | null }>(text))[0]?.value ?? Number.NaN);
  const charged = await one("select coalesce(sum(quota), 0) as value from logs where type = 2");
  const compare = (what: string, expected: number, found: number): Entry => ({
    what,
    expected,
    found,
    right: expected === found,
  });
  const { requests, userId, channelIds, tokenId, quotaBefore } = expected;
  return [
    compare("log rows = calls", requests, await one("select count(*) as value from logs where type = 2")),
    compare(
      "log rows have ids of their own",
      requests,
      await one("select count(distinct request_id) as value from logs where type = 2"),
    ),
    compare(
      "balance fell by Σ log rows",
      charged,
      quotaBefore - (await one(`select quota as value from users where id = ${userId}`)),
    ),
    compare("user's used quota", charged, await one(`select used_quota as value from users where id = ${userId}`)),
    compare("user's calls", requests, await one(`select request_count as value from users where id = ${userId}`)),
    compare(
      "channels' used quota",
      charged,
      await one(`select sum(used_quota) as value from channels where id in (${channelIds.join(", ")})`),
    ),
    compare("key's used quota", charged, await one(`select used_quota as value from tokens where id = ${tokenId}`)),
    compare(
      "nothing is held any more",
      0,
      await one("select (select sum(held) from users) + (select sum(held) from tokens) as value"),
    ),
    { what: "something was charged", expected: 1, found: charged, right: charged > 0 },
  ];
}

function openServer(url: string): { query: Query; close: () => Promise<void> } {
  const sql = postgres(url, { max: 1, onnotice() {} });
  return { query: async <Row>(text: string) => [...(await sql.unsafe(text))] as Row[], close: () => sql.end() };
}

async function openEmbedded(dataDir: string): Promise<{ query: Query; close: () => Promise<void> }> {
  const [version] = [...new Bun.Glob("**/PG_VERSION").scanSync({ cwd: dataDir })].sort((a, b) => a.length - b.length);
  if (!version) throw new Error(`no embedded database in ${dataDir}`);
  const db = await PGlite.create(path.join(dataDir, path.dirname(version)));
  return { query: async <Row>(text: string) => (await db.query<Row>(text)).rows, close: () => db.close() };
}
