import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type PostgresUrl, parsePostgresUrl, type ServerRole } from "../../src/lib/runtime/postgres-url.ts";
import * as schema from "../schema/index.ts";
import { type Database, DatabaseError, type Sql } from "../types.ts";
import { DEADLINES_MS, Deadlines, type DriverStatement } from "./deadlines.ts";

type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<number> }> & {
  /** Makes a connected socket; the driver's types do not know this option. */
  socket?: () => Promise<Socket>;
  /** Statements sent ahead on a busy connection; 0: none, they wait for one that is free. The types do not know it. */
  max_pipeline?: number;
  /** How long a statement may take, where `withDeadline` says nothing else; undefined: as long as it takes. */
  deadlineMs?: number;
};

/** What the patch adds to the driver (patches/postgres@….patch). */
type Patched = {
  /** Gives up idle connections that have received nothing since then (`performance.now`). */
  dropIdle(sinceMs: number): void;
  /** `sql` is the driver of the connection that listens, once there is one. */
  listen: { sql?: Sql };
};

type Driver = Pick<Database, "sql" | "db" | "callDb" | "listDb">;

/** int8 arrives as a number: quota and counters stay below 2^53. */
const BIGINT_AS_NUMBER: postgres.PostgresType<number> = { to: 20, from: [20], parse: Number, serialize: String };

/**
 * The one driver for both engines; `callDb` gives its statements the deadline of those that a client's call waits for. Every
 * statement is prepared under a name, also inside transactions: that halves its cost and more, and the query builder would not
 * do so by itself. Those of `listDb` have none: from its sixth execution on, a named one may be carried out by a plan for any
 * values, which reads all rows where the values of a filter would choose a few.
 */
export function openDriver({ deadlineMs, ...options }: DriverOptions, url?: string): Driver {
  const deadlines =
    deadlineMs === undefined ? null : new Deadlines(deadlineMs, (since) => patchedOf(sql).dropIdle(since));
  const settings: DriverOptions & { onquery?: (statement: DriverStatement) => void } = {
    onnotice: () => {},
    backoff: reconnectSeconds,
    ...options,
    ...(deadlines && { onquery: deadlines.watch }),
    types: { bigint: BIGINT_AS_NUMBER },
  };
  const sql = postgres(url === undefined ? settings : withAddress(settings, url)) as Sql;
  // Made before `named` changes the driver, so that no statement passes through both.
  const listDb = drizzle(unnamed(sql), { schema });
  const callSql = named(Object.create(sql) as Sql, DEADLINES_MS.call);
  return { sql, db: drizzle(named(sql), { schema }), callDb: drizzle(callSql, { schema }), listDb };
}

function withAddress(settings: DriverOptions, url: string): DriverOptions {
  const { options, parameters } = connectionOptions(url);
  const connection = { ...settings.connection, ...parameters };
  // The driver takes lists of hosts and ports; its types know only one of each.
  return Object.assign({ ...settings, connection }, options);
}

const patchedOf = (sql: Sql): Patched => sql as unknown as Patched;

/**
 * Asks the connection that listens for notifications whether it is still there: it never waits for an answer, so a
 * server that went silent would not be noticed. One that does not answer in time is destroyed, and opened again.
 */
export async function checkListener(sql: Sql): Promise<void> {
  const listener = patchedOf(sql).listen.sql;
  if (listener) await listener`select 1`;
}

/** A database that was restarted is found again within a second; the driver's own pauses grow to twenty. */
const reconnectSeconds = (failures: number): number => Math.min(0.05 * 2 ** failures, 1);

type Unsafe = (query: string, parameters?: unknown[], options?: object) => unknown;
type Begin = (...args: unknown[]) => unknown;

/** The driver as it is: its `unsafe` gives a statement no name where the query builder asks for none. */
const unnamed = (sql: Sql): Sql => Object.assign(Object.create(sql), { unsafe: sql.unsafe, begin: sql.begin });

/** Names the statements of a driver or transaction, and gives them a deadline where one is named. Changes it in place. */
function named(sql: Sql, deadlineMs?: number): Sql {
  const statements = sql as unknown as { unsafe: Unsafe; begin?: Begin; savepoint?: Begin };
  const { unsafe, begin, savepoint } = statements;
  const bound = unsafe.bind(sql);
  // The option must come last: the query builder passes `prepare: false`.
  statements.unsafe = (query, parameters = [], options = {}) => {
    const statement = bound(query, parameters, parameters.length ? { ...options, prepare: true } : options);
    return deadlineMs === undefined ? statement : Object.assign(statement as object, { deadlineMs });
  };
  const scoped =
    (start: Begin): Begin =>
    (...args) => {
      const work = args.pop() as (inner: Sql) => unknown;
      return start.call(sql, ...args, (inner: Sql) => work(named(inner, deadlineMs)));
    };
  if (begin) statements.begin = scoped(begin);
  if (savepoint) statements.savepoint = scoped(savepoint);
  return sql;
}

/** The driver's options of an address. */
type AddressOptions = {
  host?: string[];
  port?: number[];
  /** Seconds for each of several hosts, so that the last one is tried before whoever waits gives up. */
  connect_timeout?: number;
  path?: string;
  user?: string;
  pass?: string;
  database?: string;
  /** `optional`: goes on without TLS where the server has none (the patched driver reads it). */
  /** false: no statement has a name, for a pooler that keeps none. */
  prepare?: false;
  ssl: false | (ConnectionOptions & { optional?: boolean });
  target_session_attrs?: ServerRole;
};

/** What the silence of all hosts but the last may take: the first statement, with a call's deadline, waits for it. */
const ALL_BUT_LAST_S = 4;

/** Names that libpq and the driver take as options of the client: a server would refuse them. */
const CLIENT_PARAMETERS = new Set([
  ...[
    "connect_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
  ],
  ...["gssencmode", "channel_binding", "sslsni", "sslnegotiation", "load_balance_hosts", "prepare", "max"],
  ...["idle_timeout", "max_lifetime", "keep_alive", "fetch_types", "max_pipeline", "backoff", "debug"],
]);

/**
 * What the driver needs to connect to an address, and the address's parameters that are for the server. Reads the files of
 * certificates. Throws DatabaseError when one cannot be read, PostgresUrlError for an address without a valid form.
 */
function connectionOptions(url: string): { options: AddressOptions; parameters: Record<string, string> } {
  const { hosts, user, password, database, role, tls, parameters } = parsePostgresUrl(url);
  const socket = hosts.find(({ host }) => host.startsWith("/"));
  return {
    options: {
      ...(hosts.length > 0 && { host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port) }),
      ...(hosts.length > 1 && { connect_timeout: Math.min(2, ALL_BUT_LAST_S / (hosts.length - 1)) }),
      ...(socket && { path: `${socket.host}/.s.PGSQL.${socket.port}` }),
      ...(user !== null && { user }),
      ...(password !== null && { pass: password }),
      ...(database !== null && { database }),
      ...(role !== null && { target_session_attrs: role }),
      ...(parameters.prepare === "false" && { prepare: false }),
      ssl: tlsOptions(tls),
    },
    parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => !CLIENT_PARAMETERS.has(name))),
  };
}

function tlsOptions({ mode, rootCertificate, certificate, key }: PostgresUrl["tls"]): AddressOptions["ssl"] {
  if (mode === "disable") return false;
  const verifies = mode === "verify-ca" || mode === "verify-full";
  return {
    rejectUnauthorized: verifies,
    ...(mode === "prefer" && { optional: true }),
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
    ...(verifies && rootCertificate !== null && rootCertificate !== "system" && { ca: read(rootCertificate) }),
    ...(certificate !== null && { cert: read(certificate) }),
    ...(key !== null && { key: read(key) }),
  };
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new DatabaseError(`DATABASE_URL names a file that cannot be read: ${file}${code}`);
  }
}
