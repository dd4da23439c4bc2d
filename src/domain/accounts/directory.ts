import { asc, gt, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { type AccountKind, users } from "../../../db/schema/accounts/users.ts";
import { DEADLINES_MS, withDeadline } from "../../../db/server/deadlines.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import { findRemoved } from "../../lib/values/find-removed.ts";

/** What every call needs to know about a user; balances live in the ledger. */
export type UserEntry = Readonly<{
  id: number;
  /** Nobody signs in to an organization. */
  kind: AccountKind;
  username: string;
  displayName: string;
  /** 1 user, 10 admin, 100 root. */
  role: number;
  /** 1 active, 2 banned. */
  status: number;
  group: string;
  deleted: boolean;
  /** The user accepts models that have no price. */
  acceptUnsetPrice: boolean;
  /** Sessions of another version are void. */
  sessionVersion: number;
  accessTokenHash: string | null;
  /** Calls at the same time and in a minute that administrators allow; 0: no limit of the user's own. */
  maxConcurrency: number;
  requestsPerMinute: number;
}>;

export type UserDirectory = {
  get(id: number): UserEntry | undefined;
  all(): Iterable<UserEntry>;
  /** By the keyed hash of a system access token. */
  findByAccessTokenHash(hash: string): UserEntry | undefined;
  /** Reads a user from the database, where a change of a moment ago, also by another process, must not be missed. */
  reread(id: number): Promise<UserEntry | undefined>;
  close(): void;
};

/** Rows a query, and the rest between two of them. */
type Pace = Readonly<{ rows: number; pauseMs: number }>;
/** Short enough queries not to hold up anybody else on the embedded engine. */
const AT_ONCE: Pace = { rows: 2000, pauseMs: 0 };
/** So little at a time that calls don't notice, also where there are a million. */
const ASIDE: Pace = { rows: 200, pauseMs: 10 };
/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;

/** Loads all users and keeps them true. */
export async function createUserDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger }>,
): Promise<UserDirectory> {
  const { db, changes, log } = deps;
  const byId = new Map<number, UserEntry>();
  const byAccessToken = new Map<string, UserEntry>();
  const inOrder = createSerial();
  let isClosed = false;

  const forget = (id: number) => {
    const known = byId.get(id);
    if (known?.accessTokenHash) byAccessToken.delete(known.accessTokenHash);
    byId.delete(id);
  };
  const remember = (entry: UserEntry) => {
    forget(entry.id);
    byId.set(entry.id, entry);
    if (entry.accessTokenHash) byAccessToken.set(entry.accessTokenHash, entry);
  };
  const refresh = (ids: readonly number[]) =>
    inOrder(async () => {
      const rows = await readEntries(db, sql`${users.id} = any(${`{${ids.join(",")}}`}::int[])`, ids.length);
      const found = new Set(rows.map((row) => row.id));
      for (const id of ids) if (!found.has(id)) forget(id);
      rows.forEach(remember);
    });
  const readMissing = async ({ rows: most, pauseMs }: Pace): Promise<ReadonlySet<number>> => {
    const unseen = new Set(byId.keys());
    for (let last = 0; ; ) {
      const rows = await inOrder(async () => {
        const slice = await readEntries(db, gt(users.id, last), most);
        slice.forEach(remember);
        return slice;
      });
      for (const { id } of rows) unseen.delete(id);
      if (rows.length < most) break;
      last = rows.at(-1)?.id ?? last;
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      if (isClosed) return new Set();
    }
    return unseen;
  };
  const readAll = async (pace: Pace) => {
    const removed = await findRemoved(
      () => readMissing(pace),
      () => byId.size,
      "users",
      log,
    );
    for (const id of removed) forget(id);
  };

  await readAll(AT_ONCE);
  const unsubscribe = changes.subscribe("users", (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger)));
  let isRereading = false;
  const reread = async (pace: Pace) => {
    isRereading = true;
    await readAll(pace).catch((error) => log.warn({ error }, "users could not be read again"));
    isRereading = false;
  };
  const unsubscribeGap = changes.onGap(() => reread(AT_ONCE));
  const timer = setInterval(() => isRereading || void reread(ASIDE), REREAD_MS);
  timer.unref();

  return {
    get: (id) => byId.get(id),
    all: () => byId.values(),
    findByAccessTokenHash: (hash) => byAccessToken.get(hash),
    async reread(id) {
      await withDeadline(DEADLINES_MS.call, () => refresh([id]));
      return byId.get(id);
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      unsubscribe();
      unsubscribeGap();
    },
  };
}

async function readEntries(db: Db, where: SQL, limit: number): Promise<UserEntry[]> {
  const rows = await db
    .select({
      id: users.id,
      kind: users.kind,
      username: users.username,
      displayName: users.displayName,
      role: users.role,
      status: users.status,
      group: users.group,
      deletedAt: users.deletedAt,
      setting: users.setting,
      sessionVersion: users.sessionVersion,
      accessTokenHash: users.accessTokenHash,
      maxConcurrency: users.maxConcurrency,
      requestsPerMinute: users.requestsPerMinute,
    })
    .from(users)
    .where(where)
    .orderBy(asc(users.id))
    .limit(limit);
  return rows.map(({ deletedAt, setting, ...row }) => ({
    ...row,
    deleted: deletedAt !== null,
    acceptUnsetPrice: setting.accept_unset_model_ratio_model === true,
  }));
}
