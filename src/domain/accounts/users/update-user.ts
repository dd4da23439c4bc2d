import { and, eq, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { checkReach } from "../access/check-reach.ts";
import { ROLE } from "../access/roles.ts";
import { ACCOUNT_LIMITS, userLimitError, userNoteError } from "../account-rules.ts";
import type { UserEntry } from "../directory.ts";
import { checkPasswordLength, hashPassword } from "../identity/passwords.ts";
import { checkDisplayName, checkUsername, claimUsername } from "../identity/usernames.ts";
import { refuseOwnOrganization } from "./own-organization.ts";

/** What administrators may change; what is absent stays as it is. */
export type UserChange = Readonly<{
  id: number;
  username?: string;
  display_name?: string;
  group?: string;
  /** Empty: stays. */
  password?: string;
  /** The new balance in quota units, whatever it was. */
  quota?: number;
  /** Quota units to add, or to take where negative; instead of `quota`, and safe while calls spend. */
  quota_delta?: number;
  /** Is not changed here, but none may be asked for that the administrator could not give. */
  role?: number;
  note?: string;
  max_concurrency?: number;
  requests_per_minute?: number;
}>;

type Row = typeof users.$inferSelect;
type Values = Partial<typeof users.$inferInsert>;

/**
 * Changes a user below the administrator; super admins change everybody. The log says what was before and after, the password excepted. A
 * new password ends the user's sessions. Throws OperationError.
 */
export async function updateUser(
  { db, changes, settings }: Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>,
  actor: UserEntry,
  change: UserChange,
): Promise<void> {
  if (actor.role < ROLE.root && change.role !== undefined && change.role >= actor.role) {
    throw new OperationError("user_out_of_reach");
  }
  if (change.password) checkPasswordLength(change.password, settings.get("PasswordMaxLength"));
  const passwordHash = change.password ? await hashPassword(change.password) : null;
  await db.transaction(async (tx) => {
    const [user] = await tx
      .select()
      .from(users)
      .where(and(eq(users.id, change.id), isNull(users.deletedAt)))
      .for("update");
    if (!user || user.kind === "service") throw new OperationError("user_not_found");
    checkReach(actor, user);
    await refuseOwnOrganization(tx, actor, user.id);
    if (user.kind === "organization" && passwordHash) throw new OperationError("organization_no_sign_in");
    const values = changedOnly(user, { ...readFields(change, user, settings), ...readQuota(change, user) });
    if (values.username !== undefined) await claimUsername(tx, values.username, user.id);
    if (Object.keys(values).length === 0 && !passwordHash) return;
    await tx
      .update(users)
      .set({
        ...values,
        ...(passwordHash && { passwordHash, sessionVersion: sql`${users.sessionVersion} + 1` }),
      })
      .where(eq(users.id, user.id));
    const delta = values.quota === undefined ? 0 : values.quota - user.quota;
    await writeManagementLog(tx, actor, `Changed user ${user.username} (#${user.id})`, {
      note: { code: "user_changed", params: { name: user.username, id: user.id } },
      target: "user",
      user_id: user.id,
      action: "update",
      ...(delta !== 0 && { quota_delta: delta }),
      before: pick(user, Object.keys(values)),
      after: { ...values, ...(passwordHash && { password: "changed" }) },
    });
  });
  await changes.enforce("users", [change.id]);
}

/** Names are checked where they change only: those of imported users may be longer than new ones. */
function readFields(change: UserChange, user: Row, settings: SettingsReader): Values {
  const { username, display_name: displayName, note } = change;
  const { max_concurrency: concurrency, requests_per_minute: perMinute } = change;
  return {
    ...(username &&
      username !== user.username && {
        username: checkUsername(username, settings.get("UsernameMaxLength")),
      }),
    ...(displayName !== undefined &&
      displayName !== user.displayName && { displayName: checkDisplayName(displayName) }),
    ...(change.group && change.group !== user.group && { group: readGroup(change.group, settings) }),
    ...(note !== undefined && { note: readNote(note) }),
    ...(concurrency !== undefined && { maxConcurrency: readLimit(concurrency) }),
    ...(perMinute !== undefined && { requestsPerMinute: readLimit(perMinute) }),
  };
}

/** The row is locked: the sum is the balance, whatever calls spend meanwhile. */
function readQuota({ quota, quota_delta: delta }: UserChange, user: Row): Values {
  if (quota === undefined && delta === undefined) return {};
  const after = delta === undefined ? (quota ?? user.quota) : user.quota + delta;
  if (!Number.isSafeInteger(after) || (delta !== undefined && !Number.isSafeInteger(delta))) {
    throw new OperationError("user_quota_invalid");
  }
  if (after < 0) throw new OperationError("user_quota_negative", { quota: user.quota });
  return { quota: after };
}

function readGroup(group: string, settings: SettingsReader): string {
  if (!settings.get("GroupRatio").has(group)) throw new OperationError("user_group_unknown", { group });
  return group;
}

function readNote(input: string): string {
  throwRuleError(userNoteError(input), { max: ACCOUNT_LIMITS.note });
  return input.trim();
}

function readLimit(limit: number): number {
  throwRuleError(userLimitError(limit));
  return limit;
}

const changedOnly = (user: Row, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([field, value]) => user[field as keyof Row] !== value));

const pick = (user: Row, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, user[field as keyof Row]]));
