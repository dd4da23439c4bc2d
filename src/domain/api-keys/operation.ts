import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { UserEntry } from "../accounts/directory.ts";

/** What operations on API keys need. */
export type ApiKeyDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

/** Whose keys: nobody reaches another's. */
export type Owner = Pick<UserEntry, "id" | "group">;
