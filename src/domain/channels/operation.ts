import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { UserEntry } from "../accounts/directory.ts";

/** What operations on channels need. */
export type ChannelDeps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/** Who asks, for the management log; without a role, whoever may do the least. */
export type Actor = Pick<UserEntry, "id" | "username"> & Partial<Pick<UserEntry, "role">>;
