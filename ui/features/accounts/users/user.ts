import { queryOptions } from "@tanstack/react-query";
import type { AdminUserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { readData } from "../../../api/client.ts";
import { usersApi } from "../../../api/groups.ts";
import { hasRight, isSuperAdmin, type StoredUser } from "../../../state/stored-user.ts";

/** A user as returned by `GET /api/user/` to administrators. */
export type User = AdminUserView;

export const ROLE = { user: 1, admin: 10, root: 100 } as const;
export const ACTIVE = 1;
export const BANNED = 2;

export type UserAction = "promote" | "demote" | "enable" | "disable" | "delete";

/**
 * Administrators manage users below them, and so do people whose custom role has the right; super admins manage everybody.
 * Nobody manages deregistered users.
 */
export function isInReach(user: User, actor: StoredUser | null): boolean {
  if (user.DeletedAt !== null || actor === null) return false;
  if (actor.role >= ROLE.root) return true;
  return hasRight(actor, "users:write") && user.role < ROLE.admin && user.admin_role_id === 0;
}

/** Whether the actor may give the user a custom role. */
export const mayGiveRole = (user: User, actor: StoredUser | null): boolean =>
  isSuperAdmin(actor) && user.DeletedAt === null && user.kind === "person" && user.role === ROLE.user;

/** The actions that an actor may take on a user; super admins can't be demoted. */
export function actionsFor(user: User, actor: StoredUser | null): readonly UserAction[] {
  if (!isInReach(user, actor) || user.role >= ROLE.root) return [];
  const standing: UserAction = user.status === ACTIVE ? "disable" : "enable";
  const isRoot = (actor?.role ?? 0) >= ROLE.root;
  if (user.kind === "organization") return [standing, "delete"];
  const rank: readonly UserAction[] = user.role < ROLE.admin ? (isRoot ? ["promote"] : []) : ["demote"];
  return [...rank, standing, "delete"];
}

/** The drawer for a path: /user/add creates (id null), /user/edit/7 edits; null: no drawer. */
export function drawerOf(path: string): { id: number | null } | null {
  if (/^\/user\/add\/?$/.test(path)) return { id: null };
  const edited = /^\/user\/edit\/(\d{1,9})\/?$/.exec(path);
  return edited ? { id: Number(edited[1]) } : null;
}

/** A user's linked sign-in services; empty: not linked. */
export const bindingsOf = (user: User) =>
  [
    { name: "email", value: user.email },
    { name: "github", value: user.github_id },
    { name: "oidc", value: user.oidc_id },
    { name: "wechat", value: user.wechat_id },
    { name: "telegram", value: user.telegram_id },
    { name: "linuxdo", value: user.linux_do_id },
    { name: "discord", value: user.discord_id },
  ] as const;

export type UserPage = Readonly<{ items: User[]; total: number }>;

/** Cache key of users. */
export const USERS_KEY = ["users"] as const;

/** Users by a part of a name, e-mail or id; `page` is zero-based. */
export const userPage = (filters: Readonly<{ keyword: string }>, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "page", filters, page, pageSize],
    queryFn: ({ signal }): Promise<UserPage> =>
      readData(usersApi.search.get({ query: { ...filters, p: page + 1, page_size: pageSize }, fetch: { signal } })),
  });

export const userById = (id: number) =>
  queryOptions({
    queryKey: [...USERS_KEY, "one", id],
    queryFn: ({ signal }) => readData(usersApi({ id }).get({ fetch: { signal } })),
    gcTime: 0,
  });
