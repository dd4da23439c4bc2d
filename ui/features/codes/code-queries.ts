import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { redemptionApi } from "../../api/groups.ts";

export type CodeQuery = Readonly<{
  keyword?: string | undefined;
  status?: number | undefined;
  type?: "code" | "gift" | undefined;
  sort?: string | undefined;
  order?: string | undefined;
  /** 0 is the first. */
  page: number;
  pageSize: number;
}>;

/** Where lists of codes live in the cache. */
export const CODES_KEY = ["codes"] as const;

export const codePage = (query: CodeQuery) =>
  queryOptions({
    queryKey: [...CODES_KEY, "page", query],
    queryFn: ({ signal }) => {
      const { page, pageSize, ...filters } = query;
      return readData(
        redemptionApi.get({ query: { ...filters, p: page + 1, page_size: pageSize }, fetch: { signal } }),
      );
    },
  });

const USES_SHOWN = 100;

/** The latest uses of a code. */
export const codeUses = (id: number) =>
  queryOptions({
    queryKey: [...CODES_KEY, "uses", id],
    queryFn: ({ signal }) =>
      readData(redemptionApi({ id }).uses.get({ query: { page_size: USES_SHOWN }, fetch: { signal } })),
  });
