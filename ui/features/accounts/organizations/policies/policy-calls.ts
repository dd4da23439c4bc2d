import { queryOptions } from "@tanstack/react-query";
import type {
  PolicyInput,
  PolicyView,
} from "../../../../../src/domain/accounts/organizations/policies/manage-policies.ts";
import { readData } from "../../../../api/client.ts";
import { organizationApi } from "../../../../api/groups.ts";

export type Policy = PolicyView;

export const policies = (id: number) =>
  queryOptions({
    queryKey: ["organization", id, "policies"],
    queryFn: ({ signal }) => readData(organizationApi({ id }).policies.get({ fetch: { signal } })),
  });

export const createPolicy = (id: number, { name, project_id, rules }: PolicyInput) =>
  readData(organizationApi({ id }).policies.post({ name, project_id, rules: bodyOf(rules) }));

export const changePolicy = (id: number, policy: number, { name, project_id, rules }: PolicyInput) =>
  readData(
    organizationApi({ id })
      .policies({ policy })
      .put({ name, project_id, rules: bodyOf(rules) }),
  );

export const deletePolicy = (id: number, policy: number) =>
  readData(organizationApi({ id }).policies({ policy }).delete());

const bodyOf = (rules: PolicyInput["rules"]) => ({
  ...rules,
  models: [...rules.models],
  channel_types: [...rules.channel_types],
  regions: [...(rules.regions ?? [])],
});
