import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** The two tables of tasks: times of drawings are in milliseconds, of music and videos in seconds. */
export const TASK_KINDS = ["drawing", "media"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** A task that its upstream still works on, in the words that both tables have. */
export type OpenTask = Readonly<{
  kind: TaskKind;
  id: number;
  /** What its owner calls it. */
  publicId: string;
  /** The upstream's name of it; empty: the upstream never confirmed that it took it. */
  upstreamId: string;
  action: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** Keyed hash of the channel's key that it belongs to. */
  keyHash: string;
  /** The record that charged it; empty: none ever will. */
  chargeId: string;
  /** Epoch seconds, also of that record. */
  createdAt: number;
  status: string;
  progress: string;
  /** Where the client wants to be notified; empty: nowhere. */
  notifyHook: string;
  /** What its row holds, by column: a report that says no more is no news. */
  stored: Readonly<Record<string, unknown>>;
}>;

export type TaskDeps = Readonly<{
  db: Db;
  changes: Pick<Changes, "publish">;
  settings: SettingsReader;
  vault: Pick<Vault, "keyedHash">;
  log: Logger;
  /** For addresses that users name. */
  hookFetch: SafeFetch;
}>;
