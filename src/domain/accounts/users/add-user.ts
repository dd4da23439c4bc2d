import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { ROLE } from "../access/roles.ts";
import type { UserEntry } from "../directory.ts";
import { checkPasswordLength, hashPassword } from "../identity/passwords.ts";
import { checkUsername } from "../identity/usernames.ts";
import { welcomeUser } from "../registration/welcome.ts";

export type AddedUser = Readonly<{ username: string; password: string; display_name?: string; role?: number }>;

/**
 * Creates an ordinary user on behalf of an administrator, with the quota for new users; returns the id. A role that is
 * asked for must be below the administrator's own; nobody is born an admin. Throws OperationError.
 */
export async function addUser(
  { db, changes, settings }: Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>,
  actor: UserEntry,
  input: AddedUser,
): Promise<number> {
  if (input.username.trim() === "" || input.password === "") throw new OperationError("user_credentials_required");
  if (actor.role < ROLE.root && (input.role ?? ROLE.user) >= actor.role) throw new OperationError("user_out_of_reach");
  const username = checkUsername(input.username, settings.get("UsernameMaxLength"));
  checkPasswordLength(input.password, settings.get("PasswordMaxLength"));
  const passwordHash = await hashPassword(input.password);
  const account = { username, ...(input.display_name && { displayName: input.display_name }) };
  const [id = 0] = await db.transaction(async (tx) => {
    const made = await welcomeUser(tx, { settings, account, passwordHash, affCode: "" });
    await writeManagementLog(tx, actor, `Created user ${username} (#${made[0]})`, {
      note: { code: "user_created", params: { name: username, id: made[0] ?? 0 } },
      target: "user",
      user_id: made[0],
      action: "create",
      after: { username, role: ROLE.user, status: 1 },
    });
    return made;
  });
  await changes.publish("users", [id]);
  return id;
}
