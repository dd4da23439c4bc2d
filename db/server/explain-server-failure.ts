import { DatabaseError, DatabaseUnreachable } from "../types.ts";

/** By SQLSTATE or system error code: what an operator does about it. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: start Postgres, or correct host and port in DATABASE_URL",
  ENOTFOUND: "the host name is unknown: correct it in DATABASE_URL",
  EAI_AGAIN: "the host name could not be looked up: check DNS, or the host in DATABASE_URL",
  CONNECT_TIMEOUT: "the host does not answer: check the address in DATABASE_URL and the firewall",
  CONNECTION_TO_STANDBY: "none of the hosts in DATABASE_URL takes writes: promote a standby, or name the primary",
  CONNECTION_WITHOUT_TLS: "the server has no TLS: turn it on there, or take sslmode out of DATABASE_URL",
  DEPTH_ZERO_SELF_SIGNED_CERT: "name the certificate of its authority by sslrootcert in DATABASE_URL",
  SELF_SIGNED_CERT_IN_CHAIN: "name the certificate of its authority by sslrootcert in DATABASE_URL",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "name the certificate of its authority by sslrootcert in DATABASE_URL",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host: correct the host in DATABASE_URL",
  "28P01": "correct user and password in DATABASE_URL (special characters percent-encoded)",
  "28000":
    "the server does not let this user in from here: check pg_hba.conf, and add ?sslmode=require where it demands TLS",
  "3D000": "create it first (createdb NAME), or correct its name at the end of DATABASE_URL",
  "53300": "the server has no connection left: raise max_connections, or run fewer replicas",
  "57P03": "the server is starting or stopping: try again in a moment",
  "42501":
    "give the user of DATABASE_URL the rights: alter database NAME owner to USER; grant all on schema public to USER",
};

/** System errors, failures of the driver, and SQLSTATEs of a server that starts or stops. */
const UNREACHABLE =
  /^(ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOTFOUND|EAI_AGAIN|CONNECT(ION)?_\w+|STATEMENT_TIMEOUT|57P0[123])$/;

/**
 * SQLSTATEs with which a server that answers does no work: connections that broke (class 08), no resources left (53), a lock that
 * others hold, a statement that took too long, and a standby, which takes no writes. Source:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const OUT_OF_SERVICE = /^(08\w{3}|53\w{3}|55P03|57014|25006)$/;

/** Whether a code, of the system, the driver or the server, says that the database serves nobody just now. */
export const isOutOfService = (code: string): boolean => UNREACHABLE.test(code) || OUT_OF_SERVICE.test(code);

/** The oldest release that has all that the statements need. */
const LEAST_VERSION = 150_000;

/** What failed, below what the query builder says of it. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;

/** The code of a failure, of the system, the driver or the server (SQLSTATE); empty without one. */
export function failureCode(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** A failure of a Postgres server with what to do about it, where that is known. `what` says what failed. */
export function explainServerFailure(what: string, error: unknown): DatabaseError {
  const cause = causeOf(error);
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = failureCode(error);
  const advice = ADVICE[code];
  const Kind = UNREACHABLE.test(code) ? DatabaseUnreachable : DatabaseError;
  return new Kind(`${what}: ${message}${advice ? `: ${advice}` : ""}`);
}

/** Throws DatabaseError for a release that is too old. `number`: server_version_num. */
export function refuseOldServer(number: number): void {
  if (number >= LEAST_VERSION) return;
  const found = Math.floor(number / 10_000);
  throw new DatabaseError(`the server of DATABASE_URL is Postgres ${found}: version 15 or later is needed`);
}
