import { queryOptions } from "@tanstack/react-query";
import { readData, readEnvelope } from "../../api/client.ts";
import { groupApi, tokenApi } from "../../api/groups.ts";
import type { Token } from "./token.ts";

export type TokenQuery = Readonly<{
  keyword?: string | undefined;
  /** A whole key. */
  token?: string | undefined;
  status?: number | undefined;
  group?: string | undefined;
  sort?: string | undefined;
  order?: string | undefined;
  /** 0 is the first. */
  page: number;
  pageSize: number;
}>;

export type TokenPage = Readonly<{ items: Token[]; total: number }>;

/** Where lists of keys live in the cache. */
export const TOKENS_KEY = ["tokens"] as const;

export const tokenPage = (query: TokenQuery) =>
  queryOptions({
    queryKey: [...TOKENS_KEY, "page", query],
    queryFn: async ({ signal }): Promise<TokenPage> => {
      const { page, pageSize, ...filters } = query;
      const answer = await readEnvelope(
        tokenApi.get({ query: { ...filters, p: page, page_size: pageSize }, fetch: { signal } }),
      );
      return { items: answer.data, total: answer.total };
    },
  });

const REFERENCE_STALE_MS = 60_000;

export const usableModels = queryOptions({
  queryKey: ["usable-models"],
  queryFn: ({ signal }) => readData(groupApi.user.models.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});

/** Group → what it is called and its factor on prices. */
export type UsableGroups = Readonly<Record<string, { desc: string; ratio: number }>>;

export const usableGroups = queryOptions({
  queryKey: ["usable-groups"],
  queryFn: ({ signal }): Promise<UsableGroups> => readData(groupApi.user.self.groups.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});
