import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { type PostgresUrl, parsePostgresUrl, type ServerRole } from "../../src/lib/values/postgres-url.ts";
import { DatabaseError } from "../types.ts";

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
export function connectionOptions(url: string): { options: AddressOptions; parameters: Record<string, string> } {
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
