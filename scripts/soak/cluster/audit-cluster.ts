import { openExistingDatabase } from "../../../db/connect.ts";
import type { Database } from "../../../db/types.ts";
import { createApiKey } from "../../../test/support/e2e/console-client.ts";
import { auditCalls, auditOwnChecks, type Finding } from "../audit.ts";
import type { Cluster } from "./cluster.ts";
import type { LoadResult } from "./load.ts";
import { untilWritten } from "./parts/hosts.ts";

const KEY_QUOTA = 500_000_000;
const SETTLE_MS = 1500;

/** The key that a scenario's calls are made with. */
type Before = Readonly<{ id: number; key: string }>;

/** Makes a key, and waits until all hosts know it. */
export async function prepareScenario({ root }: Cluster): Promise<Before> {
  const before = await createApiKey(root, { unlimited_quota: false, remain_quota: KEY_QUOTA });
  await Bun.sleep(SETTLE_MS);
  return before;
}

/** Re-adds what a scenario's calls were charged with, once all charges are written. */
export async function auditScenario(cluster: Cluster, { id }: Before, traffic: LoadResult) {
  await untilWritten(cluster.hosts);
  return withDatabase(cluster, async (database) => {
    const calls = await auditCalls(database, { ...traffic, aborted: 0 });
    const [sums] = await database.sql<{ rows: string; used: string }[]>`
      select (select coalesce(sum(quota), 0) from logs where type = 2 and token_id = ${id}) as rows,
        (select used_quota from tokens where id = ${id}) as used`;
    const [withRow, charged, doubled] = calls;
    return {
      lost: (withRow?.expected ?? 0) - Math.min(withRow?.found ?? 0, charged?.found ?? 0),
      doubled: doubled?.found ?? 0,
      keyDiffers: Number(sums?.rows) - Number(sums?.used),
    };
  });
}

/** Ends all gateways, then re-adds every balance. */
export async function auditEnd(cluster: Cluster): Promise<Finding[]> {
  await Promise.all(cluster.hosts.map((host) => host.drain()));
  return withDatabase(cluster, async (database) => {
    const [sums] = await database.sql<Record<string, string>[]>`
      select (select coalesce(sum(quota), 0) from logs where type = 2) as rows,
        (select coalesce(sum(uncovered), 0) from logs where type = 2) as uncovered,
        (select coalesce(sum(used_quota), 0) from users) as users,
        (select coalesce(sum(used_quota), 0) from tokens) as keys,
        (select coalesce(sum(used_quota), 0) from channels) as channels,
        (select coalesce(sum(held), 0) from users) + (select coalesce(sum(held), 0) from tokens) as held`;
    const sum = (name: string): number => Number(sums?.[name] ?? Number.NaN);
    return [
      { name: "log rows = used quota of users", expected: sum("rows"), found: sum("users") },
      { name: "log rows = used quota of keys", expected: sum("rows"), found: sum("keys") },
      { name: "log rows = used quota of channels", expected: sum("rows"), found: sum("channels") },
      { name: "uncovered quota units", expected: 0, found: sum("uncovered") },
      { name: "quota units still held", expected: 0, found: sum("held") },
      ...(await auditOwnChecks(database)),
    ];
  });
}

async function withDatabase<Result>(cluster: Cluster, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openExistingDatabase({
    databaseUrl: await cluster.pair.primaryUrl(),
    dataDir: cluster.folder,
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
