import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import { tokens } from "../../../../../db/schema/accounts/api-keys.ts";
import { projects } from "../../../../../db/schema/accounts/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { logs, usageRollups } from "../../../../../db/schema/gateway/logs.ts";
import { type LogFilter, logConditions, rollupConditions } from "../../list/log-filter.ts";
import { LOG_TYPE } from "../../write-log.ts";
import type { HourRange } from "../totals/buckets.ts";
import { HOUR_S } from "../totals/totals.ts";
import type { HourKey } from "../totals/usage-hours.ts";

/** Dimensions that neither roll-ups nor totals have: tags, and the project and member that API keys belong to now. */
type OtherKey = "tag" | "project" | "member";
export type SeriesKey = Exclude<HourKey, "none"> | OtherKey;

const owned = sql`left join ${tokens} on ${tokens.id} = calls.token_id`;
/** By what calls are grouped; key and name are empty for those without. A call counts under each of its tags. */
const KEYS: Readonly<Record<SeriesKey, Readonly<{ key: SQL; name: SQL; join: SQL }>>> = {
  model: { key: sql`calls.model_name`, name: sql`calls.model_name`, join: sql`` },
  group: { key: sql`calls."group"`, name: sql`calls."group"`, join: sql`` },
  user: { key: sql`calls.user_id::text`, name: sql`calls.username`, join: sql`` },
  channel: { key: sql`calls.channel_id::text`, name: sql`''`, join: sql`` },
  token: { key: sql`calls.token_id::text`, name: sql`calls.token_name`, join: sql`` },
  tag: { key: sql`tag`, name: sql`tag`, join: sql`cross join unnest(calls.tags) tag` },
  project: {
    key: sql`coalesce(${tokens.projectId}::text, '')`,
    name: sql`coalesce(${projects.name}, '')`,
    join: sql`${owned} left join ${projects} on ${projects.id} = ${tokens.projectId}`,
  },
  member: {
    key: sql`coalesce(${tokens.createdBy}::text, '')`,
    name: sql`coalesce(${users.username}, '')`,
    join: sql`${owned} left join ${users} on ${users.id} = ${tokens.createdBy}`,
  },
};

/** Whether roll-ups with their totals answer, which know nothing of tags, projects and members. */
export const isRolledUp = (filter: LogFilter, by: SeriesKey): by is Exclude<HourKey, "none"> =>
  by !== "tag" && by !== "project" && by !== "member" && filter.tag === undefined;

/** The derived table `hours` of `usageHours`, from the rows of the log where tags count. Null when roll-ups cannot answer. */
export function otherHours(filter: LogFilter, by: SeriesKey, range: HourRange): SQL | null {
  const calls = by === "tag" || filter.tag !== undefined ? rowsOf(filter, range) : rollupsOf(filter, range);
  if (!calls) return null;
  const { key, name, join } = KEYS[by];
  return sql`(
    select hour, ${key} as key, ${name} as name, calls.count, calls.failed, calls.quota, calls.prompt_tokens,
      calls.completion_tokens, calls.elapsed_ms
    from (${calls}) calls ${join}
  ) hours`;
}

const rowsOf = (filter: LogFilter, { from, until }: HourRange): SQL => sql`
  select created_at - created_at % ${sql.raw(String(HOUR_S))} as hour, user_id, username, token_id, token_name, channel_id,
    model_name, "group", tags, 1 as count, failed::int as failed, logs.quota, prompt_tokens, completion_tokens, elapsed_ms
  from ${logs}
  where ${logConditions({ ...filter, type: LOG_TYPE.consumption, start: from, end: until - 1 })} and ${logs.tags} is not null`;

function rollupsOf(filter: LogFilter, { from, until }: HourRange): SQL | null {
  const narrowing = rollupConditions(filter);
  const r = usageRollups;
  return (
    narrowing &&
    sql`select ${r}.*, null::text[] as tags from ${r} where ${and(gte(r.hour, from), lt(r.hour, until), ...narrowing)}`
  );
}
