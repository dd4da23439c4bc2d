import { and, eq, inArray, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { scimGroupMembers, scimGroups, scimUsers } from "../../../../db/schema/accounts/identity-providers/scim.ts";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { EVERYBODY, MAPPED_ROLES, type MappedRole } from "../identity/sso-rules.ts";
import { disableMemberKeys } from "../organizations/members/member-keys.ts";
import { findTakenSeats } from "../organizations/members/seats.ts";
import { type Person, writeOrganizationLog } from "../organizations/operation.ts";
import { hasRight } from "../organizations/rights.ts";
import type { ProviderRow } from "./providers.ts";

type SyncDeps = Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>;

/**
 * Makes somebody a member of the organizations that their groups, or all people of the provider, are mapped to, and ends memberships that came from groups
 * they are no longer in. What people granted by hand stays. Keys of whoever goes are disabled. Groups that the provider
 * provisions are newer than `reported`, those of a sign-in. Where a plan's seats are taken nobody joins: the organization's log says
 * so, and the next sign-in or change of groups tries again.
 */
export async function syncMemberships(
  { db, changes, settings }: SyncDeps,
  row: Pick<ProviderRow, "id" | "mappings">,
  userId: number,
  reported: readonly string[] = [],
): Promise<void> {
  if (settings.get("Organizations") === "off") return;
  const keys = await db.transaction(async (tx) => {
    // Groups are read under the lock: of two changes at once, the one that comes last sees both.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`memberships ${userId}`}, 0))`);
    const groups = new Set((await provisionedGroups(tx, row.id, userId)) ?? reported);
    // No group of the provider can pass for everybody.
    groups.delete(EVERYBODY);
    if (!(await isDeprovisioned(tx, row.id, userId))) groups.add(EVERYBODY);
    const expected = rolesOf(row.mappings, groups);
    const present = await tx.select().from(organizationMembers).where(eq(organizationMembers.userId, userId));
    const managed = present.filter(({ providerId, role }) => providerId === row.id && role !== "owner");
    if (managed.length === 0 && expected.size === 0) return [];
    const ids = [...new Set([...expected.keys(), ...managed.map(({ organizationId }) => organizationId)])];
    const open = await lockOrganizations(tx, ids);
    const [person] = await tx
      .select({ id: users.id, username: users.username })
      .from(users)
      .where(eq(users.id, userId));
    if (!person) return [];
    const disabled: number[] = [];
    for (const [organizationId, role] of expected) {
      const before = present.find((member) => member.organizationId === organizationId);
      if (!open.has(organizationId) || before?.role === role) continue;
      if (!before) await join(tx, person, { organizationId, role, providerId: row.id });
      else if (managed.includes(before)) {
        await tx.update(organizationMembers).set({ role }).where(isPlace(organizationId, userId));
        await writeOrganizationLog(tx, organizationId, person, {
          content: `The groups of ${person.username} changed the role to ${role}`,
          note: { code: "organization_role_by_groups", params: { name: person.username, role } },
          action: "update",
          before: { role: before.role },
          after: { role },
        });
        if (!hasRight(role, "keys.write")) disabled.push(...(await disableMemberKeys(tx, userId, organizationId)));
      }
    }
    for (const { organizationId, role } of managed) {
      if (expected.has(organizationId)) continue;
      await tx.delete(organizationMembers).where(isPlace(organizationId, userId));
      await writeOrganizationLog(tx, organizationId, person, {
        content: `The groups of ${person.username} ended the membership`,
        note: { code: "organization_left_by_groups", params: { name: person.username } },
        action: "delete",
        before: { role },
      });
      disabled.push(...(await disableMemberKeys(tx, userId, organizationId)));
    }
    return disabled;
  });
  if (keys.length > 0) await changes.publish("tokens", keys);
}

/** Names of the groups that a provider has put somebody into; null: it provisions no groups. */
async function provisionedGroups(tx: Tx, providerId: number, userId: number): Promise<string[] | null> {
  const [any] = await tx
    .select({ id: scimGroups.id })
    .from(scimGroups)
    .where(eq(scimGroups.providerId, providerId))
    .limit(1);
  if (!any) return null;
  const rows = await tx
    .select({ name: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroups.providerId, providerId), eq(scimGroupMembers.userId, userId)));
  return rows.map(({ name }) => name);
}

/** Whether a provider has deleted somebody whom it had provisioned. */
async function isDeprovisioned(tx: Tx, providerId: number, userId: number): Promise<boolean> {
  const [resource] = await tx
    .select({ deletedAt: scimUsers.deletedAt })
    .from(scimUsers)
    .where(and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, userId)));
  return resource !== undefined && resource.deletedAt !== null;
}

/** The role in each organization; where several groups fit, the first of `MAPPED_ROLES`. */
function rolesOf(mappings: ProviderRow["mappings"], groups: ReadonlySet<string>): Map<number, MappedRole> {
  const roles = new Map<number, MappedRole>();
  for (const { group, organization_id: id, role } of mappings) {
    const before = roles.get(id);
    const isHigher = before === undefined || MAPPED_ROLES.indexOf(role) < MAPPED_ROLES.indexOf(before);
    if (groups.has(group) && isHigher) roles.set(id, role);
  }
  return roles;
}

/** Locks organizations until the transaction ends, in the order of their ids; returns those that are not deleted. */
async function lockOrganizations(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx
    .select({ id: users.id, deletedAt: users.deletedAt, kind: users.kind })
    .from(users)
    .where(inArray(users.id, [...ids]))
    .orderBy(users.id)
    .for("update");
  return new Set(
    rows.flatMap(({ id, deletedAt, kind }) => (deletedAt === null && kind === "organization" ? [id] : [])),
  );
}

type Place = Readonly<{ organizationId: number; role: MappedRole; providerId: number }>;

async function join(tx: Tx, person: Person, { organizationId, role, providerId }: Place): Promise<void> {
  const seats = await findTakenSeats(tx, organizationId);
  if (seats !== null) {
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} could not join by their groups: all ${seats} seats are taken`,
      note: { code: "organization_no_seat", params: { name: person.username, seats } },
      action: "create",
    });
    return;
  }
  await tx
    .insert(organizationMembers)
    .values({ organizationId, userId: person.id, role, joinedAt: nowSeconds(), providerId })
    .onConflictDoNothing();
  await writeOrganizationLog(tx, organizationId, person, {
    content: `${person.username} joined as ${role} by their groups`,
    note: { code: "organization_member_joined", params: { name: person.username, role } },
    action: "create",
    after: { role },
  });
}

const isPlace = (organizationId: number, userId: number) =>
  and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.userId, userId));
