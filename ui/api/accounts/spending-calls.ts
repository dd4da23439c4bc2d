import { queryOptions } from "@tanstack/react-query";
import type { BudgetPeriod, BudgetScope } from "../../../db/schema/accounts/organizations/budgets.ts";
import type { BudgetView } from "../../../src/domain/accounts/organizations/budgets/list-budgets.ts";
import type { ProjectView } from "../../../src/domain/accounts/organizations/projects/projects.ts";
import { readData } from "../client.ts";
import { organizationApi } from "../groups.ts";

export type Budget = BudgetView;
export type Project = ProjectView;
export type { BudgetPeriod, BudgetScope };

export const SCOPES: readonly BudgetScope[] = ["organization", "project", "member", "key"];
export const PERIODS: readonly BudgetPeriod[] = ["day", "week", "month", "total"];

export const projects = (id: number) =>
  queryOptions({
    queryKey: ["organization", id, "projects"],
    queryFn: ({ signal }) => readData(organizationApi({ id }).projects.get({ fetch: { signal } })),
  });

export const budgets = (id: number) =>
  queryOptions({
    queryKey: ["organization", id, "budgets"],
    queryFn: ({ signal }) => readData(organizationApi({ id }).budgets.get({ fetch: { signal } })),
  });

export const createProject = (id: number, name: string) => readData(organizationApi({ id }).projects.post({ name }));

export const renameProject = (id: number, project: number, name: string) =>
  readData(organizationApi({ id }).projects({ project }).put({ name }));

export const deleteProject = (id: number, project: number) =>
  readData(organizationApi({ id }).projects({ project }).delete());

type NewBudget = Readonly<{
  scope: BudgetScope;
  scope_id: number;
  period: BudgetPeriod;
  limit: number;
  is_hard: boolean;
}>;

export const createBudget = (id: number, budget: NewBudget) => readData(organizationApi({ id }).budgets.post(budget));

export const changeBudget = (id: number, budget: number, change: Pick<NewBudget, "limit" | "is_hard">) =>
  readData(organizationApi({ id }).budgets({ budget }).put(change));

export const deleteBudget = (id: number, budget: number) =>
  readData(organizationApi({ id }).budgets({ budget }).delete());
