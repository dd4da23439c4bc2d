import { type Column, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { createBatch } from "../../../lib/values/tables/batch.ts";
import { ASIDE, keepTable, type PageReader, queryOf, type RowQuery } from "../../../lib/values/tables/keep-table.ts";
import {
  ONE_SNAPSHOT,
  type PackedRow,
  type PackedText,
  packedQuery,
  readBlocks,
  unpackRows,
} from "../../../lib/values/tables/packed-rows.ts";
import { type ApiKeyEntry, TOKEN_STATUS } from "./api-key-entry.ts";
import { ApiKeyTable, createKeyLookup, KEY_ROWS } from "./api-key-table.ts";
import { importedKeyHash } from "./key-hash.ts";

export { type ApiKeyEntry, TOKEN_STATUS } from "./api-key-entry.ts";

export type ApiKeyDirectory = {
  get(id: number): ApiKeyEntry | undefined;
  /** All keys were read once: until then one that is not found may exist. */
  isComplete(): boolean;
  /** By the key without `sk-`. */
  findByKey(key: string): ApiKeyEntry | undefined;
  rows(): Iterable<PackedRow>;
  /** Reads a key from the database into memory; undefined: there is none. Rejects when the database does not answer. */
  reread(key: string): Promise<ApiKeyEntry | undefined>;
  /** The same by its id. */
  load(id: number): Promise<ApiKeyEntry | undefined>;
  /** Marks a key expired (3) or exhausted (4), in the background. */
  setStatus(id: number, status: 3 | 4): void;
  close(): void;
};

const PAGE_ROWS = 5000;
/** Keys that callers wait for and one query reads. */
const MOST_KEYS = 500;

/**
 * Loads all API keys and keeps them true. What they are is kept in a file in `folder`; loading goes on in the background after
 * `patienceMs`. `inTurn` runs it and the first readings of other tables one after the other.
 */
export async function createApiKeyDirectory(
  deps: Readonly<{
    db: Db;
    changes: Changes;
    vault: Vault;
    log: Logger;
    folder?: string;
    patienceMs?: number | undefined;
    inTurn?: ((reading: () => Promise<void>) => Promise<void>) | undefined;
  }>,
): Promise<ApiKeyDirectory> {
  const { db, changes, vault, log, folder, patienceMs, inTurn } = deps;
  const table = new ApiKeyTable(folder);
  const findByKey = createKeyLookup(table, vault);
  const isPresent = sql`${tokens.deletedAt} is null`;
  const read = async ({ where, limit }: RowQuery): Promise<PackedRow[]> => {
    const query = { where: sql`${where} and ${isPresent}`, limit };
    return unpackRows(requireRow(await db.execute<PackedText>(packedQuery(KEY_ROWS, query))).text);
  };
  const readAll = (reader: PageReader<PackedRow>) =>
    db.transaction((tx) => {
      const query = async (statement: SQL) => requireRow(await tx.execute<PackedText>(statement)).text;
      return readBlocks(query, KEY_ROWS, isPresent, reader);
    }, ONE_SNAPSHOT);
  const source = { topic: "tokens" as const, pageRows: PAGE_ROWS, aside: ASIDE, patienceMs, inTurn };
  const { readNow, isComplete, close } = await keepTable(
    { changes, log, ...source, readAll, read: (selection) => read(queryOf(selection, tokens.id)) },
    table,
  );
  const readKeys = (keys: readonly string[]) => {
    const hashes = keys.flatMap((key) => [vault.keyedHash(key), importedKeyHash(vault, key)]);
    const isAny = (column: Column) => sql`${column} = any(${`{${hashes.join(",")}}`}::text[])`;
    const where = sql`(${isAny(tokens.keyHash)} or ${isAny(tokens.previousKeyHash)})`;
    return withDeadline(DEADLINES_MS.call, () => readNow(() => read({ where, limit: hashes.length })));
  };
  const readSoon = createBatch(readKeys, MOST_KEYS);
  return {
    get: (id) => table.get(id),
    isComplete,
    findByKey,
    rows: () => table.rows(),
    async reread(key) {
      await readSoon(key);
      return findByKey(key);
    },
    async load(id) {
      await readNow(() => read({ where: sql`${tokens.id} = ${id}`, limit: 1 }));
      return table.get(id);
    },
    setStatus(id, status) {
      const mark = async () => {
        await db
          .update(tokens)
          .set({ status })
          .where(sql`${tokens.id} = ${id} and ${tokens.status} = ${TOKEN_STATUS.enabled}`);
        await changes.publish("tokens", [id]);
      };
      mark().catch((error) => log.warn({ error, tokenId: id }, "the status of an API key could not be saved"));
    },
    close,
  };
}
