import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { logArchiveApi } from "../../../api/groups.ts";
import { type LogFilters, parametersOf } from "../log-queries.ts";

const ROWS_PER_PAGE = 100;

/** The months of which rows are in files, newest first. */
export const archiveMonths = queryOptions({
  queryKey: ["log-archives"],
  queryFn: ({ signal }) => readData(logArchiveApi.get({ fetch: { signal } })),
});

/** The rows of an archived month, newest first; each page continues where the one before ended. */
export const archiveRows = (month: string, filters: LogFilters) =>
  infiniteQueryOptions({
    queryKey: ["log-archives", month, filters],
    queryFn: ({ pageParam: before, signal }) => {
      const query = { ...archiveParameters(month, filters), page_size: ROWS_PER_PAGE, before };
      return readData(logArchiveApi.rows.get({ query, fetch: { signal } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The query of a month's rows, for the list and the CSV file. */
export const archiveParameters = (month: string, filters: LogFilters) => ({ month, ...parametersOf("all", filters) });
