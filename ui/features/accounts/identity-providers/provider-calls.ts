import { queryOptions } from "@tanstack/react-query";
import type { SsoType } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import type { ProviderInput, ProviderView } from "../../../../src/domain/accounts/identity-providers/providers.ts";
import { readData } from "../../../api/client.ts";
import { identityProviderApi, usersApi } from "../../../api/groups.ts";

export type Provider = ProviderView;

export const providers = queryOptions({
  queryKey: ["identity-providers"],
  queryFn: ({ signal }) => readData(identityProviderApi.get({ fetch: { signal } })),
});

const MOST_ORGANIZATIONS = 100;

/** Organizations that groups can be mapped to. */
export const mappableOrganizations = queryOptions({
  queryKey: ["identity-providers", "organizations"],
  queryFn: async ({ signal }) => {
    const query = { kind: "organization" as const, p: 1, page_size: MOST_ORGANIZATIONS };
    return (await readData(usersApi.get({ query, fetch: { signal } }))).items;
  },
});

/** The number of the provider to come, by which its addresses are known before it is saved. One is enough until it is used. */
export const reservedProvider = queryOptions({
  queryKey: ["identity-providers", "reserved"],
  queryFn: async ({ signal }) => (await readData(identityProviderApi.reserve.post({}, { fetch: { signal } }))).id,
  staleTime: Number.POSITIVE_INFINITY,
});

type Body = Omit<ProviderInput, "domains" | "mappings" | "config"> & {
  config: Record<string, string>;
  domains: string[];
  mappings: { group: string; organization_id: number; role: string }[];
};

export const addProvider = (body: Body & Readonly<{ type: SsoType; id?: number }>) =>
  readData(identityProviderApi.post(body));

export const changeProvider = (id: number, body: Body) => readData(identityProviderApi({ id }).put(body));

/** Makes the token that the provider provisions with; one that it had ends. */
export const createScimToken = async (id: number) =>
  (await readData(identityProviderApi({ id }).scim_token.post({}))).token;

export const revokeScimToken = (id: number) => readData(identityProviderApi({ id }).scim_token.delete({}));

export const deleteProvider = (id: number) => readData(identityProviderApi({ id }).delete({}));
