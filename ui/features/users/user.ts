import type { AdminUserView } from "../../../src/domain/accounts/users/admin-user-view.ts";
import type { StoredUser } from "../session/stored-user.ts";

/** A user as `GET /api/user/` answers it to administrators. */
export type User = AdminUserView;

export const ROLE = { user: 1, admin: 10, root: 100 } as const;
export const ACTIVE = 1;
export const BANNED = 2;

export type UserAction = "promote" | "demote" | "enable" | "disable" | "delete";

/** Administrators act on users below them, super admins on everybody; nobody on who is deregistered. */
export const isInReach = (user: User, actor: StoredUser | null): boolean =>
  user.DeletedAt === null && actor !== null && (actor.role >= ROLE.root || user.role < actor.role);

/** What somebody may do to a user; super admins stay what they are. */
export function actionsFor(user: User, actor: StoredUser | null): readonly UserAction[] {
  if (!isInReach(user, actor) || user.role >= ROLE.root) return [];
  const standing: UserAction = user.status === ACTIVE ? "disable" : "enable";
  const isRoot = (actor?.role ?? 0) >= ROLE.root;
  const rank: readonly UserAction[] = user.role < ROLE.admin ? (isRoot ? ["promote"] : []) : ["demote"];
  return [...rank, standing, "delete"];
}

/** The drawer that a path means: /user/add a new user (id null), /user/edit/7 that one; null: none. */
export function drawerOf(path: string): { id: number | null } | null {
  if (/^\/user\/add\/?$/.test(path)) return { id: null };
  const edited = /^\/user\/edit\/(\d{1,9})\/?$/.exec(path);
  return edited ? { id: Number(edited[1]) } : null;
}
