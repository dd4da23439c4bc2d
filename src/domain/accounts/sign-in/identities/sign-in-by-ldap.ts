import { and, eq, ne } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { writeManagementLog } from "../../../logs/write-log.ts";
import { type Credentials, findInDirectory, groupFor } from "./ldap.ts";
import { createByIdentity, findBound } from "./sign-in-by-identity.ts";

type LdapDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

/**
 * The user whom the site's directory knows by these credentials: whom the entry is bound to, else a new account. The group follows
 * those of the directory, where the settings map one. Null: there is no directory, or it does not know them. Throws
 * OperationError.
 */
export async function signInByLdap(deps: LdapDeps, credentials: Credentials): Promise<number | null> {
  const { db, settings } = deps;
  if (!settings.get("ldap.enabled")) return null;
  const identity = await findInDirectory(settings, credentials);
  if (!identity) return null;
  const group = groupFor(settings.get("ldap.groups"), identity.groups ?? []);
  if (group === undefined && settings.get("ldap.groups_required")) throw new OperationError("ldap_group_refused");
  const bound = await findBound(db, "ldap", identity.subject);
  if (bound === null && settings.get("SelfUseModeEnabled")) throw new OperationError("registration_disabled");
  const userId = bound ?? (await createByIdentity(deps, "ldap", identity, ""));
  if (group !== undefined) await moveToGroup(deps, userId, group);
  return userId;
}

/** Sets the group of a user, if it is another one, and says so in the audit log. */
async function moveToGroup({ db, changes }: LdapDeps, userId: number, group: string): Promise<void> {
  const isMoved = await db.transaction(async (tx) => {
    const moved = await tx
      .update(users)
      .set({ group })
      .where(and(eq(users.id, userId), ne(users.group, group)))
      .returning({ username: users.username });
    const [user] = moved;
    if (!user) return false;
    await writeManagementLog(tx, { id: userId }, `Group ${group} by LDAP`, {
      action: "update",
      note: { code: "user_changed", params: { name: user.username, id: userId } },
    });
    return true;
  });
  if (isMoved) await changes.publish("users", [userId]);
}
