import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { usersApi } from "../../api/groups.ts";
import type { User } from "./user.ts";

export type UserFilters = Readonly<{
  keyword?: string | undefined;
  group?: string | undefined;
  role?: number | undefined;
  status?: number | undefined;
}>;

type UserList = UserFilters & Readonly<{ sort?: string | undefined; order?: string | undefined }>;

export type UserPage = Readonly<{ items: User[]; total: number }>;

/** Where users live in the cache. */
export const USERS_KEY = ["users"] as const;

/** `page` counts from 0. */
export const userPage = (filters: UserList, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "page", filters, page, pageSize],
    queryFn: ({ signal }): Promise<UserPage> =>
      readData(usersApi.search.get({ query: { ...filters, p: page + 1, page_size: pageSize }, fetch: { signal } })),
  });

export const userById = (id: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "one", id],
    queryFn: ({ signal }) => readData(usersApi({ id }).get({ fetch: { signal } })),
    gcTime: 0,
  });
