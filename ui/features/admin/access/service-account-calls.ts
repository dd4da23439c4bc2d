import { queryOptions } from "@tanstack/react-query";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { ServiceAccountView } from "../../../../src/domain/accounts/access/service-accounts.ts";
import { readData } from "../../../api/client.ts";
import { serviceAccountApi } from "../../../api/groups.ts";

export type ServiceAccount = ServiceAccountView;

export const serviceAccounts = queryOptions({
  queryKey: ["service-accounts"],
  queryFn: ({ signal }) => readData(serviceAccountApi.get({ fetch: { signal } })),
});

type Fields = Readonly<{ rights: Right[]; expires_time: number }>;

export const createServiceAccount = (body: Fields & Readonly<{ name: string }>) =>
  readData(serviceAccountApi.post(body));

export const updateServiceAccount = (id: number, body: Fields) => readData(serviceAccountApi({ id }).put(body));

export const rotateServiceToken = (id: number) => readData(serviceAccountApi({ id }).rotate.post({}));

export const deleteServiceAccount = (id: number) => readData(serviceAccountApi({ id }).delete({}));
