import { and, eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { type BudgetScope, budgets } from "../../../../db/schema/accounts/organizations/budgets.ts";
import {
  organizationMembers,
  projects as projectTable,
} from "../../../../db/schema/accounts/organizations/organizations.ts";
import { type PolicyRules, policies } from "../../../../db/schema/accounts/organizations/policies.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { periodEnd } from "../../../lib/values/calendar-period.ts";
import { findImported, type IdMap, inStatements, type Migration, rememberImported } from "../migration.ts";
import type { Member, Team } from "./accounts.ts";
import { type Budget, restOf } from "./limits.ts";
import type { Project } from "./translate.ts";

const POLICY = "Models of LiteLLM";

/**
 * Gives organizations that came over their members, projects, budgets and allowed models; what is here already stays, and what
 * an earlier import brought is not added again. Returns the ids of projects (0 in a dry run for those to come).
 */
export async function importTeams(
  migration: Migration,
  teams: readonly Team[],
  projects: readonly Project[],
  userIds: IdMap,
): Promise<IdMap> {
  for (const team of teams) await addMembers(migration, team, userIds);
  const projectIds = await addProjects(migration, projects, userIds);
  for (const team of teams) {
    const organizationId = userIds.get(team.id) ?? 0;
    if (team.budget) await addBudget(migration, organizationId, "organization", 0, team.budget);
    for (const { userId, budget } of team.members) {
      if (budget) await addBudget(migration, organizationId, "member", userIds.get(userId) ?? 0, budget);
    }
    await addPolicy(migration, organizationId, null, team.models);
  }
  for (const { id, team, budget, models } of projects) {
    const projectId = projectIds.get(id);
    if (projectId !== undefined) await addPolicy(migration, userIds.get(team) ?? 0, projectId, models);
    if (budget && projectIds.has(id)) {
      await addBudget(migration, userIds.get(team) ?? 0, "project", projectIds.get(id) ?? 0, budget);
    }
  }
  return projectIds;
}

async function addMembers({ database, report, isDry }: Migration, team: Team, userIds: IdMap): Promise<void> {
  const section = report.section("members");
  const organizationId = userIds.get(team.id) ?? 0;
  const present = new Set(
    (await database.sql`select user_id from organization_members where organization_id = ${organizationId}`).map(
      ({ user_id }) => Number(user_id),
    ),
  );
  const owner = team.members.find(({ isAdmin }) => isAdmin);
  if (!owner) report.remark("members", "an organization without an owner: its team had no admin");
  const roleOf = (member: Member) => (member === owner ? "owner" : member.isAdmin ? "admin" : "developer");
  const members = [...new Map(team.members.map((member) => [userIds.get(member.userId) ?? 0, member]))];
  const keyOf = (userId: number) => `${organizationId}/${userId}`;
  const before = await findImported(
    database.db,
    "member",
    members.map(([userId]) => keyOf(userId)),
  );
  const fresh = members.filter(([userId]) => !present.has(userId) && !before.has(keyOf(userId)));
  section.added += fresh.length;
  section.present += team.members.length - fresh.length;
  if (isDry) return;
  const joinedAt = nowSeconds();
  const values = fresh.map(([userId, member]) => ({ organizationId, userId, role: roleOf(member), joinedAt }) as const);
  await database.db.transaction(async (tx) => {
    await inStatements(values, (part) => tx.insert(organizationMembers).values(part));
    await rememberImported(
      tx,
      "member",
      members.map(([userId]) => ({ key: keyOf(userId) })),
    );
  });
}

async function addProjects(migration: Migration, projects: readonly Project[], userIds: IdMap): Promise<IdMap> {
  const { database, report, isDry } = migration;
  const section = report.section("projects");
  const ids = new Map<number, number>();
  const before = await findImported(
    database.db,
    "project",
    projects.map(({ sourceId }) => sourceId),
  );
  for (const { id, sourceId, team, name, createdAt } of projects) {
    section.read += 1;
    const organizationId = userIds.get(team);
    if (organizationId === undefined) {
      report.skip("projects", "without a team");
      continue;
    }
    const targetId = before.get(sourceId);
    const isSame = targetId === undefined ? sql`lower(name) = lower(${name})` : eq(projectTable.id, targetId);
    const [known] = await database.db
      .select({ id: projectTable.id })
      .from(projectTable)
      .where(and(eq(projectTable.organizationId, organizationId), isSame));
    section[known || targetId !== undefined ? "present" : "added"] += 1;
    if (!known && targetId !== undefined) {
      report.remark("projects", "removed here, stays so");
      continue;
    }
    if (isDry) {
      ids.set(id, known?.id ?? 0);
      continue;
    }
    const values = { organizationId, name, createdAt: createdAt || nowSeconds() };
    const saved = await database.db.transaction(async (tx) => {
      const row = known ?? requireRow(await tx.insert(projectTable).values(values).returning({ id: projectTable.id }));
      await rememberImported(tx, "project", [{ key: sourceId, targetId: row.id }]);
      return row;
    });
    ids.set(id, saved.id);
  }
  return ids;
}

async function addBudget(
  { database, report, isDry }: Migration,
  organizationId: number,
  scope: BudgetScope,
  scopeId: number,
  budget: Budget,
): Promise<void> {
  const section = report.section("budgets");
  const { limit, spent, period, resetAt, oddInterval } = budget;
  section.read += 1;
  if (limit === 0) return report.skip("budgets", "of nothing");
  if (oddInterval) report.remark("budgets", `renewed every ${oddInterval} at the source, here never`);
  const [known] = await database.sql`
    select remaining::bigint as remaining from budgets where organization_id = ${organizationId} and scope = ${scope}
      and scope_id = ${scopeId} and period = ${period} and deleted_at is null`;
  const key = [organizationId, scope, scopeId, period].join("/");
  const wasBrought = (await findImported(database.db, "budget", [key])).has(key);
  section[known || wasBrought ? "present" : "added"] += 1;
  if (!known && wasBrought) return report.remark("budgets", "removed here, stays so");
  section.before += restOf(budget);
  section.after += isDry ? 0 : known ? Number(known.remaining) : restOf(budget);
  if (isDry) return;
  const now = nowSeconds();
  const next = resetAt > now ? sql`${resetAt}` : periodEnd(sql`${period}::text`, "UTC", now);
  await database.db.transaction(async (tx) => {
    await rememberImported(tx, "budget", [{ key }]);
    if (known) return;
    await tx.insert(budgets).values({
      ...{ organizationId, scope, scopeId, period, isHard: true, limit, remaining: restOf(budget) },
      // What was spent at the source has no log row here: the books count it as cleared.
      ...{ spent, cleared: spent, periodStart: now, createdAt: now, renewsAt: period === "total" ? 0 : next },
    });
  });
}

async function addPolicy(
  { database, isDry }: Migration,
  organizationId: number,
  projectId: number | null,
  models: readonly string[],
): Promise<void> {
  const key = projectId === null ? String(organizationId) : `${organizationId}/${projectId}`;
  if (models.length === 0 || isDry || (await findImported(database.db, "policy", [key])).has(key)) return;
  const rules: PolicyRules = {
    ...{ models, channel_types: [], allow_ips: "", blocked_words: "" },
    ...{ no_content_log: false, max_key_days: 0, max_call_quota: 0 },
  };
  const values = { organizationId, projectId, name: POLICY, rules, createdAt: nowSeconds() };
  await database.db.transaction(async (tx) => {
    await tx.insert(policies).values(values).onConflictDoNothing();
    await rememberImported(tx, "policy", [{ key }]);
  });
}
