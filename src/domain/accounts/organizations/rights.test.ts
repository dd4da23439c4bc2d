import { expect, test } from "bun:test";
import { ORGANIZATION_ROLES } from "../../../../db/schema/accounts/organizations.ts";
import { hasRight, mayAssign, type OrganizationRight, RIGHTS, rightsOf } from "./rights.ts";

test("owners have every right", () => {
  expect(rightsOf("owner").sort()).toEqual((Object.keys(RIGHTS) as OrganizationRight[]).sort());
});

test.each([
  [
    "admin",
    [
      "alerts.manage",
      "budgets.manage",
      "keys.all",
      "keys.read",
      "keys.write",
      "logs.read",
      "members.manage",
      "organization.read",
      "organization.rename",
      "playground.use",
      "policies.manage",
      "projects.manage",
      "wallet.read",
    ],
  ],
  [
    "billing",
    ["alerts.manage", "budgets.manage", "keys.read", "logs.read", "organization.read", "wallet.read", "wallet.topUp"],
  ],
  ["developer", ["keys.read", "keys.write", "logs.read", "organization.read", "playground.use"]],
  ["viewer", ["keys.read", "logs.read", "organization.read", "wallet.read"]],
] as const)("%s has these rights and no others", (role, rights) => {
  expect(rightsOf(role).sort()).toEqual([...rights]);
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
