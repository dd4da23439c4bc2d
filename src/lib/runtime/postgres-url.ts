const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const ROLES = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/** How the connection is encrypted, and what the certificate of the server must prove; the names are libpq's. */
export type TlsMode = (typeof TLS_MODES)[number];
export type ServerRole = Exclude<(typeof ROLES)[number], "any">;

/** The parts of a Postgres address. What is null is left to the driver's defaults. */
export type PostgresUrl = Readonly<{
  /** Tried in this order; one that begins with "/" is the folder of a unix socket. Empty: the driver's default. */
  hosts: readonly Readonly<{ host: string; port: number }>[];
  user: string | null;
  password: string | null;
  database: string | null;
  /** Which of the hosts will do; null: the first that answers. */
  role: ServerRole | null;
  /** The files are paths of PEM files; `rootCertificate` may be "system". */
  tls: Readonly<{ mode: TlsMode; rootCertificate: string | null; certificate: string | null; key: string | null }>;
  /** All other parameters of the address. */
  parameters: Readonly<Record<string, string>>;
}>;

/** The address has no form that Postgres knows; the message says what is wrong, without the password. */
class PostgresUrlError extends Error {
  override name = "PostgresUrlError";
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::(\d+))?$/i;
const ADVICE =
  "write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded";
const DEFAULT_PORT = 5432;
const HIGHEST_PORT = 65_535;

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=…&target_session_attrs=…`, percent-encoded, as libpq
 * does. With several hosts the one that takes writes is meant unless the address says otherwise: writes on a standby fail.
 * Throws PostgresUrlError.
 */
export function parsePostgresUrl(url: string): PostgresUrl {
  const parts = FORM.exec(url);
  if (!parts) {
    throw new PostgresUrlError(`is not a valid address: ${ADVICE}`);
  }
  const [, login = "", hosts = "", database = "", query = ""] = parts;
  const colon = login.indexOf(":");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const take = (name: string): string | null => {
    const value = parameters[name] ?? null;
    delete parameters[name];
    return value === "" ? null : value;
  };
  const found = hosts === "" ? [] : hosts.split(",").map(parseHost);
  const role = oneOf("target_session_attrs", ROLES, take("target_session_attrs"));
  const tls = {
    rootCertificate: take("sslrootcert"),
    certificate: take("sslcert"),
    key: take("sslkey"),
  };
  if ((tls.certificate === null) !== (tls.key === null)) {
    throw new PostgresUrlError("needs sslcert and sslkey together");
  }
  return {
    hosts: found,
    user: decode(colon < 0 ? login : login.slice(0, colon)) || null,
    password: colon < 0 ? null : decode(login.slice(colon + 1)),
    database: decode(database) || null,
    role: role === "any" ? null : (role ?? (found.length > 1 ? "read-write" : null)),
    tls: { mode: tlsMode(take("sslmode"), take("ssl"), tls.rootCertificate), ...tls },
    parameters,
  };
}

function parseHost(text: string): { host: string; port: number } {
  const [, host = "", port] = HOST.exec(text) ?? [];
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (host === "" || number < 1 || number > HIGHEST_PORT)
    throw new PostgresUrlError(`has an invalid host or port: ${ADVICE}`);
  return { host: decode(host.replace(/^\[|\]$/g, "")), port: number };
}

/** `ssl` is the driver's older word: "true" verifies as verify-full does. */
function tlsMode(sslmode: string | null, ssl: string | null, rootCertificate: string | null): TlsMode {
  const words: Readonly<Record<string, TlsMode>> = { allow: "prefer", true: "verify-full", false: "disable" };
  const text = sslmode ?? ssl;
  const mode = oneOf("sslmode", TLS_MODES, text === null ? null : (words[text] ?? text));
  if (rootCertificate === null) return mode ?? "disable";
  if (rootCertificate === "system") return "verify-full";
  // As in libpq: whoever names a root certificate wants it to be looked at.
  return mode === "require" ? "verify-ca" : (mode ?? "disable");
}

function oneOf<Word extends string>(name: string, words: readonly Word[], text: string | null): Word | null {
  if (text === null) return null;
  const word = words.find((known) => known === text);
  if (word === undefined) throw new PostgresUrlError(`has an unknown ${name}: use ${words.join(", ")}`);
  return word;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError("has a percent sign that encodes nothing: write %25 for it");
  }
}
