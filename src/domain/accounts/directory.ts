import { type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { requireRow } from "../../../db/require-row.ts";
import { type AccountKind, users } from "../../../db/schema/accounts/users.ts";
import { DEADLINES_MS, withDeadline } from "../../../db/server/deadlines.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { createBatch } from "../../lib/values/tables/batch.ts";
import { ASIDE, keepTable, type PageReader, queryOf, type Selection } from "../../lib/values/tables/keep-table.ts";
import {
  fieldsOf,
  ONE_SNAPSHOT,
  type PackedRow,
  PackedRows,
  type PackedText,
  packedQuery,
  type RowSource,
  readBlocks,
  textField,
  unpackRows,
} from "../../lib/values/tables/packed-rows.ts";

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
  /** Limits of concurrent calls and of requests per minute that administrators set; 0: none for this user. */
  maxConcurrency: number;
  requestsPerMinute: number;
  /** Ids of the people who own an organization: its calls count in their limits too. */
  ownerIds?: readonly number[];
}>;

export type UserDirectory = {
  get(id: number): UserEntry | undefined;
  /** All users were read once: until then one that `get` does not know may exist. */
  isComplete(): boolean;
  rows(): Iterable<PackedRow>;
  /** Reads a user from the database, for callers that must not miss a recent change by another process. */
  reread(id: number): Promise<UserEntry | undefined>;
  close(): void;
};

/** What few users differ in, as JSON; empty for all others. */
export type UserExtras = [
  kind: AccountKind,
  role: number,
  adminRoleId: number | null,
  status: number,
  deleted: boolean,
  acceptUnsetPrice: boolean,
  maxConcurrency: number,
  requestsPerMinute: number,
  ownerIds: readonly number[],
];
const USUAL: UserExtras = ["person", 1, null, 1, false, false, 0, 0, []];

const u = users;
const acceptsUnsetPrice = sql`coalesce(${u.setting} -> 'accept_unset_model_ratio_model' = 'true', false)`;
const ownerIds = sql`(select coalesce(json_agg(m.user_id order by m.user_id), '[]') from organization_members m
  where m.organization_id = ${u.id} and m.role = 'owner')`;
const USER_ROWS: RowSource = {
  table: u,
  id: u.id,
  fields: [
    ...[textField(u.username), textField(u.displayName), textField(u.group)],
    u.sessionVersion,
    sql`case when ${u.kind} = 'person' and ${u.role} = 1 and ${u.adminRoleId} is null and ${u.status} = 1
        and ${u.deletedAt} is null and not ${acceptsUnsetPrice} and ${u.maxConcurrency} = 0
        and ${u.requestsPerMinute} = 0
      then '' else json_build_array(${u.kind}, ${u.role}, ${u.adminRoleId}, ${u.status}, ${u.deletedAt} is not null,
        ${acceptsUnsetPrice}, ${u.maxConcurrency}, ${u.requestsPerMinute}, ${ownerIds})::text end`,
  ],
};

/** All users, by id. */
export class UserTable extends PackedRows<UserEntry> {
  protected override entryOf({ id, text }: PackedRow): UserEntry {
    const [username = "", displayName = "", group = "", sessionVersion, extras] = fieldsOf(text);
    const parsed = extras ? (JSON.parse(extras) as UserExtras) : USUAL;
    const [kind, role, adminRoleId, status, deleted, acceptUnsetPrice, maxConcurrency, requestsPerMinute] = parsed;
    const ownerIds = parsed[8];
    return {
      ...{ id, kind, username, displayName, role, adminRoleId, status, group, deleted, acceptUnsetPrice },
      ...{ sessionVersion: Number(sessionVersion), maxConcurrency, requestsPerMinute },
      ...(kind === "organization" && { ownerIds }),
    };
  }
}

const PAGE_ROWS = 5000;

/**
 * Loads all users and updates them when they change. Their names are kept in a file in `folder`; loading goes on in the background
 * after `patienceMs`. `inTurn` runs it and the first readings of other tables one after the other.
 */
export async function createUserDirectory(
  deps: Readonly<{
    db: Db;
    changes: Changes;
    log: Logger;
    folder?: string;
    patienceMs?: number | undefined;
    inTurn?: ((reading: () => Promise<void>) => Promise<void>) | undefined;
  }>,
): Promise<UserDirectory> {
  const { db, changes, log, folder, patienceMs, inTurn } = deps;
  const table = new UserTable(folder);
  const read = async (selection: Selection): Promise<PackedRow[]> => {
    const statement = packedQuery(USER_ROWS, queryOf(selection, u.id));
    return unpackRows(requireRow(await db.execute<PackedText>(statement)).text);
  };
  const readAll = (reader: PageReader<PackedRow>) =>
    db.transaction((tx) => {
      const query = async (statement: SQL) => requireRow(await tx.execute<PackedText>(statement)).text;
      return readBlocks(query, USER_ROWS, sql`true`, reader);
    }, ONE_SNAPSHOT);
  const { refresh, isComplete, close } = await keepTable(
    { changes, log, topic: "users", read, readAll, pageRows: PAGE_ROWS, aside: ASIDE, patienceMs, inTurn },
    table,
  );
  const readSoon = createBatch(
    (ids: readonly number[]) => withDeadline(DEADLINES_MS.call, () => refresh(ids)),
    PAGE_ROWS,
  );

  return {
    get: table.get.bind(table),
    isComplete,
    rows: () => table.rows(),
    async reread(id) {
      await readSoon(id);
      return table.get(id);
    },
    close,
  };
}
