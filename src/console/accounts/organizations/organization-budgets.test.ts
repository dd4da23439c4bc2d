import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { budgets } from "../../../../db/schema/accounts/organizations/budgets.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { startTestOrganization, type TestOrganization } from "../../../../test/support/console/organizations.ts";
import { renewOrganizationBudgets } from "../../../domain/accounts/organizations/budgets/renew-organization-budgets.ts";
import { findUsedOrganizationBudgets } from "../../../domain/alerts/conditions/budget-conditions.ts";
import { createApiKey } from "../../../domain/api-keys/create-api-key.ts";
import { updateToken } from "../../../domain/api-keys/update-api-key.ts";
import { createVault } from "../../../lib/security/crypto.ts";

const vault = createVault({ encryptionKey: "a key of tests" });
let app: TestOrganization;
let id: number;
beforeAll(async () => {
  app = await startTestOrganization();
  id = app.id;
});
afterAll(() => app.close());

const budgetOf = async (budget: number) => {
  const [row] = await app.database.db.select().from(budgets).where(eq(budgets.id, budget));
  return row as NonNullable<typeof row>;
};
const newBudget = { scope: "organization", scope_id: 0, period: "day", limit: 1000, is_hard: true };

describe("projects", () => {
  test("group keys of the organization, whose budgets go with them", async () => {
    const project = await app.createdId("alice", "POST", "projects", { name: " Website " });
    expect(await app.codeOf("alice", "POST", "projects", { name: "website" })).toBe("project_exists");
    expect(await app.codeOf("alice", "POST", "projects", { name: " " })).toBe("project_name_invalid");
    const deps = { db: app.db, changes: app.changes, settings: app.settings, vault };
    const owner = {
      id,
      group: "default",
      member: { id: app.who("alice").id, username: "alice", ownOnly: false, seesSecrets: true, readsRequests: true },
    };
    const { id: key } = await createApiKey(deps, owner, { name: "ci", unlimited_quota: true });
    const set = (projectId: number) => updateToken(deps, owner, key, { project_id: projectId });
    expect(await set(project)).toMatchObject({ project_id: project });
    const other = await app.create("carol", "other");
    const foreign = (await app.as("carol", "POST", `/api/organization/${other}/projects`, { name: "x" })).body.data as {
      id: number;
    };
    expect(set(foreign.id)).rejects.toMatchObject({ code: "project_not_found" });
    expect((await app.call("bob", "GET", "projects")).body.data).toMatchObject([
      { id: project, name: "Website", keys: 1 },
    ]);

    const budget = await app.createdId("alice", "POST", "budgets", {
      ...newBudget,
      scope: "project",
      scope_id: project,
    });
    await app.call("alice", "PUT", `projects/${project}`, { name: "Shop" });
    expect((await app.call("bob", "GET", "budgets")).body.data).toMatchObject([{ id: budget, name: "Shop" }]);
    expect((await app.call("alice", "DELETE", `projects/${project}`)).body.success).toBe(true);
    expect((await budgetOf(budget)).deletedAt).not.toBeNull();
    const [row] = await app.database.db.select().from(tokens).where(eq(tokens.id, key));
    expect(row?.projectId).toBeNull();
  });
});

describe("budgets", () => {
  test("are set once for each target and period, in whole units above 0, for what is the organization's", async () => {
    const made = await app.createdId("alice", "POST", "budgets", newBudget);
    expect(await app.codeOf("alice", "POST", "budgets", newBudget)).toBe("budget_exists");
    for (const limit of [0, -1, 0.5, 1e16]) {
      expect(await app.codeOf("alice", "POST", "budgets", { ...newBudget, period: "week", limit })).toBe(
        "budget_limit_invalid",
      );
    }
    for (const target of [
      { scope: "organization", scope_id: 1 },
      { scope: "project", scope_id: 999_999 },
      { scope: "member", scope_id: app.who("carol").id },
      { scope: "key", scope_id: 999_999 },
    ]) {
      expect(await app.codeOf("alice", "POST", "budgets", { ...newBudget, ...target })).toBe("budget_target_unknown");
    }
    expect((await app.call("alice", "DELETE", `budgets/${made}`)).body.success).toBe(true);
    expect(await app.codeOf("alice", "DELETE", `budgets/${made}`)).toBe("budget_not_found");
    // What is deleted is out of the way.
    await app.call("alice", "DELETE", `budgets/${await app.createdId("alice", "POST", "budgets", newBudget)}`);
  });

  test("are managed by owners, admins and billing; others see them, others don't", async () => {
    const budget = await app.createdId("alice", "POST", "budgets", newBudget);
    expect((await app.call("bob", "GET", "budgets")).body.data).toMatchObject([{ id: budget, spent: 0, limit: 1000 }]);
    for (const [method, path, body] of [
      ["POST", "budgets", newBudget],
      ["PUT", `budgets/${budget}`, { limit: 5, is_hard: false }],
      ["DELETE", `budgets/${budget}`, undefined],
      ["POST", "projects", { name: "x" }],
    ] as const) {
      expect(await app.codeOf("bob", method, path, body)).toBe("organization_right_missing");
      expect(await app.codeOf("carol", method, path, body)).toBe("organization_not_found");
    }
    await app.call("alice", "DELETE", `budgets/${budget}`);
  });

  test("keep what was spent when their limit changes", async () => {
    const budget = await app.createdId("alice", "POST", "budgets", newBudget);
    await app.database.db.update(budgets).set({ spent: 400, remaining: 600 }).where(eq(budgets.id, budget));
    for (const [limit, remaining] of [
      [500, 100],
      [300, 0],
      [2000, 1600],
    ] as const) {
      await app.call("alice", "PUT", `budgets/${budget}`, { limit, is_hard: true });
      expect(await budgetOf(budget)).toMatchObject({ limit, remaining, spent: 400 });
    }
    await app.call("alice", "DELETE", `budgets/${budget}`);
  });

  test("begin each period once, whoever asks first", async () => {
    const budget = await app.createdId("alice", "POST", "budgets", newBudget);
    const { renewsAt } = await budgetOf(budget);
    await app.database.db
      .update(budgets)
      .set({ spent: 900, remaining: 100, spentAhead: 30 })
      .where(eq(budgets.id, budget));
    const { db } = app.database;
    const deps = { db, changes: app.database.changes, settings: app.settings };
    expect(await renewOrganizationBudgets(deps, undefined, renewsAt - 1)).toBe(0);
    const counts = await Promise.all(
      Array.from({ length: 10 }, () => renewOrganizationBudgets(deps, [budget], renewsAt)),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await budgetOf(budget)).toMatchObject({
      ...{ spent: 30, spentAhead: 0, remaining: 970 },
      ...{ periodStart: renewsAt, renewsAt: renewsAt + 86_400 },
    });
    await app.call("alice", "DELETE", `budgets/${budget}`);
  });

  test("warn those who manage them at each level, and again in each period", async () => {
    const budget = await app.createdId("alice", "POST", "budgets", newBudget);
    const found = async (name: string, spent: number) => {
      await app.database.db.update(budgets).set({ spent }).where(eq(budgets.id, budget));
      const query = { owner: app.who(name).id, organization: null, threshold: 50, windowMinutes: 0, now: 0, since: 0 };
      const conditions = await findUsedOrganizationBudgets({ db: app.database.db, settings: app.settings }, query);
      for (const { notice } of conditions) {
        expect(notice.path).toBe(`/organization?organization=${app.id}&section=budgets`);
      }
      return conditions.map(({ subject, isQuiet }) => [subject.split("/").at(-1), isQuiet]);
    };
    expect(await found("alice", 499)).toEqual([]);
    expect(await found("alice", 800)).toEqual([
      ["50", true],
      ["80", false],
    ]);
    expect(await found("alice", 1000)).toEqual([
      ["50", true],
      ["80", true],
      ["95", true],
      ["100", false],
    ]);
    expect(await found("bob", 1000)).toEqual([]);
    await app.call("alice", "DELETE", `budgets/${budget}`);
  });
});
