import type { OrganizationRole } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { isRoleRight, type Right } from "../../access/access-rules.ts";
import { USER_STATUS } from "../../access/roles.ts";
import { type AuthenticationServices, type Caller, sessionCaller } from "../../authenticate.ts";
import type { UserEntry } from "../../directory.ts";
import { findMember } from "../membership.ts";
import { hasRight, type Member, mayMember, type OrganizationRight } from "../rights.ts";

/** For whom a call is made: the account whose keys, log and balance it is about, and the person who makes it. */
export type Acting = Readonly<{
  /** The person's own account, or that of the organization they act for. */
  actor: UserEntry;
  person: UserEntry;
  /** The person's role in the organization; null: they act for themselves. */
  role: OrganizationRole | null;
  /** Whether they may do this for the account; people may do everything for themselves. */
  may: (right: OrganizationRight) => boolean;
  /** Throws OperationError unless they may. */
  requireRight: (right: OrganizationRight) => void;
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
 * Resolves the account that a caller acts for: their own, or the organization that the call names, in which they must have all
 * of `needed`; a service account with rights to organizations acts as a viewer or admin of each. Reads the membership from
 * the database each time, so that whoever is removed is out at once. Throws OperationError: 403 for whoever is no member,
 * whether or not the organization exists, and without a right.
 */
export async function actFor(
  { db, users, settings }: ActingServices,
  { actor: person, organizationId, rights }: Pick<Caller, "actor" | "organizationId" | "rights">,
  needed: OrganizationRight | readonly OrganizationRight[],
): Promise<Acting> {
  if (organizationId === null) {
    if (rights) throw new OperationError("service_account_not_here", {}, { status: 403 });
    return { actor: person, person, role: null, may: () => true, requireRight() {} };
  }
  if (settings.get("Organizations") === "off") throw new OperationError("organizations_off", {}, { status: 400 });
  const member = rights ? serviceMember(rights) : await findMember(db, organizationId, person.id);
  const actor = member && (users.get(organizationId) ?? (await users.reread(organizationId)));
  if (!member || actor?.kind !== "organization" || actor.deleted)
    throw new OperationError("organization_not_member", {}, { status: 403 });
  if (actor.status === USER_STATUS.banned) throw new OperationError("organization_banned", {}, { status: 403 });
  const may = (right: OrganizationRight) => (rights ? serviceMay(rights, right) : mayMember(member, right));
  const requireRight = (right: OrganizationRight) => {
    if (!may(right)) throw (rights && missingScope(rights, right)) ?? missingRight();
  };
  for (const right of [needed].flat()) requireRight(right);
  return { actor, person, role: member.role, may, requireRight };
}

/** Rights of members for which a service account needs a right of its own. */
const SCOPES: Readonly<Partial<Record<OrganizationRight, Right>>> = {
  "usage.read": "organization_usage:read",
  "requests.read": "organization_requests:read",
  "audit.read": "organization_audit:read",
  "exports.download": "organization_exports:read",
};

/** What a service account is in every organization. Throws OperationError without a right to organizations. */
function serviceMember(rights: ReadonlySet<Right>): Member {
  if ([...rights].every(isRoleRight)) throw missingRight("organizations:read");
  return { role: rights.has("organizations:write") ? "admin" : "viewer", withheld: [] };
}

function serviceMay(rights: ReadonlySet<Right>, right: OrganizationRight): boolean {
  const scope = SCOPES[right];
  if (scope) return rights.has(scope);
  if (rights.has("organizations:write")) return hasRight("admin", right);
  return rights.has("organizations:read") && hasRight("viewer", right);
}

/** Null: a right that no service account has. */
function missingScope(rights: ReadonlySet<Right>, right: OrganizationRight): OperationError | null {
  const scope = SCOPES[right] ?? (hasRight("viewer", right) ? "organizations:read" : "organizations:write");
  return rights.has(scope) ? null : missingRight(scope);
}

const missingRight = (right?: Right): OperationError =>
  right
    ? new OperationError("right_missing", { right }, { status: 403 })
    : new OperationError("organization_right_missing", {}, { status: 403 });
