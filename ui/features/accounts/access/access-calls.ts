import { queryOptions } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { AdminRoleView } from "../../../../src/domain/accounts/access/admin-roles.ts";
import type { ServiceAccountView } from "../../../../src/domain/accounts/users/service-accounts.ts";
import { readData } from "../../../api/client.ts";
import { adminRoleApi, serviceAccountApi } from "../../../api/groups.ts";

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

/** Rights in words, by resource: "Users (Read, Write), Audit log (Read)". */
export function rightsText(rights: readonly string[], t: TFunction): string {
  const byResource = Map.groupBy(rights, (right) => right.split(":")[0]);
  return Array.from(byResource, ([resource, own]) => {
    const verbs = own.map((right) => t(`access.rights.verbs.${right.split(":")[1]}`));
    return `${t(`access.rights.resources.${resource}`)} (${verbs.join(", ")})`;
  }).join(", ");
}

export type ServiceAccount = ServiceAccountView;

export const serviceAccounts = queryOptions({
  queryKey: ["service-accounts"],
  queryFn: ({ signal }) => readData(serviceAccountApi.get({ fetch: { signal } })),
});

type ServiceAccountFields = Readonly<{ rights: Right[]; expires_time: number }>;

export const createServiceAccount = (body: ServiceAccountFields & Readonly<{ name: string }>) =>
  readData(serviceAccountApi.post(body));

export const updateServiceAccount = (id: number, body: ServiceAccountFields) =>
  readData(serviceAccountApi({ id }).put(body));

export const rotateServiceToken = (id: number) => readData(serviceAccountApi({ id }).rotate.post({}));

export const deleteServiceAccount = (id: number) => readData(serviceAccountApi({ id }).delete({}));
