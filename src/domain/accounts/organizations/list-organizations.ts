import { and, asc, eq, isNull } from "drizzle-orm";
import {
  type OrganizationRole,
  organizationMembers,
} from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { readSeatLimits } from "./members/seats.ts";
import { ACCESS_RIGHTS, type AccessRight, hasRight, type OrganizationRight, rightsOf } from "./rights.ts";

/** An organization as its members see it; amounts in quota units. */
export type OrganizationView = Readonly<{
  id: number;
  username: string;
  display_name: string;
  /** The caller's. */
  role: OrganizationRole;
  rights: readonly OrganizationRight[];
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  /** 1 active, 2 banned. */
  status: number;
  /** Members that it may have by its plans; null: any number. */
  seats: number | null;
}>;

export type MemberView = Readonly<{
  user_id: number;
  username: string;
  display_name: string;
  role: OrganizationRole;
  /** Rights of the role that can be withheld, and those that are. */
  access_rights: readonly AccessRight[];
  withheld: readonly string[];
  /** Epoch seconds. */
  joined_time: number;
}>;

/** The organizations that a person belongs to, by name. */
export async function listOrganizations(db: Db, userId: number): Promise<OrganizationView[]> {
  const rows = await db
    .select({ user: users, role: organizationMembers.role, withheld: organizationMembers.withheld })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.organizationId))
    .where(and(eq(organizationMembers.userId, userId), eq(users.kind, "organization"), isNull(users.deletedAt)))
    .orderBy(asc(users.username));
  const limits = await readSeatLimits(
    db,
    rows.map(({ user }) => user.id),
  );
  return rows.map(({ user, role, withheld }) => ({
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role,
    rights: rightsOf({ role, withheld }),
    quota: user.quota,
    used_quota: user.usedQuota,
    request_count: user.requestCount,
    group: user.group,
    status: user.status,
    seats: limits.get(user.id) ?? null,
  }));
}

/** The members of an organization, the first to join first. The caller has checked the right to see them. */
export async function listMembers(db: Db, organizationId: number): Promise<MemberView[]> {
  const rows = await db
    .select({
      user_id: users.id,
      username: users.username,
      display_name: users.displayName,
      role: organizationMembers.role,
      withheld: organizationMembers.withheld,
      joined_time: organizationMembers.joinedAt,
    })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.userId))
    .where(eq(organizationMembers.organizationId, organizationId))
    .orderBy(asc(organizationMembers.joinedAt), asc(users.id));
  return rows.map((row) => ({ ...row, access_rights: ACCESS_RIGHTS.filter((right) => hasRight(row.role, right)) }));
}
