import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import { budgets } from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { lockForChange, requireOrganizations } from "../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../operation.ts";

/** A project as members see it. */
export type ProjectView = Readonly<{
  id: number;
  name: string;
  /** API keys in it. */
  keys: number;
  /** What calls of these keys were charged so far, in quota units. */
  used_quota: number;
  /** Epoch seconds. */
  created_time: number;
}>;

type ProjectPlace = Readonly<{ organizationId: number; id: number }>;

/** Projects of one organization. */
const MOST_PROJECTS = 500;
const MOST_CHARACTERS = 60;

/** The projects of an organization, by name. The caller has checked the right to see them. */
export function listProjects(db: Db, organizationId: number): Promise<ProjectView[]> {
  return db
    .select({
      id: projects.id,
      name: projects.name,
      keys: count(tokens.id),
      used_quota: sql<number>`coalesce(sum(${tokens.usedQuota}), 0)::float8`,
      created_time: projects.createdAt,
    })
    .from(projects)
    .leftJoin(tokens, and(eq(tokens.projectId, projects.id), isNull(tokens.deletedAt)))
    .where(eq(projects.organizationId, organizationId))
    .groupBy(projects.id)
    .orderBy(asc(sql`lower(${projects.name})`));
}

/** Creates a project; returns its id. Throws OperationError. */
export async function createProject(
  { db, settings }: OrganizationDeps,
  person: Person,
  organizationId: number,
  input: string,
): Promise<number> {
  requireOrganizations(settings);
  const name = readName(input);
  return db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "projects.manage");
    const { existing } = requireRow(
      await tx.select({ existing: count() }).from(projects).where(eq(projects.organizationId, organizationId)),
    );
    if (existing >= MOST_PROJECTS) throw new OperationError("project_too_many", { max: MOST_PROJECTS });
    const [row] = await tx
      .insert(projects)
      .values({ organizationId, name, createdAt: nowSeconds() })
      .onConflictDoNothing()
      .returning({ id: projects.id });
    if (!row) throw new OperationError("project_exists", { name });
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} created the project ${name}`,
      note: { code: "organization_project_created", params: { by: person.username, name } },
      action: "create",
      projectId: row.id,
      after: { project_id: row.id, name },
    });
    return row.id;
  });
}

/** Renames a project. Throws OperationError. */
export async function renameProject(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: ProjectPlace,
  input: string,
): Promise<void> {
  requireOrganizations(settings);
  const name = readName(input);
  const budgetIds = await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "projects.manage");
    const before = await requireProject(tx, organizationId, id);
    const isSame = and(eq(projects.organizationId, organizationId), sql`lower(${projects.name}) = lower(${name})`);
    const [other] = await tx.select({ id: projects.id }).from(projects).where(isSame);
    if (other && other.id !== id) throw new OperationError("project_exists", { name });
    await tx.update(projects).set({ name }).where(eq(projects.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} renamed the project ${before} to ${name}`,
      note: { code: "organization_project_renamed", params: { by: person.username, before, name } },
      action: "update",
      projectId: id,
      before: { name: before },
      after: { name },
    });
    return tx.select({ id: budgets.id }).from(budgets).where(isBudgetOf(id));
  });
  await publishBudgets(changes, budgetIds);
}

/** Deletes a project with its budgets; its keys go on without a project. Throws OperationError. */
export async function deleteProject(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: ProjectPlace,
): Promise<void> {
  requireOrganizations(settings);
  const { budgetIds, keyIds } = await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "projects.manage");
    const name = await requireProject(tx, organizationId, id);
    // In the order of their ids, as charges lock them.
    const inProject = eq(tokens.projectId, id);
    const keys = await tx.select({ id: tokens.id }).from(tokens).where(inProject).orderBy(tokens.id).for("update");
    await tx.update(tokens).set({ projectId: null }).where(inProject);
    const ended = await tx
      .update(budgets)
      .set({ deletedAt: nowSeconds(), renewsAt: 0 })
      .where(isBudgetOf(id))
      .returning({ id: budgets.id });
    await tx.delete(projects).where(eq(projects.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} deleted the project ${name}`,
      note: { code: "organization_project_deleted", params: { by: person.username, name } },
      action: "delete",
      projectId: id,
      before: { project_id: id, name, keys: keys.length },
    });
    return { budgetIds: ended, keyIds: keys.map((key) => key.id) };
  });
  if (keyIds.length > 0) await changes.enforce("tokens", keyIds);
  await publishBudgets(changes, budgetIds);
}

/** The name of a project of this organization. Throws OperationError project_not_found. */
export async function requireProject(tx: Tx, organizationId: number, id: number): Promise<string> {
  const mine = and(eq(projects.id, id), eq(projects.organizationId, organizationId));
  const [project] = await tx.select({ name: projects.name }).from(projects).where(mine).for("share");
  if (!project) throw new OperationError("project_not_found", {}, { status: 404 });
  return project.name;
}

const isBudgetOf = (projectId: number) =>
  and(eq(budgets.scope, "project"), eq(budgets.scopeId, projectId), isNull(budgets.deletedAt));

async function publishBudgets(
  changes: OrganizationDeps["changes"],
  rows: readonly Readonly<{ id: number }>[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await changes.enforce("budgets", ids);
}

function readName(input: string): string {
  const name = input.trim();
  if (name === "" || name.length > MOST_CHARACTERS) {
    throw new OperationError("project_name_invalid", { max: MOST_CHARACTERS });
  }
  return name;
}
