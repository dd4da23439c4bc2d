import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import { usageRollups, usageTotals } from "../../../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../../../db/server/log-database.ts";
import type { Db } from "../../../../../db/types.ts";
import { isOneOf, matches } from "../../../../lib/values/sql-text.ts";
import { isNarrow, type LogFilter, rollupConditions } from "../../log-filter.ts";
import { divide, hoursIn, type Owners, ownedHours } from "./owned-hours.ts";
import type { Buckets, HourRange } from "./totals.ts";
import { readFolded } from "./totals.ts";

/** By what hours are grouped: nothing, or one of the columns of the roll-ups. */
export type HourKey = "none" | "model" | "group" | "user" | "channel" | "token";

const r = usageRollups;
const t = usageTotals;
const KEYS = {
  none: { key: sql`''`, name: sql`''` },
  model: { key: sql`${r.modelName}`, name: sql`${r.modelName}` },
  group: { key: sql`${r.group}`, name: sql`${r.group}` },
  user: { key: sql`${r.userId}::text`, name: sql`${r.username}` },
  channel: { key: sql`${r.channelId}::text`, name: sql`''` },
  token: { key: sql`${r.tokenId}::text`, name: sql`${r.tokenName}` },
} as const satisfies Record<HourKey, { key: SQL; name: SQL }>;

/**
 * A derived table `hours` of the calls that fit the filter, its times aside, in a range of whole hours: hour, key, name,
 * count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms. Several rows may have the same hour and key, and some
 * take off what others have too much. `buckets` says which hours are summed afterwards (null: all of them): a row's hour need
 * only lie in the right one. Null when roll-ups cannot answer the filter.
 */
export async function usageHours(
  db: Db,
  filter: LogFilter,
  by: HourKey,
  range: HourRange,
  buckets: Buckets | null,
): Promise<SQL | null> {
  const narrowing = rollupConditions(filter);
  if (!narrowing) return null;
  const folded = await readFolded(db);
  const { key, name } = KEYS[by];
  const rollups = (from: number) => sql`
    select ${r.hour} as hour, ${key} as key, ${name} as name, ${r.count} as count, ${r.failed} as failed,
      ${r.quota} as quota, ${r.promptTokens} as prompt_tokens, ${r.completionTokens} as completion_tokens,
      ${r.elapsedMs} as elapsed_ms
    from ${r} where ${and(gte(r.hour, from), lt(r.hour, range.until), ...narrowing)}`;
  const summed = totalsOf(filter, by);
  if (summed) {
    const end = Math.min(range.until, Math.max(range.from, folded.hours));
    const totals = totalsIn(summed, { from: range.from, until: end }, folded.days, buckets);
    const label = by === "none" ? sql`''` : sql`label`;
    return sql`(
      select hour, ${label} as key, ${label} as name, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms
      from (${totals}) totals
      union all ${rollups(end)}
    ) hours`;
  }
  const owners = await ownersOf(db, filter, by);
  if (!owners) return sql`(${rollups(range.from)}) hours`;
  const [ownedKey, ownedName] =
    by === "none"
      ? [sql`''`, sql`''`]
      : by === "model"
        ? [sql`owned.model_name`, sql`owned.model_name`]
        : [sql`owned.id::text`, sql`owned.name`];
  const owned = ownedHours(owners, range, folded.days, buckets);
  return sql`(
    select owned.hour, ${ownedKey} as key, ${ownedName} as name, owned.count, owned.failed, owned.quota, owned.prompt_tokens,
      owned.completion_tokens, owned.elapsed_ms
    from ${owned} owned
  ) hours`;
}

type Totals = Readonly<{ dimension: "all" | "model" | "group"; keys: SQL | undefined }>;

/** Which of the totals hold exactly what the filter leaves, grouped like this; null: none does. */
function totalsOf(filter: LogFilter, by: HourKey): Totals | null {
  const { modelName, modelNames, group, ...others } = filter;
  if (isNarrow(others)) return null;
  const byModel = Boolean(modelName || modelNames);
  const of = by === "none" ? (byModel ? "model" : group ? "group" : "all") : by;
  if (of !== "all" && of !== "model" && of !== "group") return null;
  if ((byModel && of !== "model") || (group && of !== "group")) return null;
  const keys = and(
    group ? eq(t.key, group) : undefined,
    modelNames ? inArray(t.key, [...modelNames]) : undefined,
    modelName ? (modelName.includes("%") ? matches(t.key, modelName) : eq(t.key, modelName)) : undefined,
  );
  return { dimension: of, keys };
}

/** The totals of whole days, where buckets are made of days, and of the hours besides: hour, label and the sums. */
function totalsIn({ dimension, keys }: Totals, range: HourRange, daysUntil: number, buckets: Buckets | null): SQL {
  const rows = (hour: SQL, where: SQL | undefined) => sql`
    select ${hour} as hour, ${t.key} as label, ${t.count} as count, ${t.failed} as failed, ${t.quota} as quota,
      ${t.promptTokens} as prompt_tokens, ${t.completionTokens} as completion_tokens, ${t.elapsedMs} as elapsed_ms
    from ${t} where ${where}`;
  const within = (of: string, { from, until }: HourRange) =>
    and(eq(t.dimension, of), gte(t.start, from), lt(t.start, until), keys);
  const divided = divide(range, daysUntil, buckets);
  if (!divided) return rows(sql`${t.start}`, within(dimension, range));
  const { days, anchorS, parts } = divided;
  const summed = rows(sql`${t.start} + ${sql.raw(String(anchorS))}`, within(`${dimension}_day`, days));
  const hours = (isInPart: (hour: SQL) => SQL) =>
    rows(sql`${t.start}`, and(eq(t.dimension, dimension), isInPart(sql`${t.start}`), keys));
  return parts.length === 0 ? summed : sql`${summed} union all ${hoursIn(parts, anchorS, ["label"], hours)}`;
}

/** The one user, channel or API key whose calls the filter leaves, by model at most; null: it is another filter. */
async function ownersOf(
  db: Db,
  { userId, channelId, tokenId, modelName, modelNames, ...others }: LogFilter,
  by: HourKey,
): Promise<Owners | null> {
  const isOf = (dimension: Owners["dimension"]) => by === "none" || by === "model" || by === dimension;
  if (isNarrow(others) || modelName?.includes("%")) return null;
  const models = modelName ? [modelName] : modelNames;
  const rest = { byModel: by === "model", ...(models && { models }) };
  if (channelId) {
    const isOther = userId !== undefined || tokenId !== undefined || !isOf("channel");
    return isOther ? null : { dimension: "channel", ids: [channelId], ...rest };
  }
  if (tokenId === undefined) {
    return userId === undefined || !isOf("user") ? null : { dimension: "user", ids: [userId], ...rest };
  }
  if (!isOf("token")) return null;
  const userIds = userId === undefined ? await readOwners(db, [tokenId]) : [userId];
  return userIds && { dimension: "token", ids: [tokenId], userIds, ...rest };
}

/**
 * Whose the API keys are: their calls are looked up under their owners, for which there is an index. Null when one of them
 * has none: the playground (0) is no key.
 */
export async function readOwners(db: Db, tokenIds: readonly number[]): Promise<number[] | null> {
  const owned = await mainOf(db).select({ userId: tokens.userId }).from(tokens).where(isOneOf(tokens.id, tokenIds));
  return owned.length === tokenIds.length ? [...new Set(owned.map(({ userId }) => userId))] : null;
}
