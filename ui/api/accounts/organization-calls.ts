import { queryOptions } from "@tanstack/react-query";
import type { OrganizationRole } from "../../../db/schema/accounts/organizations/organizations.ts";
import type { MemberView, OrganizationView } from "../../../src/domain/accounts/organizations/list-organizations.ts";
import type { AccessRight } from "../../../src/domain/accounts/organizations/rights.ts";
import { readData } from "../client.ts";
import { organizationApi } from "../groups.ts";

export type Organization = OrganizationView;
export type Member = MemberView;
export type Role = OrganizationRole;

export const ROLES: readonly Role[] = ["owner", "admin", "billing", "developer", "viewer"];
/** Owners are made of members, not invited. */
export const INVITED_ROLES: readonly Role[] = ["admin", "billing", "developer", "viewer"];

/** The organizations that the user belongs to, loaded again together with the user's own balance. */
export const organizations = queryOptions({
  queryKey: ["self", "organizations"],
  queryFn: ({ signal }) => readData(organizationApi.get({ fetch: { signal } })),
});

export const members = (id: number) =>
  queryOptions({
    queryKey: ["organization", id, "members"],
    queryFn: ({ signal }) => readData(organizationApi({ id }).members.get({ fetch: { signal } })),
  });

export const invitations = (id: number) =>
  queryOptions({
    queryKey: ["organization", id, "invitations"],
    queryFn: ({ signal }) => readData(organizationApi({ id }).invitations.get({ fetch: { signal } })),
  });

/** What an invitation's link opens. */
export const invitationPreview = (token: string) =>
  queryOptions({
    queryKey: ["organization", "preview", token],
    queryFn: ({ signal }) => readData(organizationApi.invitation.preview.post({ token }, { fetch: { signal } })),
    retry: false,
  });

/** Creates an organization and returns its id. */
export const createOrganization = async (username: string, displayName: string): Promise<number> =>
  (await readData(organizationApi.post({ username, display_name: displayName }))).id;

export const renameOrganization = (id: number, displayName: string) =>
  readData(organizationApi({ id }).put({ display_name: displayName }));

export const deleteOrganization = (id: number) => readData(organizationApi({ id }).delete());

export const changeRole = (id: number, user: number, role: Role) =>
  readData(organizationApi({ id }).members({ user }).put({ role }));

/** Withholds rights of their role from a member: exactly these. */
export const changeAccess = (id: number, user: number, withheld: AccessRight[]) =>
  readData(organizationApi({ id }).members({ user }).access.put({ withheld }));

export const removeMember = (id: number, user: number) => readData(organizationApi({ id }).members({ user }).delete());

type Invited = Readonly<{
  role: Role;
  email: string /** Quota units a month; null: no limit. */;
  budget: number | null;
}>;

/** Returns the link to pass on; null if it was mailed. */
export const invite = async (id: number, { role, email, budget }: Invited): Promise<string | null> => {
  const body = { role, ...(email && { email }), ...(budget !== null && { monthly_budget: budget }) };
  return (await readData(organizationApi({ id }).invitations.post(body))).link;
};

export const revokeInvitation = (id: number, invitation: number) =>
  readData(organizationApi({ id }).invitations({ invitation }).delete());

/** Joins, and returns the id of the organization. */
export const acceptInvitation = async (token: string): Promise<number> =>
  (await readData(organizationApi.invitation.accept.post({ token }))).id;

/** Moves quota units to the organization's wallet, or from it to the user's own. */
export const transferQuota = (id: number, direction: "in" | "out", quota: number) =>
  readData(organizationApi({ id }).transfer.post({ direction, quota }));
