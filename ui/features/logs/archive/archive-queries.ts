import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ArchiveMonth } from "../../../../src/domain/logs/archive/list-archives.ts";
import { readData } from "../../../api/client.ts";
import { logArchiveApi } from "../../../api/groups.ts";
import { type LogFilters, type LogScope, parametersOf } from "../entries/log-queries.ts";

const ROWS_PER_PAGE = 100;

/** A month with archived rows; how many, and in what files, is for administrators. */
export type ListedMonth = Pick<ArchiveMonth, "month"> & Partial<ArchiveMonth>;

/** The months of which rows are in files, newest first. */
export const archiveMonths = (scope: LogScope) =>
  queryOptions({
    queryKey: ["log-archives", scope],
    queryFn: async ({ signal }): Promise<ListedMonth[]> =>
      scope === "all"
        ? readData(logArchiveApi.get({ fetch: { signal } }))
        : readData(logArchiveApi.self.get({ fetch: { signal } })),
  });

/** The rows of an archived month, newest first; each page continues where the one before ended. */
export const archiveRows = (scope: LogScope, month: string, filters: LogFilters) =>
  infiniteQueryOptions({
    queryKey: ["log-archives", scope, month, filters],
    queryFn: ({ pageParam: before, signal }) => {
      const query = { ...archiveParameters(scope, month, filters), page_size: ROWS_PER_PAGE, before };
      return readData(archiveCalls(scope).rows.get({ query, fetch: { signal } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The query of a month's rows, for the list and the CSV file. */
export const archiveParameters = (scope: LogScope, month: string, filters: LogFilters) => ({
  month,
  ...parametersOf(scope, filters),
});

/** A month's rows as a CSV file. */
export const archiveExport = (scope: LogScope) => archiveCalls(scope).export;

const archiveCalls = (scope: LogScope) => (scope === "self" ? logArchiveApi.self : logArchiveApi);
