import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { logApi, usersApi } from "../../api/groups.ts";
import type { Address } from "../../components/use-address.ts";
import { LOG_TYPES, type LogEntry } from "./log-entry.ts";
import type { TimeRange } from "./time-range.ts";

/** What narrows the log; times are epoch seconds. */
export type LogFilters = Readonly<{
  start: number;
  end: number;
  /** The times hold for charts alone: rows and sums are looked for whenever they were. */
  anyTime?: boolean | undefined;
  type?: number | undefined;
  failed?: boolean | undefined;
  model?: string | undefined;
  token?: string | undefined;
  group?: string | undefined;
  requestId?: string | undefined;
  /** Administrators only. */
  user?: string | undefined;
  channel?: number | undefined;
}>;

/** Whose rows: everybody's, or one's own. */
export type LogScope = "all" | "self";

type LogPage = Readonly<{ items: LogEntry[]; total: number }>;

const LOGS_KEY = ["logs"] as const;

const pageKey = (scope: LogScope, filters: LogFilters, page: number, pageSize: number) =>
  [...LOGS_KEY, "page", scope, filters, page, pageSize] as const;

/** Where the list goes on behind a page; undefined when that is not known. */
const cursorBehind = (page: LogPage | undefined): string | undefined => {
  const last = page?.items.at(-1);
  return last && `${last.created_at}-${last.id}`;
};

/** A page by its number (from 0): read behind the page before it where that is known, which is fast however far back. */
export const logPage = (scope: LogScope, filters: LogFilters, page: number, pageSize: number) =>
  queryOptions({
    queryKey: pageKey(scope, filters, page, pageSize),
    queryFn: async ({ client, signal }) => {
      const before = cursorBehind(client.getQueryData<LogPage>(pageKey(scope, filters, page - 1, pageSize)));
      const query = { ...parametersOf(scope, filters), p: page + 1, page_size: pageSize, before };
      return readData(callsOf(scope).get({ query, fetch: { signal } }));
    },
    placeholderData: keepPreviousData,
  });

/** As many rows as the server gives at once. */
const MOST_ROWS = 100;

/** The rows of one request, whenever it was: several where a conversation had several answers. */
export const requestRows = (scope: LogScope, requestId: string) =>
  queryOptions({
    queryKey: [...LOGS_KEY, "request", scope, requestId],
    queryFn: ({ signal }) =>
      readData(callsOf(scope).get({ query: { request_id: requestId, page_size: MOST_ROWS }, fetch: { signal } })),
  });

export const logStat = (scope: LogScope, filters: LogFilters) =>
  queryOptions({
    queryKey: [...LOGS_KEY, "stat", scope, filters],
    queryFn: ({ signal }) =>
      readData(callsOf(scope).stat.get({ query: parametersOf(scope, filters), fetch: { signal } })),
    placeholderData: keepPreviousData,
  });

export const logHistogram = (scope: LogScope, filters: LogFilters) =>
  queryOptions({
    queryKey: [...LOGS_KEY, "histogram", scope, filters],
    queryFn: ({ signal }) =>
      readData(callsOf(scope).histogram.get({ query: parametersOf(scope, filters), fetch: { signal } })),
    placeholderData: keepPreviousData,
  });

/** Where the rows that fit can be downloaded as CSV. */
export const logExport = (scope: LogScope) => callsOf(scope).export;

const callsOf = (scope: LogScope) => (scope === "self" ? logApi.self : logApi);

/** The filters in the names of the calls. A model is looked for anywhere in the name. */
export function parametersOf(scope: LogScope, filters: LogFilters) {
  return {
    start_timestamp: filters.anyTime ? undefined : filters.start,
    end_timestamp: filters.anyTime ? undefined : filters.end,
    type: filters.type,
    failed: filters.failed ? "true" : undefined,
    model_name: filters.model && !filters.model.includes("%") ? `%${filters.model}%` : filters.model,
    token_name: filters.token,
    group: filters.group,
    request_id: filters.requestId,
    ...(scope === "all" && { username: filters.user, channel: filters.channel }),
  };
}

/** What administrators may read of a user. */
type UserFacts = Readonly<{ username: string; quota: number; used_quota: number; request_count: number }>;

export const userFacts = (id: number) =>
  queryOptions({
    queryKey: ["user-facts", id],
    queryFn: ({ signal }): Promise<UserFacts> => readData(usersApi({ id }).get({ fetch: { signal } })),
  });

/** In the address, instead of a type: calls that failed. */
export const FAILED = "failed";

const TIMES = ["range", "from", "to"] as const;

/**
 * What the address asks of the log within a range. A request that is looked for by its id may be of any time, unless the
 * address itself names one.
 */
export function logFiltersOf(address: Pick<Address, "text" | "number">, range: TimeRange): LogFilters {
  const text = (key: string) => address.text(key) || undefined;
  const isFailed = address.text("type") === FAILED;
  return {
    start: range.start,
    end: range.end,
    anyTime: (text("search") && !TIMES.some(text)) || undefined,
    type: isFailed ? LOG_TYPES.consume : address.number("type"),
    failed: isFailed || undefined,
    model: text("model"),
    token: text("token"),
    group: text("group"),
    requestId: text("search"),
    user: text("user"),
    channel: address.number("channel"),
  };
}

/** Whether anything but time narrows the log. */
export const isNarrowed = ({ start: _start, end: _end, anyTime: _anyTime, ...rest }: LogFilters): boolean =>
  Object.values(rest).some((value) => value !== undefined);
