import { asc } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { type AccountKind, users } from "../../../db/schema/accounts/users.ts";
import { DEADLINES_MS, withDeadline } from "../../../db/server/deadlines.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { ASIDE, keepTable, MapCopy, queryOf, type RowQuery, type Selection } from "../../lib/values/keep-table.ts";

/** What every call needs to know about a user; balances live in the ledger. */
export type UserEntry = Readonly<{
  id: number;
  /** Nobody signs in to an organization. */
  kind: AccountKind;
  username: string;
  displayName: string;
  /** 1 user, 10 admin, 100 root. */
  role: number;
  /** A custom role with rights to parts of the administration; null: none. */
  adminRoleId: number | null;
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

const PAGE_ROWS = 2000;

/** Loads all users and keeps them true. */
export async function createUserDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger }>,
): Promise<UserDirectory> {
  const { db, changes, log } = deps;
  const byAccessToken = new Map<string, UserEntry>();
  const copy = new MapCopy<UserEntry>({
    add(entry) {
      if (entry.accessTokenHash) byAccessToken.set(entry.accessTokenHash, entry);
    },
    remove({ accessTokenHash }) {
      if (accessTokenHash) byAccessToken.delete(accessTokenHash);
    },
  });
  const { byId } = copy;
  const read = (selection: Selection) => readEntries(db, queryOf(selection, users.id));
  const { refresh, close } = await keepTable(
    { changes, log, topic: "users", read, pageRows: PAGE_ROWS, aside: ASIDE },
    copy,
  );

  return {
    get: (id) => byId.get(id),
    all: () => byId.values(),
    findByAccessTokenHash: (hash) => byAccessToken.get(hash),
    async reread(id) {
      await withDeadline(DEADLINES_MS.call, () => refresh([id]));
      return byId.get(id);
    },
    close,
  };
}

async function readEntries(db: Db, { where, limit }: RowQuery): Promise<UserEntry[]> {
  const rows = await db
    .select({
      id: users.id,
      kind: users.kind,
      username: users.username,
      displayName: users.displayName,
      role: users.role,
      adminRoleId: users.adminRoleId,
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
