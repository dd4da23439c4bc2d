import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { UserEntry } from "../directory.ts";
import { ROLE, USER_STATUS } from "../roles.ts";
import { type DeleteDeps, deleteUser } from "./delete-user.ts";

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
 * the actor, unless the actor is a super admin. Whatever changes role or status ends the target's sessions. The log says
 * who did it, and what was before and after, unless nothing changes.
 * Throws OperationError.
 */
export async function manageUser(
  deps: DeleteDeps,
  actor: UserEntry,
  request: Readonly<{ id: number; action: UserAction }>,
): Promise<Standing> {
  const { db, changes } = deps;
  const standing = await db.transaction(async (tx) => {
    const [target] = await tx
      .select({ username: users.username, role: users.role, status: users.status })
      .from(users)
      .where(and(eq(users.id, request.id), isNull(users.deletedAt)))
      .for("update");
    if (!target) throw new OperationError("user_not_found");
    checkReach(actor, target);
    const { username, ...before } = target;
    const next = transition(actor, before, request.action);
    const isChanged = next.role !== target.role || next.status !== target.status;
    if (!isChanged && request.action !== "delete") return next;
    if (isChanged) {
      await tx
        .update(users)
        .set({ ...next, sessionVersion: sql`${users.sessionVersion} + 1` })
        .where(eq(users.id, request.id));
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
    return next;
  });
  if (request.action === "delete") await deleteUser(deps, request.id);
  else await changes.publish("users", [request.id]);
  return standing;
}

/** Admins act on users below them; super admins on everybody. Throws OperationError. */
export function checkReach(actor: UserEntry, target: Readonly<{ role: number }>): void {
  if (actor.role < ROLE.root && target.role >= actor.role) throw new OperationError("user_out_of_reach");
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
