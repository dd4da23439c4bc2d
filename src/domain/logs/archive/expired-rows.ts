import { and, asc, gte, lt, type SQL, sql } from "drizzle-orm";
import type { LogKey } from "../../../../db/maintenance/partitions.ts";
import { logs } from "../../../../db/schema/gateway/logs.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import type { LogRow } from "../list/log-view.ts";
import { LOG_TYPE } from "../write-log.ts";

/** Days that rows stay, by user group; `OTHERS`: all other users'. Groups without an entry are not in it. */
export type RetentionRules = ReadonlyMap<string, number>;

const OTHERS = "*";

const DAY_S = 86_400;
const PAGE = 1000;

/**
 * Pages of the rows that the rule of a group covers with from <= created_at < until (epoch seconds), in order of time and id.
 * No page reaches over a day (UTC). What administrators did follows the rule for all others, whatever their group.
 */
export async function* readExpired(
  db: Db,
  rules: RetentionRules,
  { group, from, until }: Readonly<{ group: string; from: number; until: number }>,
): AsyncGenerator<LogRow[], void> {
  const covered = group === OTHERS ? coversOthers([...rules.keys()]) : coversGroup(group);
  let after: LogKey = { createdAt: Math.max(from, await readOldest(db)), id: -1 };
  while (after.createdAt < until) {
    const endOfDay = Math.min(until, after.createdAt - (after.createdAt % DAY_S) + DAY_S);
    const rows = await readPage(db, after, endOfDay, covered);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    after = last && rows.length === PAGE ? last : { createdAt: endOfDay, id: -1 };
  }
}

const readPage = (db: Db, after: LogKey, until: number, covered: SQL | undefined): Promise<LogRow[]> =>
  withDeadline(DEADLINES_MS.long, () =>
    db
      .select()
      .from(logs)
      .where(
        and(
          // Says nothing new, but shows which months need not be looked at.
          gte(logs.createdAt, after.createdAt),
          lt(logs.createdAt, until),
          sql`(${logs.createdAt}, ${logs.id}) > (${after.createdAt}, ${after.id})`,
          covered,
        ),
      )
      .orderBy(asc(logs.createdAt), asc(logs.id))
      .limit(PAGE),
  );

async function readOldest(db: Db): Promise<number> {
  const [oldest] = await db.select({ at: logs.createdAt }).from(logs).orderBy(logs.createdAt, logs.id).limit(1);
  return oldest?.at ?? Number.MAX_SAFE_INTEGER;
}

const isOwnedBy = (condition: SQL): SQL =>
  sql`exists (select from users u where u.id = ${logs.userId} and ${condition})`;

const coversGroup = (group: string): SQL =>
  sql`${logs.type} <> ${LOG_TYPE.management} and ${isOwnedBy(sql`u."group" = ${group}`)}`;

function coversOthers(groups: readonly string[]): SQL | undefined {
  const ruled = groups.filter((group) => group !== OTHERS);
  if (ruled.length === 0) return undefined;
  const listed = JSON.stringify(ruled);
  return sql`(${logs.type} = ${LOG_TYPE.management}
    or not ${isOwnedBy(sql`u."group" in (select json_array_elements_text(${listed}::text::json))`)})`;
}
