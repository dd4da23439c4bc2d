import type { OrganizationRole } from "../../../../../db/schema/accounts/organizations.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { Right } from "../../access/access-rules.ts";
import { type AuthenticationServices, type Caller, sessionCaller } from "../../authenticate.ts";
import type { UserEntry } from "../../directory.ts";
import { USER_STATUS } from "../../roles.ts";
import { findRole } from "../membership.ts";
import { hasRight, type OrganizationRight } from "../rights.ts";

/** For whom a call is made: the account whose keys, log and balance it is about, and the person who makes it. */
export type Acting = Readonly<{
  /** The person's own account, or that of the organization they act for. */
  actor: UserEntry;
  person: UserEntry;
  /** The person's role in the organization; null: they act for themselves. */
  role: OrganizationRole | null;
}>;

export type ActingServices = Pick<AuthenticationServices, "db" | "users"> & Readonly<{ settings: SettingsReader }>;

type SessionServices = ActingServices & Pick<AuthenticationServices, "sessions">;

/** For whom a signed-in session acts; null without a session. Throws OperationError as `actFor` does. */
export async function sessionActing(
  services: SessionServices,
  request: Request,
  right: OrganizationRight,
): Promise<Acting | null> {
  const caller = await sessionCaller(services, request);
  return caller && actFor(services, caller, right);
}

/** The account that a signed-in session acts for; null without a session. Throws OperationError as `actFor` does. */
export const sessionAccount = async (
  services: SessionServices,
  request: Request,
  right: OrganizationRight,
): Promise<UserEntry | null> => (await sessionActing(services, request, right))?.actor ?? null;

/**
 * Resolves the account that a caller acts for: their own, or the organization that the call names, in which their role must
 * have `right`; a service account with rights to organizations is a viewer or admin of each. Reads the membership from the database each time, so that whoever is removed is out at once. Throws
 * OperationError: 403 for whoever is no member, whether or not the organization exists, and without the right.
 */
export async function actFor(
  { db, users, settings }: ActingServices,
  { actor: person, organizationId, rights }: Pick<Caller, "actor" | "organizationId" | "rights">,
  right: OrganizationRight,
): Promise<Acting> {
  if (organizationId === null) {
    if (rights) throw new OperationError("service_account_not_here", {}, { status: 403 });
    return { actor: person, person, role: null };
  }
  if (settings.get("Organizations") === "off") throw new OperationError("organizations_off", {}, { status: 400 });
  const role = rights ? serviceRole(rights) : await findRole(db, organizationId, person.id);
  const actor = role && (users.get(organizationId) ?? (await users.reread(organizationId)));
  if (!role || actor?.kind !== "organization" || actor.deleted)
    throw new OperationError("organization_not_member", {}, { status: 403 });
  if (actor.status === USER_STATUS.banned) throw new OperationError("organization_banned", {}, { status: 403 });
  if (!hasRight(role, right)) throw new OperationError("organization_right_missing", {}, { status: 403 });
  return { actor, person, role };
}

/** What a service account is in every organization. Throws OperationError without a right to organizations. */
function serviceRole(rights: ReadonlySet<Right>): OrganizationRole {
  if (rights.has("organizations:write")) return "admin";
  if (rights.has("organizations:read")) return "viewer";
  throw new OperationError("right_missing", { right: "organizations:read" }, { status: 403 });
}
