import { Elysia, t } from "elysia";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../../../../db/schema/accounts/organizations/budgets.ts";
import { listBudgets } from "../../../domain/accounts/organizations/budgets/list-budgets.ts";
import {
  changeBudget,
  createBudget,
  deleteBudget,
} from "../../../domain/accounts/organizations/budgets/manage-budgets.ts";
import { requireOrganizations, requireRight } from "../../../domain/accounts/organizations/membership.ts";
import type { OrganizationDeps } from "../../../domain/accounts/organizations/operation.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  renameProject,
} from "../../../domain/accounts/organizations/projects/projects.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id, integer } from "../../http/integers.ts";

const params = t.Object({ id });
const projectParams = t.Object({ id, project: id });
const budgetParams = t.Object({ id, budget: id });
const name = t.Object({ name: t.String({ maxLength: 200 }) });
const limit = { limit: t.Number(), is_hard: t.Boolean() };
const newBudget = t.Object({
  scope: t.UnionEnum([...BUDGET_SCOPES]),
  scope_id: integer({ minimum: 0, maximum: 2_147_483_647 }),
  period: t.UnionEnum([...BUDGET_PERIODS]),
  ...limit,
});

/** Projects and budgets of an organization; belongs under /api/organization. */
export function organizationBudgetRoutes(services: OrganizationDeps, guarded: ReturnType<typeof guard>) {
  const { db, settings } = services;
  const requireMember = async (organizationId: number, personId: number) => {
    requireOrganizations(settings);
    await requireRight(db, organizationId, personId, "organization.read");
  };
  return new Elysia({ name: "console/organization-budgets" })
    .use(guarded)
    .guard({ role: "user" })
    .get(
      "/:id/projects",
      async ({ actor, params }) => {
        await requireMember(params.id, actor.id);
        return ok(await listProjects(db, params.id));
      },
      { params },
    )
    .post(
      "/:id/projects",
      async ({ actor, params, body }) => ok({ id: await createProject(services, actor, params.id, body.name) }),
      { params, body: name },
    )
    .put(
      "/:id/projects/:project",
      async ({ actor, params, body }) => {
        await renameProject(services, actor, { organizationId: params.id, id: params.project }, body.name);
        return ok(null);
      },
      { params: projectParams, body: name },
    )
    .delete(
      "/:id/projects/:project",
      async ({ actor, params }) => {
        await deleteProject(services, actor, { organizationId: params.id, id: params.project });
        return ok(null);
      },
      { params: projectParams },
    )
    .get(
      "/:id/budgets",
      async ({ actor, params }) => {
        await requireMember(params.id, actor.id);
        return ok(await listBudgets(db, params.id, nowSeconds()));
      },
      { params },
    )
    .post(
      "/:id/budgets",
      async ({ actor, params, body }) => {
        const { scope, scope_id: scopeId, period, limit, is_hard: isHard } = body;
        return ok({ id: await createBudget(services, actor, params.id, { scope, scopeId, period, limit, isHard }) });
      },
      { params, body: newBudget },
    )
    .put(
      "/:id/budgets/:budget",
      async ({ actor, params, body }) => {
        const place = { organizationId: params.id, id: params.budget };
        await changeBudget(services, actor, place, { limit: body.limit, isHard: body.is_hard });
        return ok(null);
      },
      { params: budgetParams, body: t.Object(limit) },
    )
    .delete(
      "/:id/budgets/:budget",
      async ({ actor, params }) => {
        await deleteBudget(services, actor, { organizationId: params.id, id: params.budget });
        return ok(null);
      },
      { params: budgetParams },
    );
}
