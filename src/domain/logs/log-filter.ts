import { and, arrayContains, arrayOverlaps, eq, gte, inArray, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { tokens } from "../../../db/schema/api-keys.ts";
import { logs, usageRollups } from "../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../formats/json.ts";
import { isOneOf, matches } from "../../lib/values/sql-text.ts";
import { GUARDRAIL_TAG, OUTCOME_TAGS } from "../../settings/option/guardrails.ts";
import { LOG_TYPE } from "./write-log.ts";

/** What a list or a sum of the log may be limited to; every field is optional. */
export type LogFilter = Readonly<{
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 check-in. */
  type?: number;
  userId?: number;
  username?: string;
  tokenName?: string;
  tokenId?: number;
  /** The whole name, or a pattern in which `%` stands for anything, as the ecosystem's tools send it. */
  modelName?: string;
  /** One of these. */
  modelNames?: readonly string[];
  channelId?: number;
  group?: string;
  /** Of those that the client called the call by. */
  tag?: string;
  /** A verdict of a guardrail about the call. */
  verdict?: VerdictFilter;
  /** Whom the client made the call for. */
  endUser?: string;
  /** Calls of these API keys. */
  tokenIds?: readonly number[];
  /** Calls of the API keys that are in a project now. */
  projectId?: number;
  /** Calls of the API keys that a member of an organization created. */
  memberId?: number;
  /** As answered in X-Request-Id. */
  requestId?: string;
  /** The address that the client called from. */
  ip?: string;
  failed?: boolean;
  /** Leaves out what people changed: rows of management. */
  withoutAudit?: boolean;
  /** Epoch seconds, both inclusive. */
  start?: number;
  end?: number;
}>;

/** Whether a filter leaves out more than other times and types. */
export function isNarrow({ type: _, start: __, end: ___, withoutAudit: ____, ...others }: LogFilter): boolean {
  return Object.values(others).some((value) => value !== undefined && value !== "");
}

/** Rows that are no call, in the words of the indexes of events: only by these they are found. */
const isEvent = sql`${logs.type} <> 2`;

/** Rows of a type; of one that is no call in the words of `isEvent` too. */
export const isOfType = (type: number): SQL | undefined =>
  and(eq(logs.type, type), type === LOG_TYPE.consumption ? undefined : isEvent);

/** The filter over log rows. */
export function logConditions(filter: LogFilter): SQL | undefined {
  const { type, requestId, ip, tag, verdict, endUser, failed, withoutAudit, start, end } = filter;
  return and(
    type ? isOfType(type) : undefined,
    withoutAudit ? ne(logs.type, LOG_TYPE.management) : undefined,
    ...dimensions(filter, logs),
    requestId ? matchesRequest(requestId) : undefined,
    ip ? eq(logs.ip, ip) : undefined,
    tag ? arrayContains(logs.tags, [tag]) : undefined,
    verdict ? hasVerdict(verdict) : undefined,
    endUser ? eq(logs.endUser, endUser) : undefined,
    failed === undefined ? undefined : eq(logs.failed, failed),
    start ? gte(logs.createdAt, start) : undefined,
    end ? lte(logs.createdAt, end) : undefined,
  );
}

/** The filter over whole hours of the roll-ups, without times; null when roll-ups cannot answer it. */
export function rollupConditions(filter: LogFilter): SQL[] | null {
  const { requestId, ip, tag, verdict, endUser, failed } = filter;
  if (requestId || ip || tag || verdict || endUser || failed !== undefined) return null;
  return dimensions(filter, usageRollups);
}

function dimensions(filter: LogFilter, table: typeof logs | typeof usageRollups): SQL[] {
  const conditions: SQL[] = [];
  if (filter.userId !== undefined) conditions.push(eq(table.userId, filter.userId));
  if (filter.username) conditions.push(eq(table.username, filter.username));
  if (filter.tokenName) conditions.push(eq(table.tokenName, filter.tokenName));
  if (filter.tokenId !== undefined) conditions.push(eq(table.tokenId, filter.tokenId));
  if (filter.tokenIds) conditions.push(isOneOf(table.tokenId, filter.tokenIds));
  if (filter.channelId) conditions.push(eq(table.channelId, filter.channelId));
  if (filter.group) conditions.push(eq(table.group, filter.group));
  if (filter.projectId !== undefined) conditions.push(keysWhere(table, eq(tokens.projectId, filter.projectId)));
  if (filter.memberId !== undefined) conditions.push(keysWhere(table, eq(tokens.createdBy, filter.memberId)));
  if (filter.modelNames) conditions.push(inArray(table.modelName, [...filter.modelNames]));
  if (filter.modelName) conditions.push(matchesModel(table, filter.modelName));
  return conditions;
}

/** The API keys that a filter by project and member means; null: it names neither. */
export async function keysOfFilter(db: Db, { projectId, memberId }: LogFilter): Promise<ReadonlySet<number> | null> {
  if (projectId === undefined && memberId === undefined) return null;
  const rows = await mainOf(db)
    .select({ id: tokens.id })
    .from(tokens)
    .where(
      and(
        projectId === undefined ? undefined : eq(tokens.projectId, projectId),
        memberId === undefined ? undefined : eq(tokens.createdBy, memberId),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

const keysWhere = (table: typeof logs | typeof usageRollups, where: SQL): SQL =>
  sql`${table.tokenId} in (select ${tokens.id} from ${tokens} where ${where})`;

const matchesModel = (table: typeof logs | typeof usageRollups, input: string): SQL =>
  input.includes("%") ? matches(table.modelName, input) : eq(table.modelName, input);

/**
 * Where the caller chose the id, the row's own goes on behind a `~`. A range, because it uses the index: the column is
 * ordered by bytes, and the byte behind `~` is 7F.
 */
const matchesRequest = (id: string): SQL | undefined =>
  or(eq(logs.requestId, id), and(gte(logs.requestId, `${id}~`), lt(logs.requestId, `${id}\x7f`)));

/** A pattern that fits more names than these narrows too little to name them. */
const MOST_NAMES = 200;

/**
 * The filter in terms for which log and roll-ups have indexes: a user's name as their id, a pattern of a model's name as the
 * names it fits. A username that nobody has (any more) stays a name. Where the log has a database of its own, projects and members
 * are given as API keys.
 */
export async function resolveFilter(db: Db, filter: LogFilter): Promise<LogFilter> {
  return resolveModel(db, await resolveKeys(db, await resolveUsername(db, filter)));
}

async function resolveKeys(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { projectId: _, memberId: __, ...others } = filter;
  const keys = mainOf(db) === db ? null : await keysOfFilter(db, filter);
  return keys ? { ...others, tokenIds: [...keys] } : filter;
}

async function resolveUsername(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { username, ...others } = filter;
  if (!username || filter.userId !== undefined) return filter;
  const [user] = await mainOf(db).select({ id: users.id }).from(users).where(eq(users.username, username));
  return user ? { ...others, userId: user.id } : filter;
}

async function resolveModel(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { modelName, ...others } = filter;
  if (!modelName?.includes("%")) return filter;
  if (/^%+$/.test(modelName)) return others;
  // From each name to the next by the index, however many rows each has.
  const found = await db.execute<{ name: string }>(sql`
    with recursive names(name) as (
      (select ${usageRollups.modelName} from ${usageRollups} order by 1 limit 1)
      union all
      select (select ${usageRollups.modelName} from ${usageRollups}
        where ${usageRollups.modelName} > names.name order by 1 limit 1) from names where names.name is not null
    )
    select name from names where ${matches(sql`name`, modelName)} limit ${MOST_NAMES + 1}`);
  const modelNames = [...found].map(({ name }) => name);
  return modelNames.length > MOST_NAMES ? filter : { ...others, modelNames };
}

/** What one verdict of a guardrail about a call may be limited to. */
export type VerdictFilter = Readonly<{
  /** The guardrail's name. */
  name?: string;
  action?: string;
  kind?: string;
  /** In shadow mode it says what would have happened. */
  isShadow?: boolean;
}>;

/** Rows with such a verdict: found by their tags, of which each stands for one part of it, and read to be exact. */
function hasVerdict(filter: VerdictFilter): SQL {
  const { name = null, action = null, kind = null, isShadow } = filter;
  const tagged = taggedBy(filter);
  const parts = [
    ...(name === null ? [] : ["@.name == $name"]),
    ...(action === null ? [] : ["@.action == $action"]),
    ...(kind === null ? [] : ["@.kind == $kind"]),
    ...(isShadow === undefined ? [] : [isShadow ? "@.shadow == true" : "!exists(@.shadow)"]),
  ];
  const path = `$.guardrails.verdicts[*]${parts.length > 0 ? ` ? (${parts.join(" && ")})` : ""}`;
  const values = JSON.stringify({ name, action, kind });
  return sql`(${tagged} and case when ${tagged}
    then jsonb_path_exists(${logs.other}::jsonb, ${path}::jsonpath, ${values}::jsonb) else false end)`;
}

function taggedBy({ name, action, isShadow }: VerdictFilter): SQL {
  const tag = (word: string) => GUARDRAIL_TAG + word;
  if (name) return arrayContains(logs.tags, [tag(name)]);
  if (isShadow) return arrayContains(logs.tags, [tag("shadow")]);
  if (!action) return arrayOverlaps(logs.tags, [...OUTCOME_TAGS]);
  return isShadow === false
    ? arrayContains(logs.tags, [tag(action)])
    : arrayOverlaps(logs.tags, [tag(action), tag("shadow")]);
}

/** Whether the notes of an archived row have such a verdict. */
export function notesHaveVerdict({ name, action, kind, isShadow }: VerdictFilter, other: string): boolean {
  if (!other.includes('"guardrails"')) return false;
  const verdicts = recordsOf(recordOf(recordOf(parseJson(other))?.guardrails)?.verdicts);
  const isEqual = (expected: string | undefined, value: unknown) => expected === undefined || expected === value;
  return verdicts.some(
    (verdict: JsonObject) =>
      isEqual(name, verdict.name) &&
      isEqual(action, verdict.action) &&
      isEqual(kind, verdict.kind) &&
      (isShadow === undefined || isShadow === (verdict.shadow === true)),
  );
}
