import { eq } from "drizzle-orm";
import { adminRoles } from "../../../../db/schema/accounts/access/admin-roles.ts";
import { type AccountKind, identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { withoutSecrets } from "../../notifications/notification-setting.ts";
import { orderRights, type Right } from "../access/access-rules.ts";
import { usersWithAccessToken } from "../identity/access-tokens.ts";
import { isSsoName } from "../identity/sso-rules.ts";

/** A user as the calls show it; secrets are empty, whoever asks. */
export type UserView = {
  id: number;
  username: string;
  password: "";
  display_name: string;
  role: number;
  /** A custom role: its id (0: none), name and rights. */
  admin_role_id: number;
  admin_role: string;
  rights: Right[];
  status: number;
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  discord_id: string;
  /** The identity providers (`sso-ID`) that are linked. */
  sso: string[];
  verification_code: "";
  access_token: "";
  /** There is a system access token that has not ended. */
  access_token_set: boolean;
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code: string;
  aff_code_modified: boolean;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  DeletedAt: string | null;
  /** JSON text; secrets are empty, `webhook_secret_set` and the like say whether there is one. */
  setting: string;
  /** RFC 3339. */
  last_check_in_time: string | null;
};

/** Reads one user, deleted ones included. Throws OperationError user_not_found. */
export async function viewUser(db: Db, userId: number): Promise<UserView> {
  const [view] = await viewUsers(db, await db.select().from(users).where(eq(users.id, userId)));
  if (!view) throw new OperationError("user_not_found");
  return view;
}

type Identity = Pick<typeof identities.$inferSelect, "userId" | "provider" | "subject">;

/** Turns rows into what callers see, in their order. */
async function viewUsers(db: Db, rows: readonly (typeof users.$inferSelect)[]): Promise<UserView[]> {
  const ids = rows.map(({ id }) => id);
  const bound: Identity[] = await db
    .select({ userId: identities.userId, provider: identities.provider, subject: identities.subject })
    .from(identities)
    .where(isOneOf(identities.userId, ids));
  const byUser = Map.groupBy(bound, ({ userId }) => userId);
  const withToken = await usersWithAccessToken(db, ids);
  const roleIds = rows.flatMap(({ adminRoleId }) => adminRoleId ?? []);
  const roles = roleIds.length === 0 ? [] : await db.select().from(adminRoles).where(isOneOf(adminRoles.id, roleIds));
  return rows.map((row) =>
    viewRow(
      row,
      byUser.get(row.id) ?? [],
      roles.find(({ id }) => id === row.adminRoleId),
      withToken.has(row.id),
    ),
  );
}

function viewRow(
  user: typeof users.$inferSelect,
  bound: readonly Identity[],
  adminRole: typeof adminRoles.$inferSelect | undefined,
  hasToken: boolean,
): UserView {
  const subject = (provider: string) => bound.find((identity) => identity.provider === provider)?.subject ?? "";
  return {
    id: user.id,
    username: user.username,
    password: "",
    display_name: user.displayName,
    role: user.role,
    admin_role_id: user.adminRoleId ?? 0,
    admin_role: adminRole?.name ?? "",
    rights: orderRights(adminRole?.rights ?? []),
    status: user.status,
    email: user.email ?? "",
    github_id: subject("github"),
    oidc_id: subject("oidc"),
    wechat_id: subject("wechat"),
    telegram_id: subject("telegram"),
    linux_do_id: subject("linuxdo"),
    discord_id: subject("discord"),
    sso: bound.flatMap(({ provider }) => (isSsoName(provider) ? [provider] : [])),
    verification_code: "",
    access_token: "",
    access_token_set: hasToken,
    quota: user.quota,
    used_quota: user.usedQuota,
    request_count: user.requestCount,
    group: user.group,
    aff_code: user.affCode,
    aff_code_modified: user.affCodeModified,
    aff_count: user.affCount,
    aff_quota: user.affQuota,
    aff_history_quota: user.affHistoryQuota,
    inviter_id: user.inviterId ?? 0,
    DeletedAt: timeText(user.deletedAt),
    setting: JSON.stringify(withoutSecrets(user.setting)),
    last_check_in_time: timeText(user.lastCheckInAt),
  };
}

const timeText = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();

/** A user as administrators see it: with what the user does not see. */
export type AdminUserView = UserView & {
  /** Nobody signs in to an organization. */
  kind: AccountKind;
  note: string;
  /** Calls at the same time and in a minute; 0: no limit of the user's own. */
  max_concurrency: number;
  requests_per_minute: number;
  /** Part of the balance that is set aside for calls under way. */
  held_quota: number;
  /** Epoch seconds; 0: never. */
  created_time: number;
  last_login_time: number;
};

/** Turns rows into what administrators see, in their order. */
export async function viewForAdmins(db: Db, rows: readonly (typeof users.$inferSelect)[]): Promise<AdminUserView[]> {
  const views = await viewUsers(db, rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return views.map((view) => {
    const row = byId.get(view.id);
    return {
      ...view,
      kind: row?.kind ?? "person",
      note: row?.note ?? "",
      max_concurrency: row?.maxConcurrency ?? 0,
      requests_per_minute: row?.requestsPerMinute ?? 0,
      held_quota: row?.held ?? 0,
      created_time: row?.createdAt ?? 0,
      last_login_time: row?.lastLoginAt ?? 0,
    };
  });
}

/** One user, deleted ones included. Throws OperationError user_not_found. */
export async function viewUserForAdmins(db: Db, userId: number): Promise<AdminUserView> {
  const [view] = await viewForAdmins(db, await db.select().from(users).where(eq(users.id, userId)));
  if (!view) throw new OperationError("user_not_found");
  return view;
}
