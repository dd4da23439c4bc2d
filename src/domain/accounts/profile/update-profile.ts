import { eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../directory.ts";
import { checkDisplayName } from "../registration/usernames.ts";

/**
 * Changes what users may change of themselves: the display name. One that stays is not checked: that of an imported user may
 * be longer than new ones. A username other than the own one is refused.
 */
export async function updateProfile(
  deps: Readonly<{ db: Db; changes: Changes }>,
  user: UserEntry,
  profile: Readonly<{ username?: string; display_name?: string }>,
): Promise<void> {
  if (profile.username !== undefined && profile.username !== "" && profile.username !== user.username) {
    throw new OperationError("username_fixed");
  }
  if (profile.display_name === undefined) return;
  const { display_name: newName } = profile;
  const displayName = newName === user.displayName ? newName : checkDisplayName(newName);
  await deps.db.update(users).set({ displayName }).where(eq(users.id, user.id));
  await deps.changes.publish("users", [user.id]);
}
