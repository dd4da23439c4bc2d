import { sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ASIDE, keepTable, queryOf, type Selection } from "../../../lib/values/keep-table.ts";
import { createKeyLookup } from "../key-lookup.ts";
import { type ApiKeyEntry, TOKEN_STATUS } from "./api-key-entry.ts";
import { ApiKeyTable } from "./api-key-table.ts";
import { importedKeyHash } from "./key-hash.ts";
import { readEntries } from "./read-entries.ts";

export { type ApiKeyEntry, TOKEN_STATUS } from "./api-key-entry.ts";

export type ApiKeyDirectory = {
  get(id: number): ApiKeyEntry | undefined;
  /** By the key without `sk-`. */
  findByKey(key: string): ApiKeyEntry | undefined;
  all(): Iterable<ApiKeyEntry>;
  /** Reads a key from the database into memory; undefined: there is none. Rejects when the database does not answer. */
  reread(key: string): Promise<ApiKeyEntry | undefined>;
  /** Marks a key expired (3) or exhausted (4), in the background. */
  setStatus(id: number, status: 3 | 4): void;
  close(): void;
};

const PAGE_ROWS = 5000;

/** Loads all API keys and keeps them true. */
export async function createApiKeyDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>,
): Promise<ApiKeyDirectory> {
  const { db, changes, vault, log } = deps;
  const table = new ApiKeyTable();
  const findByKey = createKeyLookup(table, vault);
  const read = (selection: Selection) => readEntries(db, queryOf(selection, tokens.id));
  const { inOrder, close } = await keepTable(
    { changes, log, topic: "tokens", read, pageRows: PAGE_ROWS, aside: ASIDE },
    table,
  );
  return {
    get: (id) => table.get(id),
    findByKey,
    all: () => table.all(),
    reread: (key) =>
      inOrder(async () => {
        const isIts = sql.join(
          [vault.keyedHash(key), importedKeyHash(vault, key)].map(
            (hash) => sql`${hash} in (${tokens.keyHash}, ${tokens.previousKeyHash})`,
          ),
          sql` or `,
        );
        const [entry] = await withDeadline(DEADLINES_MS.call, () => readEntries(db, { where: isIts, limit: 1 }));
        if (entry) table.put(entry);
        return entry;
      }),
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
