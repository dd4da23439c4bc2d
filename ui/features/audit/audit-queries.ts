import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { auditApi } from "../../api/groups.ts";

export type AuditQuery = Readonly<{
  actor?: string | undefined;
  target?: string | undefined;
  /** Codes of notes that `target` occurs in as the reader has them, with dots between. */
  notes?: string | undefined;
  action?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  /** asc: the oldest first. */
  order?: string | undefined;
}>;

/** `page` counts from 0. */
export const auditPage = (query: AuditQuery, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["audit", query, page, pageSize],
    queryFn: ({ signal }) =>
      readData(auditApi.get({ query: { ...query, p: page + 1, page_size: pageSize }, fetch: { signal } })),
  });
