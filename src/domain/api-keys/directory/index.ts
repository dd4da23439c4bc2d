import { gt, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { createSerial } from "../../../lib/runtime/serial.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { findRemoved } from "../../../lib/values/find-removed.ts";
import { createKeyLookup } from "../key-lookup.ts";
import { type ApiKeyEntry, TOKEN_STATUS } from "./api-key-entry.ts";
import { ApiKeyTable } from "./api-key-table.ts";
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

/** Rows a query, and the rest between two of them. */
type Pace = Readonly<{ rows: number; pauseMs: number }>;
/** At the start nobody else waits for the database. */
const ROWS_AT_START = 5000;
/** Short enough queries not to hold up anybody else on the embedded engine. */
const AT_ONCE: Pace = { rows: 5000, pauseMs: 0 };
/** So little at a time that calls don't notice, also where there are a million. */
const ASIDE: Pace = { rows: 200, pauseMs: 10 };
/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;
/** Loads all API keys and keeps them true. */
export async function createApiKeyDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>,
): Promise<ApiKeyDirectory> {
  const { db, changes, vault, log } = deps;
  const table = new ApiKeyTable();
  const inOrder = createSerial();
  let isClosed = false;

  const refresh = (ids: readonly number[]) =>
    inOrder(async () => {
      const entries = await readEntries(db, sql`${tokens.id} = any(${`{${ids.join(",")}}`}::int[])`, ids.length);
      const found = new Set(entries.map(({ id }) => id));
      for (const id of ids) if (!found.has(id)) table.remove(id);
      for (const entry of entries) table.put(entry);
    });
  const readMissing = async ({ rows: most, pauseMs }: Pace): Promise<ReadonlySet<number>> => {
    const sweep = table.beginSweep();
    for (let last = 0; ; ) {
      const entries = await inOrder(async () => {
        const page = await readEntries(db, gt(tokens.id, last), most);
        for (const entry of page) table.put(entry);
        return page;
      });
      if (entries.length < most) break;
      last = entries.at(-1)?.id ?? last;
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      if (isClosed) return new Set();
    }
    return table.missingAfter(sweep);
  };
  const readAll = async (pace: Pace) => {
    const removed = await findRemoved(
      () => readMissing(pace),
      () => table.size,
      "API keys",
      log,
    );
    for (const id of removed) table.remove(id);
  };

  const findByKey = createKeyLookup(table, vault);
  await readFirst(db, table);
  const unsubscribe = changes.subscribe("tokens", (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger)));
  let isRereading = false;
  const reread = async (pace: Pace) => {
    isRereading = true;
    await readAll(pace).catch((error) => log.warn({ error }, "API keys could not be read again"));
    isRereading = false;
  };
  const unsubscribeGap = changes.onGap(() => reread(AT_ONCE));
  const timer = setInterval(() => isRereading || void reread(ASIDE), REREAD_MS);
  timer.unref();
  return {
    get: (id) => table.get(id),
    findByKey,
    all: () => table.all(),
    reread: (key) =>
      inOrder(async () => {
        const hash = vault.keyedHash(key);
        const isIts = sql`${hash} in (${tokens.keyHash}, ${tokens.previousKeyHash})`;
        const [entry] = await withDeadline(DEADLINES_MS.call, () => readEntries(db, isIts, 1));
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
    close() {
      isClosed = true;
      clearInterval(timer);
      unsubscribe();
      unsubscribeGap();
    },
  };
}

/** Fills the table; while a page is put into it, the database writes the next one. */
async function readFirst(db: Db, table: ApiKeyTable): Promise<void> {
  const after = (id: number) => readEntries(db, gt(tokens.id, id), ROWS_AT_START);
  for (let next: Promise<ApiKeyEntry[]> | null = after(0); next; ) {
    const page: ApiKeyEntry[] = await next;
    const last = page.at(-1);
    next = last && page.length === ROWS_AT_START ? after(last.id) : null;
    for (const entry of page) table.put(entry);
  }
}
