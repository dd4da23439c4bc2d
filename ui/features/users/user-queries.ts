import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";
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
    queryFn: async ({ signal }): Promise<UserPage> =>
      (
        await request<UserPage>("/api/user/search", {
          query: { ...filters, p: page + 1, page_size: pageSize },
          signal,
        })
      ).data,
  });

export const userById = (id: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "one", id],
    queryFn: async ({ signal }) => (await request<User>(`/api/user/${id}`, { signal })).data,
    gcTime: 0,
  });
