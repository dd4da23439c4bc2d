import { expect, test } from "bun:test";
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
} from "../../../../db/schema/accounts/organizations/organizations.ts";
import { ACCESS_RIGHTS, hasRight, mayAssign, type OrganizationRight, RIGHTS, rightsOf } from "./rights.ts";

const of = (role: OrganizationRole) => ({ role, withheld: [] });

test("owners have every right", () => {
  expect(rightsOf(of("owner")).sort()).toEqual((Object.keys(RIGHTS) as OrganizationRight[]).sort());
});

test.each([
  [
    "admin",
    [
      "alerts.manage",
      "audit.read",
      "budgets.manage",
      "exports.download",
      "keys.all",
      "keys.read",
      "keys.write",
      "members.manage",
      "organization.read",
      "organization.rename",
      "playground.use",
      "policies.manage",
      "projects.manage",
      "requests.read",
      "usage.read",
      "wallet.read",
    ],
  ],
  [
    "billing",
    [
      ...["alerts.manage", "audit.read", "budgets.manage", "exports.download", "keys.read", "organization.read"],
      ...["requests.read", "usage.read", "wallet.read", "wallet.topUp"],
    ],
  ],
  [
    "developer",
    [
      ...["exports.download", "keys.read", "keys.write", "organization.read", "playground.use"],
      ...["requests.read", "usage.read"],
    ],
  ],
  [
    "viewer",
    [
      ...["audit.read", "exports.download", "keys.read", "organization.read", "requests.read"],
      ...["usage.read", "wallet.read"],
    ],
  ],
] as const)("%s has these rights and no others", (role, rights) => {
  expect(rightsOf(of(role)).sort()).toEqual([...rights]);
});

test.each(ACCESS_RIGHTS)("%s can be withheld from each role, and nothing goes with it", (right) => {
  for (const role of ORGANIZATION_ROLES) {
    expect(rightsOf({ role, withheld: [right] })).toEqual(rightsOf(of(role)).filter((other) => other !== right));
  }
});

test("only owners take balance out, delete the organization and decide on owners", () => {
  for (const right of ["wallet.withdraw", "organization.delete", "owners.manage"] as const) {
    expect(ORGANIZATION_ROLES.filter((role) => hasRight(role, right))).toEqual(["owner"]);
  }
});

test("whoever sees all keys may write keys, and nobody else sees secrets", () => {
  for (const role of ORGANIZATION_ROLES) {
    if (hasRight(role, "keys.all")) expect(hasRight(role, "keys.write")).toBe(true);
  }
});

test("roles are granted by owners and admins, that of an owner by owners alone", () => {
  const assignable = (role: (typeof ORGANIZATION_ROLES)[number]) =>
    ORGANIZATION_ROLES.filter((assigned) => mayAssign(role, assigned));
  expect(assignable("owner")).toEqual([...ORGANIZATION_ROLES]);
  expect(assignable("admin")).toEqual(["admin", "billing", "developer", "viewer"]);
  for (const role of ["billing", "developer", "viewer"] as const) expect(assignable(role)).toEqual([]);
});
