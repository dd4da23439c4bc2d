import type { OrganizationRole } from "../../../../db/schema/accounts/organizations/organizations.ts";

const EVERYBODY: readonly OrganizationRole[] = ["owner", "admin", "billing", "developer", "viewer"];

/** Every right in an organization, and the roles that have it. A call names one right; what is not here, nobody may do. */
export const RIGHTS = {
  /** See the organization, its balance, members, models and groups. */
  "organization.read": EVERYBODY,
  "organization.rename": ["owner", "admin"],
  "organization.delete": ["owner"],
  /** Invite, remove and change members below owners. */
  "members.manage": ["owner", "admin"],
  /** Make owners, and change or remove them. */
  "owners.manage": ["owner"],
  /** Create, rename and delete projects. */
  "projects.manage": ["owner", "admin"],
  /** Set which models, providers, addresses and prices calls may have. */
  "policies.manage": ["owner", "admin"],
  /** Set what projects, members and keys may spend. */
  "budgets.manage": ["owner", "admin", "billing"],
  /** Choose which events are alerts, and where they go. */
  "alerts.manage": ["owner", "admin", "billing"],
  /** See sums and charts of use. */
  "usage.read": EVERYBODY,
  /** See requests, sessions and tasks one by one, with their contents where the site keeps them. */
  "requests.read": EVERYBODY,
  /** See who changed the organization, its members, budgets and wallet: more than developers see elsewhere. */
  "audit.read": ["owner", "admin", "billing", "viewer"],
  /** Download as a file what one may see. */
  "exports.download": EVERYBODY,
  /** See keys; secrets only with `keys.write`. */
  "keys.read": EVERYBODY,
  /** Create keys, and manage those that the member created. */
  "keys.write": ["owner", "admin", "developer"],
  /** See and manage the keys of all members. */
  "keys.all": ["owner", "admin"],
  /** See orders and payment methods. */
  "wallet.read": ["owner", "admin", "billing", "viewer"],
  /** Top up, redeem codes, and move one's own balance to the organization. */
  "wallet.topUp": ["owner", "billing"],
  /** Move balance to one's own wallet. */
  "wallet.withdraw": ["owner"],
  /** Call models in the playground, at the organization's cost. */
  "playground.use": ["owner", "admin", "developer"],
} as const satisfies Readonly<Record<string, readonly OrganizationRole[]>>;

export type OrganizationRight = keyof typeof RIGHTS;

/** Whether members with `role` have `right`. */
export function hasRight(role: OrganizationRole, right: OrganizationRight): boolean {
  const roles: readonly OrganizationRole[] = RIGHTS[right];
  return roles.includes(role);
}

/** Rights that can be withheld from a member whose role has them. */
export const ACCESS_RIGHTS = [
  "usage.read",
  "requests.read",
  "audit.read",
  "exports.download",
] as const satisfies OrganizationRight[];
export type AccessRight = (typeof ACCESS_RIGHTS)[number];

/** A member's role, and what is withheld from them of its rights. */
export type Member = Readonly<{ role: OrganizationRole; withheld: readonly string[] }>;

/** Whether a member has `right`. */
export const mayMember = ({ role, withheld }: Member, right: OrganizationRight): boolean =>
  hasRight(role, right) && !withheld.includes(right);

/** All rights of a member, in the order of the table. */
export const rightsOf = (member: Member): OrganizationRight[] =>
  Object.keys(RIGHTS).filter((right): right is OrganizationRight => mayMember(member, right as OrganizationRight));

/** Whether members with `role` may give others the role `assigned`, or take it from them. */
export const mayAssign = (role: OrganizationRole, assigned: OrganizationRole): boolean =>
  hasRight(role, assigned === "owner" ? "owners.manage" : "members.manage");
