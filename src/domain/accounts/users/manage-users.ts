import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { UserEntry } from "../directory.ts";
import type { DeleteDeps } from "./delete-user.ts";
import { manageUser } from "./manage-user.ts";
import { updateUser } from "./update-user.ts";

/** Users that one call may act on: each has a transaction of its own. */
export const MOST_USERS_AT_ONCE = 500;

type Batch = Readonly<{
  ids: readonly number[];
  action: "enable" | "disable" | "delete" | "group";
  /** The new one, where the group is to change. */
  group?: string | undefined;
}>;

/** `error`: why nothing was done to this one. */
type Outcome = Readonly<{ id: number; error: OperationError | null }>;

/**
 * Does the same to many users, each as if alone: by the same rules, with a log row each. What is refused for one does not
 * keep the others back. Throws OperationError when nobody is named, or no group to move to.
 */
export async function manageUsers(
  deps: DeleteDeps & Readonly<{ settings: SettingsReader }>,
  actor: UserEntry,
  { ids, action, group = "" }: Batch,
): Promise<Outcome[]> {
  if (ids.length === 0) throw new OperationError("user_selection_required");
  if (action === "group" && group === "") throw new OperationError("user_group_required");
  const outcomes: Outcome[] = [];
  for (const id of new Set(ids)) {
    try {
      if (action === "group") await updateUser(deps, actor, { id, group });
      else await manageUser(deps, actor, { id, action });
      outcomes.push({ id, error: null });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      outcomes.push({ id, error });
    }
  }
  return outcomes;
}
