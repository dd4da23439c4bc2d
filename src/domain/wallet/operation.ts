import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** What operations on balances need. */
export type WalletDeps = Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>;

/** A page of a list; `page` counts from 0. */
export type Page = Readonly<{ page: number; pageSize: number }>;
export type Listed<T> = { items: T[]; total: number };
