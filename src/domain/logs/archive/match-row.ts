import type { LogFilter } from "../list/log-filter.ts";
import type { LogRow } from "../list/log-view.ts";
import { LOG_TYPE } from "../write-log.ts";
import type { ColumnName } from "./parquet.ts";

/**
 * Whether a row fits a filter, as `logConditions` says it for the database. `keyIds`: the API keys of its project and member;
 * null: it names neither.
 */
export function matchRow(filter: LogFilter, keyIds: ReadonlySet<number> | null): (row: LogRow) => boolean {
  const {
    type,
    userId,
    username,
    tokenName,
    tokenId,
    modelName,
    channelId,
    group,
    requestId,
    tag,
    failed,
    withoutAudit,
  } = filter;
  const { start = 0, end = Number.MAX_SAFE_INTEGER } = filter;
  const isModel = modelName?.includes("%")
    ? matchPattern(modelName)
    : (name: string) => !modelName || name === modelName;
  const isEqual = <Value>(expected: Value | undefined, value: Value) => !expected || expected === value;
  return (row) =>
    row.createdAt >= start &&
    row.createdAt <= end &&
    isEqual(type, row.type) &&
    !(withoutAudit && row.type === LOG_TYPE.management) &&
    (userId === undefined || userId === row.userId) &&
    isEqual(username, row.username) &&
    isEqual(tokenName, row.tokenName) &&
    (tokenId === undefined || tokenId === row.tokenId) &&
    (keyIds === null || keyIds.has(row.tokenId)) &&
    isModel(row.modelName) &&
    isEqual(channelId, row.channelId) &&
    isEqual(group, row.group) &&
    (failed === undefined || failed === row.failed) &&
    (!tag || row.tags?.includes(tag) === true) &&
    (!requestId || row.requestId === requestId || row.requestId?.startsWith(`${requestId}~`) === true);
}

/** In any case; `%` stands for anything. */
function matchPattern(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase().split("%");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  return (input) => {
    const text = input.toLowerCase();
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

const COLUMNS_OF: Readonly<Partial<Record<keyof LogFilter, ColumnName>>> = {
  type: "type",
  withoutAudit: "type",
  userId: "user_id",
  username: "username",
  tokenName: "token_name",
  tokenId: "token_id",
  projectId: "token_id",
  memberId: "token_id",
  modelName: "model_name",
  channelId: "channel_id",
  group: "group",
  requestId: "request_id",
  tag: "other",
  failed: "failed",
};

/** The columns that the filter looks at besides time; empty: none. */
export const columnsOf = (filter: LogFilter): ColumnName[] => [
  ...new Set(
    Object.entries(COLUMNS_OF).flatMap(([key, column]) =>
      filter[key as keyof LogFilter] === undefined || filter[key as keyof LogFilter] === "" ? [] : [column],
    ),
  ),
];
