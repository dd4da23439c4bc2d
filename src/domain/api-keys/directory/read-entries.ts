import { sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import type { Db } from "../../../../db/types.ts";
import type { RowQuery } from "../../../lib/values/keep-table.ts";
import type { ApiKeyEntry } from "./api-key-entry.ts";
import { compileIpList } from "./ip-list.ts";

type Extras = [
  modelLimits: string[] | null,
  allowIps: string,
  group: string,
  previousKeyHash: string | null,
  previousKeyUntil: number,
  strict: boolean,
  requestsPerMinute: number,
  tokensPerMinute: number,
  budgetRenewsAt: number,
];

/** Between keys, and between what is told of one. */
const KEYS = "\x1e";
const FIELDS = "\x1f";

/**
 * Keys that are not deleted, by id, at most `limit`. The database writes a page as one text, which costs both sides a
 * fraction of what rows do: there may be a million keys.
 */
export async function readEntries(db: Db, { where, limit }: RowQuery): Promise<ApiKeyEntry[]> {
  const t = tokens;
  // One row, always: none would read as "there are no keys".
  const rows = await db.execute<{ text: string | null }>(sql`
    select string_agg(line, ${KEYS} order by id) as text from (
      select ${t.id} as id, concat_ws(${FIELDS}, ${t.id}, ${t.userId}, ${t.status}, ${t.unlimitedQuota},
        ${t.expiredTime}, ${t.keyHash}, coalesce(${t.projectId}, 0), coalesce(${t.createdBy}, 0),
        case when ${t.modelLimitsEnabled} or ${t.allowIps} <> '' or ${t.group} <> '' or ${t.previousKeyHash} is not null
          or ${t.strict} or ${t.requestsPerMinute} > 0 or ${t.tokensPerMinute} > 0 or ${t.budgetRenewsAt} > 0
        then json_build_array(case when ${t.modelLimitsEnabled} then ${t.modelLimits} end, ${t.allowIps}, ${t.group},
          ${t.previousKeyHash}, ${t.previousKeyUntil}, ${t.strict}, ${t.requestsPerMinute}, ${t.tokensPerMinute},
          ${t.budgetRenewsAt})::text else '' end,
        translate(${t.name}, ${KEYS + FIELDS}, '')) as line
      from ${t} where ${where} and ${t.deletedAt} is null order by ${t.id} limit ${limit}) page`);
  const { text } = requireRow(rows);
  return text ? text.split(KEYS).map(entryOf) : [];
}

function entryOf(line: string): ApiKeyEntry {
  const [id, userId, status, unlimited, expiredTime, keyHash = "", projectId, createdBy, extras, name = ""] =
    line.split(FIELDS);
  const [limits, ips, group, previousKeyHash, previousKeyUntil, strict, requests, tokensAMinute, renewsAt] = extras
    ? (JSON.parse(extras) as Extras)
    : USUAL;
  return {
    id: Number(id),
    userId: Number(userId),
    projectId: Number(projectId),
    createdBy: Number(createdBy),
    // A part of a text keeps the whole text in memory: the name is copied out of it.
    name: Buffer.from(name).toString(),
    status: Number(status),
    unlimitedQuota: unlimited === "t",
    expiredTime: Number(expiredTime),
    keyHash,
    modelLimits: limits && new Set(limits),
    allowIps: ips === "" ? null : compileIpList(ips),
    group,
    previousKeyHash,
    previousKeyUntil,
    strict,
    requestsPerMinute: requests,
    tokensPerMinute: tokensAMinute,
    budgetRenewsAt: renewsAt,
  };
}

const USUAL: Extras = [null, "", "", null, 0, false, 0, 0, 0];
