import type { LogMonth } from "../maintenance/partitions.ts";

/**
 * A backup is text, compressed with Zstandard, one JSON value a line. Arrays are marks, objects are rows:
 *
 *   ["sluice backup", {"format":1,"version":"1.2.0","migration":1795237265097,…}]
 *   ["table", "users", ["id","username",…]]
 *   {"id":1,"username":"root",…}              as row_to_json writes them: numbers exact, columns by name
 *   ["end", {"users":1,…}, {"users_id_seq":1,…}]
 *   ["sha256", "…"]                           of every byte before this line
 *
 * Secrets stay encrypted as they are in the database, so the key (ENCRYPTION_KEY or the key file of DATA_DIR) is needed
 * a separate file and should be stored elsewhere.
 */
export const FORMAT = 1;
export const HEAD_MARK = "sluice backup";

export type BackupHead = Readonly<{
  format: number;
  /** The release that wrote it. */
  version: string;
  /** Newest migration of the tables, milliseconds since 1970. */
  migration: number;
  /** Epoch seconds. */
  createdAt: number;
  /** The log's months, so that restored rows find their partition. */
  logMonths: readonly LogMonth[];
}>;

/** Rows a table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;
/** Last number given out a sequence; null: none yet. */
export type Sequences = Readonly<Record<string, number | null>>;

export type BackupItem =
  | Readonly<{ kind: "head"; head: BackupHead }>
  | Readonly<{ kind: "table"; name: string; columns: readonly string[] }>
  | Readonly<{ kind: "row"; json: string }>
  | Readonly<{ kind: "end"; counts: RowCounts; sequences: Sequences }>;

/** The file or the database cannot be used for this; the message says why and what to do. */
export class BackupError extends Error {
  override name = "BackupError";
}
