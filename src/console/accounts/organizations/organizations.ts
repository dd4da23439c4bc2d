import { Elysia, t } from "elysia";
import type { Billing } from "../../../billing/billing.ts";
import { renameOrganization } from "../../../domain/accounts/organizations/change-organization.ts";
import { createOrganization } from "../../../domain/accounts/organizations/create-organization.ts";
import { listOrganizations } from "../../../domain/accounts/organizations/list-organizations.ts";
import { requireOrganizations } from "../../../domain/accounts/organizations/membership.ts";
import { deleteOrganization } from "../../../domain/accounts/users/delete-organization.ts";
import { transferQuota } from "../../../domain/wallet/transfer-quota.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id } from "../../http/integers.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { organizationBudgetRoutes } from "./organization-budgets.ts";
import { type MemberServices, organizationMemberRoutes } from "./organization-members.ts";
import { organizationPolicyRoutes } from "./organization-policies.ts";

type OrganizationServices = MemberServices & Readonly<{ billing: Pick<Billing, "transfer"> }>;

const params = t.Object({ id });
const name = t.String({ maxLength: 200 });

/** Organizations. The caller's role in the organization of the path decides what a request may do. */
export function organizationRoutes(
  services: OrganizationServices,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { db, settings } = services;
  return new Elysia({ prefix: "/api/organization", name: "console/organizations" })
    .use(organizationMemberRoutes(services, guarded, limits))
    .use(organizationBudgetRoutes(services, guarded))
    .use(organizationPolicyRoutes(services, guarded))
    .use(guarded)
    .guard({ role: "user" })
    .get("/", async ({ actor }) => {
      requireOrganizations(settings);
      return ok(await listOrganizations(db, actor.id));
    })
    .post(
      "/",
      async ({ actor, body }) =>
        ok({
          id: await createOrganization(services, actor, {
            username: body.username,
            displayName: body.display_name ?? "",
          }),
        }),
      { body: t.Object({ username: name, display_name: t.Optional(name) }) },
    )
    .put(
      "/:id",
      async ({ actor, params, body }) => {
        await renameOrganization(services, actor, params.id, body.display_name);
        return ok(null);
      },
      { params, body: t.Object({ display_name: name }) },
    )
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteOrganization(services, actor, params.id);
        return ok(null);
      },
      { params },
    )
    .post(
      "/:id/transfer",
      async ({ actor, params, body }) => {
        const transfer = { organizationId: params.id, quotaUnits: body.quota, direction: body.direction };
        await transferQuota(services, actor, transfer);
        return ok(null);
      },
      {
        params,
        body: t.Object({ quota: t.Number(), direction: t.Union([t.Literal("in"), t.Literal("out")]) }),
      },
    );
}
