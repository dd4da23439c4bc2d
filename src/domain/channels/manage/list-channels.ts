import { and, asc, count, desc, eq, gte, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import { usageRollups } from "../../../../db/schema/logs/logs.ts";
import { logOf, ownLogOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Language } from "../../../lib/messages.ts";
import { contains, isOneOf } from "../../../lib/values/sql-text.ts";
import type { ReadLive } from "../current-state.ts";
import type { ChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../entry.ts";
import type { ChannelDeps } from "../operation.ts";
import { getsNoTraffic } from "../routing/routing-index.ts";
import { type ChannelHealth, healthOf } from "../status/channel-health.ts";
import { compareModels, type ModelDifference, readModelLists } from "../upstream/model-list.ts";
import { type ChannelView, viewChannel, viewLive } from "./channel-view.ts";

const SORTS = {
  id: channels.id,
  name: channels.name,
  priority: channels.priority,
  weight: channels.weight,
  response_time: channels.responseTime,
  used_quota: channels.usedQuota,
  balance: channels.balance,
} as const;
export type ChannelSort = keyof typeof SORTS;
export const CHANNEL_SORTS = Object.keys(SORTS) as ChannelSort[];

export type ChannelFilter = Readonly<{
  /** Name (part of it), id or whole key. */
  keyword?: string;
  group?: string;
  /** Part of a model's name. */
  model?: string;
  status?: number;
  type?: number;
  tag?: string;
  health?: ChannelHealth;
}>;

type ChannelPage = Readonly<{
  /** 0 is the first. */
  page: number;
  pageSize: number;
  sort?: ChannelSort;
  descending?: boolean;
  /** Pages over tags instead of channels and answers all channels of those tags. */
  byTag?: boolean;
  withTraffic?: boolean;
  /** Of what there is to say of a channel. */
  language: Language;
}>;

export type StatusCounts = { all: number; enabled: number; disabled: number; auto_disabled: number };
type ChannelList = {
  items: ChannelView[];
  /** Channels, or by tag: tags and channels without one. */
  total: number;
  counts: StatusCounts;
  /** By tag: channels of all tags together, and those without one. */
  tagged?: number;
  /** Of all channels on all pages; only with the traffic. */
  sums?: ChannelSums;
};
/** What channels used together, in quota units, and their known balances, a sum for each currency (empty: not known). */
export type ChannelSums = { used_quota: number; balances: { currency: string; amount: number }[] };

/** Channels that one call may act on. */
export const LARGEST_BATCH = 10_000;

export type ListDeps = ChannelDeps & Readonly<{ channels: ChannelDirectory; readLive: ReadLive }>;

/** A page of channels that fit the filter, without keys, and how many there are in each status. */
export async function listChannels(deps: ListDeps, filter: ChannelFilter, page: ChannelPage): Promise<ChannelList> {
  const { db } = deps;
  const { status, ...others } = filter;
  const otherConditions = conditions(deps, others);
  const statuses = await db
    .select({ status: channels.status, rows: count() })
    .from(channels)
    .where(otherConditions)
    .groupBy(channels.status);
  const where = and(otherConditions, status === undefined ? undefined : eq(channels.status, status));
  const counts = countStatuses(statuses);
  const sums = page.withTraffic ? { sums: await sumChannels(deps, page.byTag ? inTagMode(deps, where) : where) } : {};
  if (page.byTag) return { ...(await listByTag(deps, where, page)), counts, ...sums };
  const rows = await db
    .select()
    .from(channels)
    .where(where)
    .orderBy(...order(page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: await view(deps, rows, page), total: totalOf(counts, status), counts, ...sums };
}

async function sumChannels({ db }: ListDeps, where: SQL | undefined): Promise<ChannelSums> {
  const rows = await db
    .select({
      currency: channels.balanceCurrency,
      used: sql`sum(${channels.usedQuota})`.mapWith(Number),
      amount: sql`sum(${channels.balance})`.mapWith(Number),
      known: sql`count(*) filter (where ${channels.balanceUpdatedTime} > 0)`.mapWith(Number),
    })
    .from(channels)
    .where(where)
    .groupBy(channels.balanceCurrency)
    .orderBy(channels.balanceCurrency);
  return {
    used_quota: rows.reduce((sum, { used }) => sum + used, 0),
    balances: rows.filter(({ known }) => known > 0).map(({ currency, amount }) => ({ currency, amount })),
  };
}

/** Ids of all channels that fit the filter, or by tag: of the tags it chooses, and without one; at most as many as one batch may name. */
export async function listChannelIds(deps: ListDeps, filter: ChannelFilter, byTag = false): Promise<number[]> {
  const { status, ...others } = filter;
  const where = and(conditions(deps, others), status === undefined ? undefined : eq(channels.status, status));
  const rows = await deps.db
    .select({ id: channels.id })
    .from(channels)
    .where(byTag ? inTagMode(deps, where) : where)
    .orderBy(channels.id)
    .limit(LARGEST_BATCH);
  return rows.map(({ id }) => id);
}

/** All channels of the tags that such channels have. */
const ofTags = ({ db }: ListDeps, where: SQL | undefined): SQL =>
  inArray(
    channels.tag,
    db
      .selectDistinct({ tag: channels.tag })
      .from(channels)
      .where(and(where, ne(channels.tag, ""))),
  );

/** Such channels that have no tag. */
const untagged = (where: SQL | undefined): SQL | undefined => and(where, eq(channels.tag, ""));

const inTagMode = (deps: ListDeps, where: SQL | undefined): SQL | undefined => or(ofTags(deps, where), untagged(where));

/**
 * The filter chooses the tags; each comes with all its channels, since what is done to a tag is done to all of them. Channels without
 * a tag follow, one by one.
 */
async function listByTag(deps: ListDeps, where: SQL | undefined, page: ChannelPage) {
  const tags = await deps.db
    .select({ tag: channels.tag, rows: count() })
    .from(channels)
    .where(ofTags(deps, where))
    .groupBy(channels.tag)
    .orderBy(channels.tag);
  const shown = tags.slice(page.page * page.pageSize, (page.page + 1) * page.pageSize).map(({ tag }) => tag);
  const rows = await deps.db
    .select()
    .from(channels)
    .where(sql`${channels.tag} in (select json_array_elements_text(${JSON.stringify(shown)}::json))`)
    .orderBy(asc(channels.tag), ...order(page));
  const alone = await deps.db
    .select()
    .from(channels)
    .where(untagged(where))
    .orderBy(...order(page))
    .limit(page.pageSize - shown.length)
    .offset(Math.max(0, page.page * page.pageSize - tags.length));
  const [{ rows: without } = { rows: 0 }] = await deps.db
    .select({ rows: count() })
    .from(channels)
    .where(untagged(where));
  const tagged = tags.reduce((sum, tag) => sum + tag.rows, without);
  return { items: await view(deps, [...rows, ...alone], page), total: tags.length + without, tagged };
}

function conditions(deps: ListDeps, filter: ChannelFilter): SQL | undefined {
  const { keyword, group, model, type, tag, health } = filter;
  return and(
    keyword ? matchesKeyword(keyword.trim(), deps.channels) : undefined,
    group ? sql`${group} = any(${channels.groups})` : undefined,
    model ? contains(sql`array_to_string(${channels.models}, ',')`, model.trim()) : undefined,
    type === undefined ? undefined : eq(channels.type, type),
    tag ? eq(channels.tag, tag) : undefined,
    health ? isOneOf(channels.id, inHealth(deps, health)) : undefined,
  );
}

/** Only memory knows how channels do. */
const inHealth = ({ channels: directory, readLive }: ListDeps, health: ChannelHealth): number[] =>
  [...directory.all()].filter((channel) => healthOf(channel, readLive(channel)) === health).map(({ id }) => id);

/** Keys are encrypted, so a whole key is looked up among those in memory. */
function matchesKeyword(keyword: string, directory: ChannelDirectory): SQL | undefined {
  const holders = [...directory.all()].filter(({ keys }) => keys.includes(keyword)).map(({ id }) => id);
  const id = /^\d{1,9}$/.test(keyword) ? Number(keyword) : null;
  return or(
    contains(channels.name, keyword),
    contains(channels.baseUrl, keyword),
    id === null ? undefined : eq(channels.id, id),
    holders.length ? isOneOf(channels.id, holders) : undefined,
  );
}

function order({ sort, descending = true }: ChannelPage): SQL[] {
  if (!sort) return [desc(channels.priority), desc(channels.id)];
  const direction = descending ? desc : asc;
  return sort === "id" ? [direction(channels.id)] : [direction(SORTS[sort]), desc(channels.id)];
}

async function view(
  { db, vault, channels: directory, readLive }: ListDeps,
  rows: ChannelRow[],
  page: ChannelPage,
): Promise<ChannelView[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const off = await db
    .select({ id: channelKeys.channelId, keys: count() })
    .from(channelKeys)
    .where(and(isOneOf(channelKeys.channelId, ids), ne(channelKeys.status, CHANNEL_STATUS.enabled)))
    .groupBy(channelKeys.channelId);
  const keysOff = new Map(off.map(({ id, keys }) => [id, keys]));
  const lists = page.withTraffic ? await readModelLists(db, ids) : null;
  const traffic = page.withTraffic ? await readTraffic(db, ids).catch(unlessElsewhere(db)) : null;
  return rows.map((row) => {
    const entry = directory.get(row.id);
    const channel = {
      ...viewChannel(row, vault, keysOff.get(row.id) ?? 0, { keys: "none", language: page.language }),
      ...(entry && getsNoTraffic(entry, directory) && { no_traffic: true as const }),
    };
    if (!traffic) return channel;
    const hours = traffic.get(row.id);
    const list = lists?.get(row.id);
    return {
      ...channel,
      ...(hours && { traffic: hours }),
      ...(entry && { live: viewLive(entry, readLive(entry)) }),
      ...(entry && list && list.models.length > 0 && { models_changed: countDifference(compareModels(entry, list)) }),
    };
  });
}

const countDifference = ({ added, removed }: ModelDifference) => ({ added: added.length, removed: removed.length });

function countStatuses(rows: readonly { status: number; rows: number }[]): StatusCounts {
  const of = (status: number) => rows.find((row) => row.status === status)?.rows ?? 0;
  const counts = {
    enabled: of(CHANNEL_STATUS.enabled),
    disabled: of(CHANNEL_STATUS.disabled),
    auto_disabled: of(CHANNEL_STATUS.autoDisabled),
  };
  return { all: counts.enabled + counts.disabled + counts.auto_disabled, ...counts };
}

const totalOf = (counts: StatusCounts, status: number | undefined): number =>
  status === undefined ? counts.all : ({ 1: counts.enabled, 2: counts.disabled, 3: counts.auto_disabled }[status] ?? 0);

const HOURS = 24;
const HOUR_S = 3600;

type Hour = { count: number; failed: number };

/** Where the log has a database of its own that is away, channels are listed without their traffic. */
const unlessElsewhere =
  (db: Db) =>
  (error: unknown): null => {
    if (ownLogOf(db)) return null;
    throw error;
  };

/** Calls and failures of the last 24 hours for each channel, an entry an hour, oldest first; channels without any are absent. */
async function readTraffic(db: Db, channelIds: readonly number[]): Promise<Map<number, Hour[]>> {
  const first = Math.floor(nowSeconds() / HOUR_S) * HOUR_S - (HOURS - 1) * HOUR_S;
  const rows = await logOf(db)
    .select({
      channelId: usageRollups.channelId,
      hour: usageRollups.hour,
      count: sql<number>`sum(${usageRollups.count})::bigint`,
      failed: sql<number>`sum(${usageRollups.failed})::bigint`,
    })
    .from(usageRollups)
    .where(and(isOneOf(usageRollups.channelId, channelIds), gte(usageRollups.hour, first)))
    .groupBy(usageRollups.channelId, usageRollups.hour);
  const traffic = new Map<number, Hour[]>();
  for (const row of rows) {
    const hours = traffic.get(row.channelId) ?? Array.from({ length: HOURS }, () => ({ count: 0, failed: 0 }));
    const index = (row.hour - first) / HOUR_S;
    if (index < HOURS) hours[index] = { count: Number(row.count), failed: Number(row.failed) };
    traffic.set(row.channelId, hours);
  }
  return traffic;
}
