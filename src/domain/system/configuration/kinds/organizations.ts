import { asc, eq } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import {
  type OrganizationRole,
  organizationMembers,
  projects,
} from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { renameOrganization } from "../../../accounts/organizations/change-organization.ts";
import { createOrganization } from "../../../accounts/organizations/create-organization.ts";
import { addMember, changeMemberRole, removeMember } from "../../../accounts/organizations/members/change-members.ts";
import { createProject, deleteProject } from "../../../accounts/organizations/projects/projects.ts";
import { deleteOrganization } from "../../../accounts/users/delete-organization.ts";
import type { OrganizationEntry } from "../document.ts";
import { type Kind, listed, type Scope } from "../kind.ts";
import { listAccounts, requireAccount } from "./users.ts";

/** Organizations with their members and projects. A removed one has neither keys nor balance. */
export const organizationsKind: Kind<OrganizationEntry> = {
  section: "organizations",
  right: "organizations:write",
  defaults: { projects: [] },
  entriesOf: (document) => listed(document.organizations, ({ name }) => name),
  secretsOf: () => [],
  async open(scope) {
    const { db, actor } = scope;
    const site = { ...actor, isSite: true } as const;
    return {
      stored: await readOrganizations(scope),
      async create({ name, members = {}, ...entry }) {
        const owner = Object.entries(members).find(([, role]) => role === "owner")?.[0];
        if (owner === undefined) throw new OperationError("organization_owner_required", { name });
        const { id } = await requireAccount(db, owner, ["person"]);
        const created = { username: name, displayName: entry.display_name ?? "" };
        const organizationId = await createOrganization(scope, { id, username: owner }, created);
        await changeParts(scope, organizationId, { ...entry, members });
      },
      async update({ id }, { display_name: displayName, ...changed }) {
        if (displayName !== undefined) await renameOrganization(scope, site, id, displayName);
        await changeParts(scope, id, changed);
      },
      remove: ({ id }) => deleteOrganization(scope, site, id),
    };
  },
};

async function readOrganizations({ db }: Scope) {
  const accounts = await listAccounts(db, "organization");
  const members = await db
    .select({ id: organizationMembers.organizationId, name: users.username, role: organizationMembers.role })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.userId))
    .orderBy(asc(organizationMembers.joinedAt), asc(users.id));
  const parts = await db.select().from(projects).orderBy(asc(projects.name));
  return accounts.map(({ id, name, entry: { display_name: displayName } }) => ({
    ...{ id, name },
    entry: {
      ...{ name, display_name: displayName },
      members: Object.fromEntries(
        members
          .filter((member) => member.id === id)
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((member): [string, OrganizationRole] => [member.name, member.role]),
      ),
      projects: parts.filter(({ organizationId }) => organizationId === id).map((project) => project.name),
    },
  }));
}

type Parts = Pick<OrganizationEntry, "members" | "projects">;

/** Makes members and projects exactly those of the file; new owners come before the last one goes. */
async function changeParts(scope: Scope, organizationId: number, expected: Parts): Promise<void> {
  const { db, actor } = scope;
  const site = { ...actor, isSite: true } as const;
  const { entry: present } = requireRow((await readOrganizations(scope)).filter(({ id }) => id === organizationId));
  const roles = Object.entries(expected.members ?? present.members);
  for (const [name, role] of roles.sort(([, a], [, b]) => Number(b === "owner") - Number(a === "owner"))) {
    if (present.members[name] === role) continue;
    const { id: userId } = await requireAccount(db, name, ["person"]);
    const place = { organizationId, userId };
    if (present.members[name] === undefined) await addMember(scope, site, place, role);
    else await changeMemberRole(scope, site, place, role);
  }
  for (const name of Object.keys(present.members).filter(
    (member) => !roles.some(([listedName]) => listedName === member),
  )) {
    const { id: userId } = await requireAccount(db, name, ["person"]);
    await removeMember(scope, site, { organizationId, userId });
  }
  const names = expected.projects ?? present.projects;
  for (const name of names.filter((project) => !present.projects.includes(project))) {
    await createProject(scope, site, organizationId, name);
  }
  const removed = present.projects.filter((project) => !names.includes(project));
  if (removed.length === 0) return;
  const rows = await db.select().from(projects).where(eq(projects.organizationId, organizationId));
  for (const { id } of rows.filter(({ name }) => removed.includes(name))) {
    await deleteProject(scope, site, { organizationId, id });
  }
}
