import { and, asc, count, eq, isNull, ne, or, sql } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { type PolicyRules, policies } from "../../../../../db/schema/accounts/organizations/policies.ts";
import type { Db, DbOrTx, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { invalidIpEntries } from "../../../../lib/security/ip-list.ts";
import { refuseBrokenPatterns } from "../../../../lib/values/patterns/name-patterns.ts";
import { channelTypes } from "../../../../providers/registry.ts";
import { lockForChange, requireOrganizations } from "../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../operation.ts";
import { requireProject } from "../projects/projects.ts";
import { compilePolicy, policyAgainstExpiry, type Rotation, strictestRotation } from "./policy.ts";

/** A policy as its form sends it. `project_id` 0: the whole organization. */
export type PolicyInput = Readonly<{ name: string; project_id: number; rules: PolicyRules }>;

/** A policy as members see it. */
export type PolicyView = PolicyInput & Readonly<{ id: number; project_name: string }>;

type Place = Readonly<{ organizationId: number; id: number }>;

const MOST_POLICIES = 200;
const MOST_CHARACTERS = 60;
const MOST_DAYS = 3650;

/** The policies of an organization, by name. The caller has checked the right to see them. */
export async function listPolicies(db: Db, organizationId: number): Promise<PolicyView[]> {
  const rows = await db
    .select({ policy: policies, project: projects.name })
    .from(policies)
    .leftJoin(projects, eq(projects.id, policies.projectId))
    .where(eq(policies.organizationId, organizationId))
    .orderBy(asc(sql`lower(${policies.name})`));
  return rows.map(({ policy: { id, name, projectId, rules }, project }) => ({
    ...{ id, name, rules },
    project_id: projectId ?? 0,
    project_name: project ?? "",
  }));
}

/** Creates a policy; returns its id. Throws OperationError. */
export async function createPolicy(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  organizationId: number,
  input: PolicyInput,
): Promise<number> {
  requireOrganizations(settings);
  const { name, rules } = readPolicy(input);
  const id = await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "policies.manage");
    await checkPlace(tx, organizationId, input.project_id, name, 0);
    const { existing } = requireRow(
      await tx.select({ existing: count() }).from(policies).where(eq(policies.organizationId, organizationId)),
    );
    if (existing >= MOST_POLICIES) throw new OperationError("policy_too_many", { max: MOST_POLICIES });
    const values = { organizationId, projectId: input.project_id || null, name, rules, createdAt: nowSeconds() };
    const row = requireRow(await tx.insert(policies).values(values).returning({ id: policies.id }));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} created the policy ${name}`,
      note: { code: "organization_policy_created", params: { by: person.username, policy: name } },
      action: "create",
      projectId: input.project_id,
      after: { policy_id: row.id, project_id: input.project_id, ...rules },
    });
    return row.id;
  });
  await changes.enforce("policies", [id]);
  return id;
}

/** Changes a policy, for calls from now on. Throws OperationError. */
export async function changePolicy(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: Place,
  input: PolicyInput,
): Promise<void> {
  requireOrganizations(settings);
  const { name, rules } = readPolicy(input);
  await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "policies.manage");
    const before = await findPolicy(tx, organizationId, id);
    await checkPlace(tx, organizationId, input.project_id, name, id);
    await tx
      .update(policies)
      .set({ name, rules, projectId: input.project_id || null })
      .where(eq(policies.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} changed the policy ${name}`,
      note: { code: "organization_policy_changed", params: { by: person.username, policy: name } },
      action: "update",
      projectId: input.project_id,
      before: { name: before.name, project_id: before.projectId ?? 0, ...before.rules },
      after: { name, project_id: input.project_id, ...rules },
    });
  });
  await changes.enforce("policies", [id]);
}

/** Deletes a policy. Throws OperationError. */
export async function deletePolicy(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: Place,
): Promise<void> {
  requireOrganizations(settings);
  await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "policies.manage");
    const { name, rules, projectId } = await findPolicy(tx, organizationId, id);
    await tx.delete(policies).where(eq(policies.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} deleted the policy ${name}`,
      note: { code: "organization_policy_deleted", params: { by: person.username, policy: name } },
      action: "delete",
      projectId,
      before: { policy_id: id, ...rules },
    });
  });
  await changes.enforce("policies", [id]);
}

/** Checks the expiry of a key of an organization against its policies. Throws OperationError. */
export async function requireKeyExpiry(
  tx: Tx,
  organizationId: number,
  projectId: number | null,
  expiresAt: number,
): Promise<void> {
  const rows = await readRules(tx, organizationId, projectId);
  const refusing = policyAgainstExpiry(rows.map(compilePolicy), expiresAt, nowSeconds());
  const days = rows.find(({ name }) => name === refusing?.name)?.rules.max_key_days;
  if (refusing && days) throw new OperationError("policy_key_expiry", { policy: refusing.name, days });
}

/** How soon the secret of a key of an organization must be rotated, and by which policy; undefined: it needn't be. */
export async function findRotation(
  db: DbOrTx,
  organizationId: number,
  projectId: number | null,
): Promise<Rotation | undefined> {
  return strictestRotation((await readRules(db, organizationId, projectId)).map(compilePolicy));
}

/** The rules of the policies that hold for a key of an organization. */
const readRules = (db: DbOrTx, organizationId: number, projectId: number | null) =>
  db
    .select({ name: policies.name, rules: policies.rules })
    .from(policies)
    .where(
      and(
        eq(policies.organizationId, organizationId),
        or(isNull(policies.projectId), projectId === null ? undefined : eq(policies.projectId, projectId)),
      ),
    );

async function findPolicy(tx: Tx, organizationId: number, id: number) {
  const [row] = await tx
    .select()
    .from(policies)
    .where(and(eq(policies.id, id), eq(policies.organizationId, organizationId)));
  if (!row) throw new OperationError("policy_not_found", {}, { status: 404 });
  return row;
}

async function checkPlace(tx: Tx, organizationId: number, projectId: number, name: string, id: number): Promise<void> {
  if (projectId) await requireProject(tx, organizationId, projectId);
  const [other] = await tx
    .select({ id: policies.id })
    .from(policies)
    .where(
      and(
        eq(policies.organizationId, organizationId),
        sql`lower(${policies.name}) = lower(${name})`,
        ne(policies.id, id),
      ),
    );
  if (other) throw new OperationError("policy_exists", { name });
}

function readPolicy(input: PolicyInput): Pick<PolicyInput, "name" | "rules"> {
  const name = input.name.trim();
  if (name === "" || name.length > MOST_CHARACTERS)
    throw new OperationError("policy_name_invalid", { max: MOST_CHARACTERS });
  const unknown = input.rules.channel_types.find((type) => !channelTypes.some(({ id }) => id === type));
  if (unknown !== undefined) throw new OperationError("policy_provider_unknown", { id: unknown });
  const { allow_ips: ips, max_key_days: days, rotation_days: rotation = 0, max_call_quota: quota } = input.rules;
  const [wrong] = invalidIpEntries(ips);
  if (wrong !== undefined) throw new OperationError("token_ip_invalid", { entry: wrong.slice(0, 60) });
  if (!Number.isSafeInteger(days) || days < 0 || days > MOST_DAYS)
    throw new OperationError("policy_days_invalid", { max: MOST_DAYS });
  if (!Number.isSafeInteger(rotation) || rotation < 0 || rotation > MOST_DAYS)
    throw new OperationError("policy_rotation_invalid", { max: MOST_DAYS });
  if (!Number.isSafeInteger(quota) || quota < 0) throw new OperationError("policy_quota_invalid");
  const patterns = (lines: readonly string[]) => [...new Set(lines.map((line) => line.trim()).filter(Boolean))];
  const regions = patterns(input.rules.regions ?? []);
  const rules = { ...input.rules, models: patterns(input.rules.models), regions, rotation_days: rotation };
  refuseBrokenPatterns([...rules.models, ...regions]);
  compilePolicy({ name, rules });
  return { name, rules };
}
