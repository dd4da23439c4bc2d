import { and, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import { CHANNEL_STATUS, channels } from "../../../../db/schema/channels/channels.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { isOfType } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";

/** Something that explains a step in a chart: a channel, or several, went off or came back; recovered: by itself. */
export type ChannelMark = Readonly<{
  /** Epoch seconds. */
  at: number;
  kind: "channel_off" | "channel_on" | "channel_recovered";
  /** The channel's or tag's name; empty: several channels. */
  name: string;
}>;

const MOST = 50;
const OFF = ["channel_disabled", "channels_disabled", "tag_disabled"] as const;
const ON = ["channel_enabled", "channels_enabled", "tag_enabled"] as const;

/**
 * When channels went off or came back in a period (epoch seconds, both inclusive), newest first, 50 at most: those that
 * administrators switched, and those that went off because they failed, whether they are back or not.
 */
export async function readChannelMarks(
  db: Db,
  period: Readonly<{ start: number; end: number }>,
): Promise<ChannelMark[]> {
  // Quotes within texts are escaped, so that only the note's own member matches.
  const code = sql<string | null>`substring(${logs.other} from '"code":"([a-z_]+)"')`;
  const name = sql<string | null>`substring(${logs.other} from '"(?:name|tag)":"((?:[^"\\\\]|\\\\.)*)"')`;
  const switched = await db
    .select({ at: logs.createdAt, code, name })
    .from(logs)
    .where(
      and(
        isOfType(LOG_TYPE.management),
        gte(logs.createdAt, period.start),
        lte(logs.createdAt, period.end),
        inArray(code, [...OFF, ...ON]),
      ),
    )
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(MOST);
  const time = sql<number>`(${channels.otherInfo} ->> 'status_time')::float8`;
  const main = mainOf(db);
  const failed = await main
    .select({ at: time, name: channels.name })
    .from(channels)
    .where(
      and(
        eq(channels.status, CHANNEL_STATUS.autoDisabled),
        gte(time, sql`${period.start}::float8`),
        lte(time, sql`${period.end}::float8`),
      ),
    )
    .orderBy(desc(time))
    .limit(MOST);
  const outages = await main.execute<{ name: string; off: string; on: string; recovered: boolean }>(sql`
    select c.name, o ->> 'off' as off, o ->> 'on' as on, (o ->> 'recovered')::boolean as recovered
    from channels c cross join lateral jsonb_array_elements(c.other_info -> 'outages') o
    where jsonb_typeof(c.other_info -> 'outages') = 'array'
      and (o ->> 'on')::bigint >= ${period.start} and (o ->> 'off')::bigint <= ${period.end}
    order by (o ->> 'on')::bigint desc limit ${MOST}`);
  const past = [...outages].flatMap(({ name, off, on, recovered }): ChannelMark[] => [
    { at: Number(off), kind: "channel_off", name },
    ...(recovered ? [{ at: Number(on), kind: "channel_recovered" as const, name }] : []),
  ]);
  const marks: ChannelMark[] = [
    ...past.filter(({ at }) => at >= period.start && at <= period.end),
    ...switched.map((row) => ({
      at: row.at,
      kind: OFF.some((one) => one === row.code) ? ("channel_off" as const) : ("channel_on" as const),
      name: row.name === null ? "" : String(JSON.parse(`"${row.name}"`)),
    })),
    ...failed.map((row) => ({ at: Number(row.at), kind: "channel_off" as const, name: row.name })),
  ];
  return marks.toSorted((one, other) => other.at - one.at).slice(0, MOST);
}
