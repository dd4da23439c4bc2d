import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** What operations on balances need. */
export type WalletDeps = Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>;
