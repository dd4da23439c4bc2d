import { expect, test } from "bun:test";
import { join } from "node:path";

/**
 * Operations that publish changed rows without waiting for the other processes, with what they change. Whatever lowers a
 * limit or takes something away uses `enforce` instead: it holds everywhere once that is answered.
 */
const NOT_ENFORCED: Readonly<Record<string, string>> = {
  "accounts/identity-providers/sign-in-by-sso.ts": "a sign-in, which must not wait for others",
  "accounts/identity-providers/sync-memberships.ts": "a sign-in, which must not wait for others",
  "accounts/organizations/budgets/renew-organization-budgets.ts": "a budget is full again",
  "accounts/organizations/change-organization.ts": "a name; the end is enforced",
  "accounts/organizations/create-organization.ts": "an account more",
  "accounts/profile/bind-email.ts": "an address",
  "accounts/profile/update-profile.ts": "a name",
  "accounts/registration/register.ts": "an account more",
  "accounts/registration/setup.ts": "the first account",
  "accounts/security/change-password.ts": "sessions are looked up in the database's version of the user",
  "accounts/security/reset-by-email.ts": "a password",
  "accounts/sign-in/identities/bind-identity.ts": "a way to sign in",
  "accounts/sign-in/identities/sign-in-by-identity.ts": "an account more",
  "accounts/sign-in/identities/sign-in-by-ldap.ts": "a sign-in, which must not wait for others",
  "accounts/sign-in/sessions.ts": "sessions",
  "accounts/users/add-user.ts": "an account more",
  "accounts/users/service-accounts.ts": "an account more; its end is enforced",
  "api-keys/budget.ts": "a budget is full again",
  "api-keys/create-api-key.ts": "a key more",
  "api-keys/directory/index.ts": "a key that has ended by itself",
  "notifications/wxpusher.ts": "where notices go",
  "system/configuration/kinds/users.ts": "an account more; changes and the end are enforced",
  "system/diagnostics/journal-actions.ts": "charges of the past",
  "tasks/polling/apply-report.ts": "a refund",
  "wallet/balances.ts": "a credit",
  "wallet/check-ins.ts": "a credit",
  "wallet/codes/redeem-code.ts": "a credit",
  "wallet/orders/settle-order.ts": "a credit",
};

const LIMITING = /changes\.publish\(\s*"(?:users|tokens|budgets|subscriptions|policies)"/;

test("every operation on accounts, keys, budgets and plans is enforced, or listed with what it changes", async () => {
  const publishing: string[] = [];
  for await (const file of new Bun.Glob("**/*.ts").scan(import.meta.dir)) {
    if (file.endsWith(".test.ts")) continue;
    if (LIMITING.test(await Bun.file(join(import.meta.dir, file)).text())) publishing.push(file);
  }
  expect(publishing.filter((file) => !Object.hasOwn(NOT_ENFORCED, file))).toEqual([]);
  expect(Object.keys(NOT_ENFORCED).filter((file) => !publishing.includes(file))).toEqual([]);
  expect(publishing.length).toBeGreaterThan(10);
});
