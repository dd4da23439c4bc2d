import { queryOptions } from "@tanstack/react-query";
import type { CodeUse } from "../../../src/domain/codes/list-codes.ts";
import { request } from "../../api/client.ts";
import type { Code } from "./code.ts";

export type CodeQuery = Readonly<{
  keyword?: string | undefined;
  status?: number | undefined;
  /** code or gift. */
  type?: string | undefined;
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
    queryFn: async ({ signal }) => {
      const { page, pageSize, ...filters } = query;
      const answer = await request<{ items: Code[]; total: number }>("/api/redemption/", {
        query: { ...filters, p: page + 1, page_size: pageSize },
        signal,
      });
      return answer.data;
    },
  });

const USES_SHOWN = 100;

/** The latest uses of a code. */
export const codeUses = (id: number) =>
  queryOptions({
    queryKey: [...CODES_KEY, "uses", id],
    queryFn: async ({ signal }) =>
      (
        await request<{ items: CodeUse[]; total: number }>(`/api/redemption/${id}/uses`, {
          query: { page_size: USES_SHOWN },
          signal,
        })
      ).data,
  });
