import { expect, test } from "bun:test";
import { userEntry } from "../../../test/support/gateway/entries.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { Policy } from "../../domain/accounts/organizations/policies/policy.ts";
import { type SessionCallerContext, sessionCaller } from "./session-caller.ts";

type Lookups = Pick<SessionCallerContext["services"], "budgets" | "policies">;

const user = userEntry({ id: 7, group: "default" });
const callerWith = (lookups: Lookups, ip = "10.0.0.1") =>
  sessionCaller(
    {
      services: {
        users: { get: () => undefined, isComplete: () => true },
        ...lookups,
      } as SessionCallerContext["services"],
    },
    {
      ...{ user, person: { id: 9 }, group: "vip", ip },
    },
  );

test("a call without a key is the account's, in the group that it chose", () => {
  expect(callerWith({})).toEqual({
    ...{ user, token: null, tokenName: "playground-vip", group: "vip", pinnedChannelId: null },
    ...{ policies: undefined, owners: undefined },
  });
});

test("budgets and policies are looked up for the account and the person, with no key and project", () => {
  const payers: object[] = [];
  const of = (payer: object): BudgetEntry[] => {
    payers.push(payer);
    return [];
  };
  const budgets = { accounts: () => [], of };
  const policies = { of: (payer: object) => void payers.push(payer) };
  const caller = callerWith({ budgets, policies } as unknown as Lookups);
  const payer = { id: 0, userId: 7, projectId: 0, createdBy: 9 };
  expect(payers).toEqual([payer, payer]);
  expect(caller.budgets).toEqual([]);
});

test("an address that a policy does not allow is refused", () => {
  const only = { name: "office", allowIps: { matches: (ip: string) => ip === "10.0.0.1" } } as unknown as Policy;
  const policies = { of: () => [only] };
  expect(callerWith({ policies }).policies).toEqual([only]);
  expect(() => callerWith({ policies }, "10.0.0.2")).toThrow("office");
});
