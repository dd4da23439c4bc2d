import { Elysia, t } from "elysia";
import { requireOrganizations, requireRight } from "../../../domain/accounts/organizations/membership.ts";
import type { OrganizationDeps } from "../../../domain/accounts/organizations/operation.ts";
import {
  changePolicy,
  createPolicy,
  deletePolicy,
  listPolicies,
} from "../../../domain/accounts/organizations/policies/manage-policies.ts";
import { channelTypes } from "../../../providers/registry.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id, integer } from "../../http/integers.ts";

const params = t.Object({ id });
const policyParams = t.Object({ id, policy: id });
const body = t.Object({
  name: t.String({ maxLength: 200 }),
  project_id: integer({ minimum: 0, maximum: 2_147_483_647 }),
  rules: t.Object({
    models: t.Array(t.String({ maxLength: 200 }), { maxItems: 500 }),
    channel_types: t.Array(integer({ minimum: 0, maximum: 100_000 }), { maxItems: 200 }),
    regions: t.Optional(t.Array(t.String({ maxLength: 100 }), { maxItems: 100 })),
    allow_ips: t.String({ maxLength: 20_000 }),
    blocked_words: t.String({ maxLength: 100_000 }),
    no_content_log: t.Boolean(),
    max_key_days: t.Number({ description: "Days until a key expires, at most; 0: no limit." }),
    rotation_days: t.Optional(
      t.Number({ description: "Days after which the secret of a key is refused until it is rotated; 0: never." }),
    ),
    max_call_quota: t.Number(),
  }),
});

/** Policies of an organization; belongs under /api/organization. */
export function organizationPolicyRoutes(services: OrganizationDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ name: "console/organization-policies" })
    .use(guarded)
    .guard({ role: "user" })
    .get(
      "/:id/policies",
      async ({ actor, params }) => {
        requireOrganizations(services.settings);
        await requireRight(services.db, params.id, actor.id, "organization.read");
        const types = channelTypes.map(({ id, name }) => ({ id, name }));
        return ok({ policies: await listPolicies(services.db, params.id), channel_types: types });
      },
      { params },
    )
    .post(
      "/:id/policies",
      async ({ actor, params, body }) => ok({ id: await createPolicy(services, actor, params.id, body) }),
      { params, body },
    )
    .put(
      "/:id/policies/:policy",
      async ({ actor, params, body }) => {
        await changePolicy(services, actor, { organizationId: params.id, id: params.policy }, body);
        return ok(null);
      },
      { params: policyParams, body },
    )
    .delete(
      "/:id/policies/:policy",
      async ({ actor, params }) => {
        await deletePolicy(services, actor, { organizationId: params.id, id: params.policy });
        return ok(null);
      },
      { params: policyParams },
    );
}
