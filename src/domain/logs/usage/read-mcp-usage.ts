import { sql } from "drizzle-orm";
import type { Db } from "../../../../db/types.ts";
import { readLatency } from "./read-latency.ts";
import { HOUR_S } from "./totals/totals.ts";
import { usageHours } from "./totals/usage-hours.ts";

/** The calls of a tool, or of a user. */
export type McpUsageRow = Readonly<{
  /** The tool's name, or the user's id. */
  key: string;
  name: string;
  calls: number;
  failed: number;
  /** Quota units. */
  quota: number;
  /** Half of the newest calls that succeeded took no longer; null: none of them is in the log. */
  p50_ms: number | null;
}>;

export type McpUsage = Readonly<{
  /** Epoch seconds of the first hour that counts. */
  since: number;
  tools: readonly McpUsageRow[];
  users: readonly McpUsageRow[];
}>;

const MOST_ROWS = 100;

/** Who used which tools of an MCP server from `since` (epoch seconds) until `now`, most called first: the first 100 of each. */
export async function readMcpUsage(
  db: Db,
  server: string,
  { since, now }: Readonly<{ since: number; now: number }>,
): Promise<McpUsage> {
  const prefix = `mcp/${server}/`;
  const filter = { modelName: `${prefix}%` };
  const from = since - (since % HOUR_S);
  const rowsBy = async (by: "model" | "user"): Promise<McpUsageRow[]> => {
    const hours = await usageHours(db, filter, by, { from, until: now + HOUR_S }, null);
    if (!hours) throw new Error("roll-ups answer all models");
    type Sums = { key: string; name: string; calls: number; failed: number; quota: number };
    const [sums, latency] = await Promise.all([
      db.execute<Sums>(sql`
        select key, max(name) as name, sum(count)::float8 as calls, sum(failed)::float8 as failed, sum(quota)::float8 as quota
        from ${hours} group by key having sum(count) > 0 order by sum(count) desc, key limit ${MOST_ROWS}`),
      readLatency(db, { ...filter, start: from, end: now }, by),
    ]);
    const medians = new Map(latency.rows.map(({ key, p50_ms: median }) => [key, median]));
    return [...sums].map((row) => ({ ...row, p50_ms: medians.get(row.key) ?? null }));
  };
  const [tools, users] = await Promise.all([rowsBy("model"), rowsBy("user")]);
  const named = tools.map((row) => ({ ...row, key: row.key.slice(prefix.length), name: row.key.slice(prefix.length) }));
  return { since: from, tools: named, users };
}
