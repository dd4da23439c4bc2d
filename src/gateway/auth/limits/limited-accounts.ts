import type { UserEntry } from "../../../domain/accounts/directory.ts";
import type { Caller } from "../../call/caller.ts";
import type { Services } from "../../call/services.ts";

/**
 * The people who own an organization, whose limits its calls count in: nobody gets out of theirs by organizations. Undefined: the
 * account is a person's own.
 */
export function ownersOf(
  { users }: Readonly<{ users: Pick<Services["users"], "get"> }>,
  { ownerIds }: Pick<UserEntry, "ownerIds">,
): readonly UserEntry[] | undefined {
  return ownerIds?.flatMap((id) => users.get(id) ?? []);
}

type Limited = Pick<Caller, "user" | "owners">;

/** The accounts whose own limits a call counts in. */
export const limitedAccounts = ({ user, owners }: Limited): readonly UserEntry[] =>
  owners === undefined ? [user] : [user, ...owners];

/** Whom the site's limits for each user count a call for. */
export const limitedPersons = ({ user, owners }: Limited): readonly UserEntry[] =>
  owners === undefined || owners.length === 0 ? [user] : owners;
