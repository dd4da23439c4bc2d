import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { usageRollups } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import { periodStart } from "../../../lib/values/calendar-period.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { readChannelNames } from "../../logs/log-view.ts";
import type { Notice } from "../../notifications/message.ts";
import type { Spender, SpendPeriod } from "../event-rules.ts";
import { type ConditionDeps, type ConditionQuery, dollars, type FindConditions } from "./condition.ts";

const HOUR_SECONDS = 3600;
/** So many at once say that the threshold is too low; the largest are sent. */
const MOST_SUBJECTS = 50;

type Spent = Readonly<{ id: string; name: string; quota: number }>;

/** What was spent since the day, the week or the month began, in all or by each one of a kind, and is above the threshold. */
export const findSpending: FindConditions = async (deps, query) => {
  if (!query.spending) return [];
  const { period, per, subject } = query.spending;
  const spenders = await SPENDERS[per](deps, query, await hourOfStart(deps, period, query.now));
  return spenders
    .filter(({ name }) => subject === "" || name === subject)
    .slice(0, MOST_SUBJECTS)
    .map(({ id, name, quota }) => ({
      subject: `${per}/${id}`,
      severity: "warning" as const,
      notice: {
        type: "spending" as const,
        title: { en: "Spending is above the threshold", zh: "消费超过阈值" },
        content: CONTENT[per === "total" ? "total" : "each"][period],
        values: [...(per === "total" ? [] : [name]), dollars(quota, deps), dollars(query.threshold, deps)],
        path: "/detail",
      },
    }));
};

type FindSpenders = (deps: ConditionDeps, query: ConditionQuery, since: number) => Promise<Spent[]>;

const SPENDERS: Readonly<Record<Spender, FindSpenders>> = {
  total: (deps, query, since) => sumBy(deps, query, since, { id: sql`''`, name: sql`''` }),
  group: (deps, query, since) => sumBy(deps, query, since, same(sql`${usageRollups.group}`)),
  model: (deps, query, since) => sumBy(deps, query, since, same(sql`${usageRollups.modelName}`)),
  key: (deps, query, since) =>
    sumBy(deps, query, since, { id: sql`${usageRollups.tokenId}`, name: sql`${usageRollups.tokenName}` }),
  user: (deps, query, since) => sumByAccount(deps, query, since, (kind) => kind !== "organization"),
  organization: (deps, query, since) => sumByAccount(deps, query, since, (kind) => kind === "organization"),
  channel: async (deps, query, since) => {
    const spent = await sumBy(deps, query, since, { id: sql`${usageRollups.channelId}`, name: sql`''` });
    const names = await readChannelNames(
      deps.db,
      spent.map(({ id }) => ({ channelId: Number(id) })),
    );
    return spent.map((each) => ({ ...each, name: names.get(Number(each.id)) ?? `#${each.id}` }));
  },
};

const same = (column: SQL) => ({ id: column, name: column });

/** Who spent at least the threshold, the most first. A key that was renamed counts as one, by its last name in the alphabet. */
async function sumBy(
  { db }: ConditionDeps,
  { owner, threshold }: ConditionQuery,
  since: number,
  { id, name }: Readonly<{ id: SQL; name: SQL }>,
): Promise<Spent[]> {
  const { hour, userId, quota } = usageRollups;
  const rows = await logOf(db)
    .select({
      id: sql<string>`(${id})::text`,
      name: sql<string>`max(${name})`,
      quota: sql`sum(${quota})`.mapWith(Number),
    })
    .from(usageRollups)
    .where(and(gte(hour, since), owner === "site" ? undefined : eq(userId, owner)))
    .groupBy(sql`1`)
    .having(sql`sum(${quota}) >= ${threshold}::float8`)
    .orderBy(sql`3 desc`, sql`1`);
  return rows;
}

/** Organizations and people are accounts both; which one it is, the database of accounts knows. */
async function sumByAccount(
  deps: ConditionDeps,
  query: ConditionQuery,
  since: number,
  isOne: (kind: string) => boolean,
): Promise<Spent[]> {
  const spent = await sumBy(deps, query, since, { id: sql`${usageRollups.userId}`, name: sql`''` });
  if (spent.length === 0) return [];
  const accounts = await deps.db
    .select({ id: users.id, name: users.username, kind: users.kind })
    .from(users)
    .where(
      isOneOf(
        users.id,
        spent.map(({ id }) => Number(id)),
      ),
    );
  const names = new Map(accounts.filter(({ kind }) => isOne(kind)).map(({ id, name }) => [String(id), name]));
  return spent.flatMap((each) => {
    const name = names.get(each.id);
    return name === undefined ? [] : [{ ...each, name }];
  });
}

/** The hour in which the period began, in the time zone in which days of the site begin; epoch seconds. */
async function hourOfStart({ db, settings }: ConditionDeps, period: SpendPeriod, now: number): Promise<number> {
  const start = periodStart(sql`${period}::text`, settings.get("CheckInTimeZone"), now);
  const since = Number(requireRow(await db.execute<{ start: string }>(sql`select ${start} as start`)).start);
  return since - (since % HOUR_SECONDS);
}

const CONTENT: Readonly<Record<"total" | "each", Readonly<Record<SpendPeriod, Notice["content"]>>>> = {
  total: {
    day: {
      en: "{{value}} were spent today; the threshold is {{value}}.",
      zh: "今日已消费 {{value}}，阈值为 {{value}}。",
    },
    week: {
      en: "{{value}} were spent this week; the threshold is {{value}}.",
      zh: "本周已消费 {{value}}，阈值为 {{value}}。",
    },
    month: {
      en: "{{value}} were spent this month; the threshold is {{value}}.",
      zh: "本月已消费 {{value}}，阈值为 {{value}}。",
    },
  },
  each: {
    day: {
      en: "{{value}} spent {{value}} today; the threshold is {{value}}.",
      zh: "「{{value}}」今日已消费 {{value}}，阈值为 {{value}}。",
    },
    week: {
      en: "{{value}} spent {{value}} this week; the threshold is {{value}}.",
      zh: "「{{value}}」本周已消费 {{value}}，阈值为 {{value}}。",
    },
    month: {
      en: "{{value}} spent {{value}} this month; the threshold is {{value}}.",
      zh: "「{{value}}」本月已消费 {{value}}，阈值为 {{value}}。",
    },
  },
};
