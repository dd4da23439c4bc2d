import { and, eq, isNull, sql } from "drizzle-orm";
import { scimUsers } from "../../../../db/schema/accounts/identity-providers/scim.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { checkReach } from "../access/check-reach.ts";
import { ROLE, USER_STATUS } from "../access/roles.ts";
import type { UserEntry } from "../directory.ts";
import { lockWithOrganizations } from "../organizations/members/leave-organizations.ts";
import { disableMemberKeys } from "../organizations/members/member-keys.ts";
import { type DeleteDeps, deleteAccount } from "./delete-user.ts";
import { refuseOwnOrganization } from "./own-organization.ts";

export const USER_ACTIONS = ["promote", "demote", "disable", "enable", "delete"] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

const NOTES = {
  promote: "user_promoted",
  demote: "user_demoted",
  disable: "user_disabled",
  enable: "user_enabled",
  delete: "user_deleted",
} as const satisfies Readonly<Record<UserAction, string>>;
const PAST: Readonly<Record<UserAction, string>> = {
  promote: "Promoted",
  demote: "Demoted",
  disable: "Disabled",
  enable: "Enabled",
  delete: "Deleted",
};

type Standing = { role: number; status: number };

/**
 * Promotes, demotes, bans, readmits or deregisters a user and returns the new role and status. The target must stand below
 * the actor, unless the actor is a super admin. Whatever changes role or status ends the target's sessions; a ban disables
 * the keys that the target created in organizations. The log says
 * who did it, and what was before and after, unless nothing changes.
 * Throws OperationError.
 */
export async function manageUser(
  deps: DeleteDeps,
  actor: UserEntry,
  request: Readonly<{ id: number; action: UserAction }>,
): Promise<Standing> {
  const { db, changes, vault } = deps;
  let changedKeys: readonly number[] = [];
  const standing = await db.transaction(async (tx) => {
    if (request.action === "delete") await lockWithOrganizations(tx, request.id);
    const [target] = await tx
      .select({
        kind: users.kind,
        username: users.username,
        role: users.role,
        adminRoleId: users.adminRoleId,
        status: users.status,
      })
      .from(users)
      .where(and(eq(users.id, request.id), isNull(users.deletedAt)))
      .for("update");
    if (!target || target.kind === "service") throw new OperationError("user_not_found");
    checkReach(actor, target);
    await refuseOwnOrganization(tx, actor, request.id);
    if (target.kind === "organization" && request.action === "promote")
      throw new OperationError("organization_no_sign_in");
    const { username, role, status } = target;
    const before = { role, status };
    const next = transition(actor, before, request.action);
    // A ban of an identity provider becomes the administrator's, which the provider can't lift.
    const isOverridden = /^(?:dis|en)able$/.test(request.action) && (await overrideBans(tx, request.id));
    const isChanged = next.role !== target.role || next.status !== target.status || isOverridden;
    if (!isChanged && request.action !== "delete") return next;
    if (isChanged) {
      await tx
        .update(users)
        .set({
          ...next,
          ...(request.action === "promote" && { adminRoleId: null }),
          sessionVersion: sql`${users.sessionVersion} + 1`,
        })
        .where(eq(users.id, request.id));
      if (request.action === "disable") changedKeys = await disableMemberKeys(tx, request.id);
    }
    const after = request.action === "delete" ? { deleted: true } : next;
    const what = `${PAST[request.action]} user ${username} (#${request.id})`;
    await writeManagementLog(tx, actor, what, {
      note: { code: NOTES[request.action], params: { name: username, id: request.id } },
      target: "user",
      user_id: request.id,
      action: request.action,
      before,
      after,
    });
    if (request.action === "delete") changedKeys = await deleteAccount(tx, vault, request.id);
    return next;
  });
  await changes.enforce("users", [request.id]);
  if (changedKeys.length > 0) await changes.enforce("tokens", changedKeys);
  return standing;
}

/** An administrator decides about an account: bans of identity providers are theirs no longer. Returns whether there were any. */
async function overrideBans(tx: Tx, userId: number): Promise<boolean> {
  const overridden = await tx
    .update(scimUsers)
    .set({ hasBanned: false })
    .where(and(eq(scimUsers.userId, userId), eq(scimUsers.hasBanned, true)))
    .returning({ userId: scimUsers.userId });
  return overridden.length > 0;
}

function transition(actor: UserEntry, target: Standing, action: UserAction): Standing {
  const isRoot = target.role >= ROLE.root;
  switch (action) {
    case "promote":
      if (actor.role < ROLE.root) throw new OperationError("only_root_promotes");
      if (target.role >= ROLE.admin) throw new OperationError("already_admin");
      return { ...target, role: ROLE.admin };
    case "demote":
      if (isRoot) throw new OperationError("root_cannot_be_demoted");
      if (target.role <= ROLE.user) throw new OperationError("already_ordinary");
      return { ...target, role: ROLE.user };
    case "disable":
      if (isRoot) throw new OperationError("root_cannot_be_disabled");
      return { ...target, status: USER_STATUS.banned };
    case "enable":
      return { ...target, status: USER_STATUS.active };
    case "delete":
      if (isRoot) throw new OperationError("root_cannot_be_deleted");
      return target;
  }
}
