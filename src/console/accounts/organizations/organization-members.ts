import { Elysia, t } from "elysia";
import { listMembers } from "../../../domain/accounts/organizations/list-organizations.ts";
import {
  changeMemberAccess,
  changeMemberRole,
  removeMember,
} from "../../../domain/accounts/organizations/members/change-members.ts";
import {
  acceptInvitation,
  previewInvitation,
} from "../../../domain/accounts/organizations/members/invitations/accept-invitation.ts";
import {
  createInvitation,
  type InvitationDeps,
  listInvitations,
  revokeInvitation,
} from "../../../domain/accounts/organizations/members/invitations/invite.ts";
import { requireOrganizations, requireRight } from "../../../domain/accounts/organizations/membership.ts";
import { ACCESS_RIGHTS } from "../../../domain/accounts/organizations/rights.ts";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { languageOf } from "../../../lib/messages.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id } from "../../http/integers.ts";
import type { rateLimit } from "../../http/rate-limit.ts";

export type MemberServices = InvitationDeps & Readonly<{ clientAddress: ClientAddress }>;

const params = t.Object({ id });
const role = t.Union([
  t.Literal("owner"),
  t.Literal("admin"),
  t.Literal("billing"),
  t.Literal("developer"),
  t.Literal("viewer"),
]);
const tokenBody = t.Object({ token: t.String({ minLength: 1, maxLength: 200 }) });

/** Members and invitations; belongs under /api/organization. */
export function organizationMemberRoutes(
  services: MemberServices,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { db, settings } = services;
  return new Elysia({ name: "console/organization-members" })
    .use(guarded)
    .use(limits)
    .guard({ role: "user" })
    .get(
      "/:id/members",
      async ({ actor, params }) => {
        requireOrganizations(settings);
        await requireRight(db, params.id, actor.id, "organization.read");
        return ok(await listMembers(db, params.id));
      },
      { params },
    )
    .put(
      "/:id/members/:user",
      async ({ actor, params, body }) => {
        const place = { organizationId: params.id, userId: params.user };
        await changeMemberRole(services, actor, place, body.role);
        return ok(null);
      },
      { params: t.Object({ id, user: id }), body: t.Object({ role }) },
    )
    .put(
      "/:id/members/:user/access",
      async ({ actor, params, body }) => {
        const place = { organizationId: params.id, userId: params.user };
        await changeMemberAccess(services, actor, place, body.withheld);
        return ok(null);
      },
      {
        params: t.Object({ id, user: id }),
        body: t.Object({ withheld: t.Array(t.UnionEnum(ACCESS_RIGHTS), { maxItems: ACCESS_RIGHTS.length }) }),
      },
    )
    .delete(
      "/:id/members/:user",
      async ({ actor, params }) => {
        await removeMember(services, actor, { organizationId: params.id, userId: params.user });
        return ok(null);
      },
      { params: t.Object({ id, user: id }) },
    )
    .get(
      "/:id/invitations",
      async ({ actor, params }) => {
        requireOrganizations(settings);
        await requireRight(db, params.id, actor.id, "members.manage");
        return ok(await listInvitations(db, params.id));
      },
      { params },
    )
    .post(
      "/:id/invitations",
      async ({ actor, request, params, body }) => {
        const email = body.email?.trim() || null;
        const siteAddress = requireServerAddress(settings);
        const monthlyBudget = body.monthly_budget ?? null;
        const invitation = { organizationId: params.id, role: body.role, email, monthlyBudget, siteAddress };
        return ok(await createInvitation(services, actor, { ...invitation, language: languageOf(request) }));
      },
      {
        ...{ critical: true, params },
        body: t.Object({
          role,
          email: t.Optional(t.String({ maxLength: 320 })),
          monthly_budget: t.Optional(t.Integer({ description: "Quota units that the member may spend in a month." })),
        }),
      },
    )
    .delete(
      "/:id/invitations/:invitation",
      async ({ actor, params }) => {
        await revokeInvitation(services, actor, { organizationId: params.id, id: params.invitation });
        return ok(null);
      },
      { params: t.Object({ id, invitation: id }) },
    )
    .post("/invitation/preview", async ({ actor, body }) => ok(await previewInvitation(services, actor, body.token)), {
      critical: true,
      body: tokenBody,
    })
    .post(
      "/invitation/accept",
      async ({ actor, body }) => ok({ id: await acceptInvitation(services, actor, body.token) }),
      { critical: true, body: tokenBody },
    );
}
