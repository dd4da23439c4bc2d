import type { Changes } from "../../../db/changes.ts";
import type { Db, Tx } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { UserEntry } from "../accounts/directory.ts";
import type { Acting } from "../accounts/organizations/members/acting.ts";
import { holdRight } from "../accounts/organizations/membership.ts";
import { hasRight } from "../accounts/organizations/rights.ts";

/** What operations on API keys need. */
export type ApiKeyDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

/** Whose keys: nobody reaches another's. */
export type Owner = Pick<UserEntry, "id" | "group"> & Readonly<{ member?: KeyMember }>;

/** The member or service account that acts for an organization that owns the keys. */
export type KeyMember = Readonly<{
  id: number;
  username: string;
  /** Reaches only the keys that they created. */
  ownOnly: boolean;
  /** Sees the keys in clear, and may change them. */
  seesSecrets: boolean;
  /** Reads requests one by one, which whoever has a key in clear can do with it. */
  readsRequests: boolean;
  /** No member, whose right could end meanwhile. */
  isService?: boolean;
}>;

/** The owner of the keys of a call: a person, or an organization with what the member may do with its keys. */
export function keyOwner({ actor, person, role, may }: Acting): Owner {
  const { id, group } = actor;
  if (role === null) return { id, group };
  const seesSecrets = hasRight(role, "keys.write");
  const ownOnly = seesSecrets && !hasRight(role, "keys.all");
  const readsRequests = may("requests.read");
  const isService = person.kind === "service";
  return {
    id,
    group,
    member: { id: person.id, username: person.username, ownOnly, seesSecrets, readsRequests, isService },
  };
}

/** Whether whoever acts for the owner of a key may see it in clear: without the right to read requests only what they created. */
export const showsSecret = ({ member }: Owner, { createdBy }: Readonly<{ createdBy: number | null }>): boolean =>
  member === undefined || (member.seesSecrets && (member.readsRequests || createdBy === member.id));

/**
 * Before keys are created or changed in the transaction: a member of an organization must still have the right to, and
 * keeps it until the commit. Throws OperationError.
 */
export async function holdKeyRight(tx: Tx, owner: Owner): Promise<void> {
  if (!owner.member || owner.member.isService) return;
  await holdRight(tx, owner.id, owner.member.id, owner.member.ownOnly ? "keys.write" : "keys.all");
}
