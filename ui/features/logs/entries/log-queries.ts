import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { logApi, usersApi } from "../../../api/groups.ts";
import { CHUNK_ROWS } from "../../../components/data-table/paging/chunks.ts";
import type { Address } from "../../../components/use-address.ts";
import type { TimeRange } from "../time-range.ts";
import { LOG_TYPES, type LogEntry } from "./log-entry.ts";

/** Filters of the log; times are epoch seconds. */
export type LogFilters = Readonly<{
  start: number;
  end: number;
  /** The times apply only to charts: rows and totals are of any time. */
  anyTime?: boolean | undefined;
  type?: number | undefined;
  failed?: boolean | undefined;
  model?: string | undefined;
  token?: string | undefined;
  group?: string | undefined;
  tag?: string | undefined;
  /** Of guardrails: a name, what one did (`block`, or `shadow-block` for what it would have done), what it looks for. */
  guardrail?: string | undefined;
  verdict?: string | undefined;
  guardrail_kind?: string | undefined;
  /** Whom the client made the call for. */
  end_user?: string | undefined;
  /** Ids of a project and a member, for organizations. */
  project?: number | undefined;
  member?: number | undefined;
  requestId?: string | undefined;
  /** The address that the client called from. */
  ip?: string | undefined;
  /** Administrators only. */
  user?: string | undefined;
  channel?: number | undefined;
}>;

/** Whose rows: all users', or the user's own. */
export type LogScope = "all" | "self";

type LogPage = Readonly<{ items: LogEntry[]; total: number }>;

const LOGS_KEY = ["logs"] as const;

const pageKey = (scope: LogScope, filters: LogFilters, page: number, pageSize: number) =>
  [...LOGS_KEY, "page", scope, filters, page, pageSize] as const;

/** The cursor after a page; undefined if unknown. */
const cursorBehind = (page: LogPage | undefined): string | undefined => cursorOf(page?.items.at(-1));

const cursorOf = (row: LogEntry | undefined): string | undefined => row && `${row.created_at}-${row.id}`;

/** A page by its zero-based number; continues from the previous page's cursor if known, which is fast at any depth. */
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

/** The server's maximum page size. */
const MOST_ROWS = 100;

/** A log that scrolls without pages, as it was when its first rows were read. */
export type LogList = LogPage & Readonly<{ key: string; filters: LogFilters }>;

const listKey = (scope: LogScope, filters: LogFilters) => [...LOGS_KEY, "list", scope, filters] as const;

/** The first rows and their total; the others are read by readLogChunk. */
export const logList = (scope: LogScope, filters: LogFilters) =>
  queryOptions({
    queryKey: listKey(scope, filters),
    queryFn: async ({ signal }): Promise<LogList> => {
      const query = { ...parametersOf(scope, filters), p: 1, page_size: CHUNK_ROWS };
      const page = await readData(callsOf(scope).get({ query, fetch: { signal } }));
      return { ...page, filters, key: JSON.stringify([scope, filters]) };
    },
    // Read again only on request: the rows must stay where they are.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

/** The key of a list's chunks, without their number. */
export const logChunksKey = (scope: LogScope, list: LogList | undefined) =>
  [...LOGS_KEY, "chunk", scope, list?.key, cursorOf(list?.items[0])] as const;

/** Reads a chunk of a list, from 1 on: from where the previous one ends if that is in memory, else by its number. */
export async function readLogChunk(
  client: QueryClient,
  scope: LogScope,
  list: LogList,
  chunk: number,
  signal: AbortSignal,
): Promise<Pick<LogPage, "items">> {
  const previous = chunk === 1 ? list : client.getQueryData<LogPage>([...logChunksKey(scope, list), chunk - 1]);
  const query = {
    ...parametersOf(scope, list.filters),
    p: chunk + 1,
    page_size: CHUNK_ROWS,
    before: cursorBehind(previous),
    as_of: cursorOf(list.items[0]),
  };
  return readData(callsOf(scope).get({ query, fetch: { signal } }));
}

const NEW_ROWS_MS = 15_000;

/** How many rows a list would have now. */
export const logTotal = (scope: LogScope, list: LogList | undefined, readNow: () => number) =>
  queryOptions({
    queryKey: [...LOGS_KEY, "total", scope, list?.key],
    queryFn: async ({ signal }) => {
      const filters = list?.filters ?? { start: 0, end: 0 };
      const query = {
        ...parametersOf(scope, { ...filters, end: Math.max(filters.end, readNow()) }),
        p: 1,
        page_size: 1,
      };
      return (await readData(callsOf(scope).get({ query, fetch: { signal } }))).total;
    },
    refetchInterval: NEW_ROWS_MS,
    staleTime: NEW_ROWS_MS,
    retry: false,
  });

/** The rows of one request, of any time; a realtime session has one for each response. */
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

/** The URL of the CSV download of the matching rows. */
export const logExport = (scope: LogScope) => callsOf(scope).export;

const callsOf = (scope: LogScope) => (scope === "self" ? logApi.self : logApi);

/** The filters as query parameters. A model matches anywhere in its name. */
export function parametersOf(scope: LogScope, filters: LogFilters) {
  return {
    start_timestamp: filters.anyTime ? undefined : filters.start,
    end_timestamp: filters.anyTime ? undefined : filters.end,
    type: filters.type,
    failed: filters.failed ? "true" : undefined,
    model_name: filters.model && !filters.model.includes("%") ? `%${filters.model}%` : filters.model,
    token_name: filters.token,
    group: filters.group,
    tag: filters.tag,
    ...verdictOf(filters),
    end_user: filters.end_user,
    project: filters.project,
    member: filters.member,
    request_id: filters.requestId,
    ip: filters.ip,
    ...(scope === "all" && { username: filters.user, channel: filters.channel }),
  };
}

/** The parts of a verdict by its name in the URL: `block`, `shadow`, `shadow-block`. */
function verdictOf({ guardrail, verdict = "", guardrail_kind }: LogFilters) {
  const isShadow = verdict.startsWith("shadow");
  return {
    ...{ guardrail, guardrail_kind, guardrail_action: verdict.replace(/^shadow-?/, "") || undefined },
    guardrail_shadow: verdict === "" ? undefined : String(isShadow),
  };
}

/** The details of a user that administrators may see. */
type UserFacts = Readonly<{ username: string; quota: number; used_quota: number; request_count: number }>;

export const userFacts = (id: number) =>
  queryOptions({
    queryKey: ["user-facts", id],
    queryFn: ({ signal }): Promise<UserFacts> => readData(usersApi({ id }).get({ fetch: { signal } })),
  });

/** Value of `type` in the URL for failed calls. */
export const FAILED = "failed";

const TIMES = ["range", "from", "to"] as const;

/** IPv4 and IPv6 addresses, as rows have them; no request ID looks like one. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f.:]*:[\da-f.:]*)$/i;

/**
 * The log's query in the URL within a range. A request searched by its id may be of any time, unless the URL names a
 * range.
 */
export function logFiltersOf(address: Pick<Address, "text" | "number">, range: TimeRange): LogFilters {
  const text = (key: string) => address.text(key) || undefined;
  const isFailed = address.text("type") === FAILED;
  const search = text("search")?.trim();
  const isAddress = search !== undefined && ADDRESS.test(search);
  return {
    start: range.start,
    end: range.end,
    anyTime: (search && !isAddress && !TIMES.some(text)) || undefined,
    type: isFailed ? LOG_TYPES.consume : address.number("type"),
    failed: isFailed || undefined,
    model: text("model"),
    token: text("token"),
    group: text("group"),
    tag: text("tag"),
    guardrail: text("guardrail"),
    verdict: text("verdict"),
    guardrail_kind: text("guardrail_kind"),
    end_user: text("end_user"),
    project: address.number("project"),
    member: address.number("member"),
    requestId: isAddress ? undefined : search,
    ip: isAddress ? search : undefined,
    user: text("user"),
    channel: address.number("channel"),
  };
}

/** Whether any filter other than time is set. */
export const isNarrowed = ({ start: _start, end: _end, anyTime: _anyTime, ...rest }: LogFilters): boolean =>
  Object.values(rest).some((value) => value !== undefined);
