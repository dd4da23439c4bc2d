import { queryOptions } from "@tanstack/react-query";
import type { AdminRoleView } from "../../../../src/domain/accounts/access/admin-roles.ts";
import { readData } from "../../../api/client.ts";
import { adminRoleApi } from "../../../api/groups.ts";

export type AdminRole = AdminRoleView;

export const adminRoles = queryOptions({
  queryKey: ["admin-roles"],
  queryFn: ({ signal }) => readData(adminRoleApi.get({ fetch: { signal } })),
});

type Fields = Pick<AdminRole, "name" | "rights">;

/** Creates a role (id null) or changes one. */
export const saveAdminRole = (id: number | null, body: Fields) =>
  readData(id === null ? adminRoleApi.post(body) : adminRoleApi({ id }).put(body));

export const deleteAdminRole = (id: number) => readData(adminRoleApi({ id }).delete({}));

/** Gives a user a role; 0: none. */
export const assignAdminRole = (userId: number, roleId: number) =>
  readData(adminRoleApi.users({ id: userId }).put({ role_id: roleId }));
