import { asc } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { type AccountKind, users } from "../../../db/schema/accounts/users.ts";
import { DEADLINES_MS, withDeadline } from "../../../db/server/deadlines.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { ASIDE, keepTable, MapCopy, queryOf, type RowQuery, type Selection } from "../../lib/values/keep-table.ts";

/** A user as calls need it. The ledger has the balance. */
export type UserEntry = Readonly<{
  id: number;
  /** An organization is an account without sign-in. */
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
  /** Sessions with another version are invalid. */
  sessionVersion: number;
  accessTokenHash: string | null;
  /** Limits of concurrent calls and of requests per minute that administrators set; 0: none for this user. */
  maxConcurrency: number;
  requestsPerMinute: number;
}>;

export type UserDirectory = {
  get(id: number): UserEntry | undefined;
  all(): Iterable<UserEntry>;
  /** Finds a user by the keyed hash of a system access token. */
  findByAccessTokenHash(hash: string): UserEntry | undefined;
  /** Reads a user from the database, for callers that must not miss a recent change by another process. */
  reread(id: number): Promise<UserEntry | undefined>;
  close(): void;
};

const PAGE_ROWS = 2000;

/** Loads all users and updates them when they change. */
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
