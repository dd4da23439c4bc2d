/** One node of Redis or Valkey; `host` may be an IPv6 address, without brackets. */
export type RedisNode = Readonly<{ host: string; port: number }>;

/** The TLS files of an address, as paths of PEM files; null: what the system trusts, and no certificate of the client. */
export type RedisTls = Readonly<{ ca: string | null; cert: string | null; key: string | null }>;

type Login = Readonly<{ username: string | null; password: string | null }>;

/** What REDIS_URL names. `tls` is null on a plain connection. */
export type RedisAddress =
  | Readonly<{ form: "single"; url: string; tls: RedisTls | null }>
  | (Readonly<{ form: "sentinel"; sentinels: RedisNode[]; master: string; database: number; tls: RedisTls | null }> &
      Readonly<{ login: Login; sentinelLogin: Login }>)
  | Readonly<{ form: "cluster"; nodes: RedisNode[]; login: Login; tls: RedisTls | null }>;

const SINGLE = /^(redis|rediss|valkey|valkeys)(\+tls|\+unix|\+tls\+unix)?:\/\//;
const TLS_SCHEME = /^(rediss|valkeys)|\+tls/;
const SEVERAL = /^(?:redis|valkey)(s?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const NODE = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d+))?$/i;
const DEFAULT_PORTS = { sentinel: 26_379, cluster: 6379 };
const HIGHEST_PORT = 65_535;
const TLS_PARAMETERS = ["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"] as const;
const SENTINEL_PARAMETERS = ["sentinel_username", "sentinel_password"] as const;

/**
 * Reads `redis://USER:PASSWORD@HOST:PORT/DATABASE`, `redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE` and
 * `redis+cluster://HOST:PORT,HOST:PORT`; `rediss` instead of `redis` is TLS. Throws an error that says what is wrong,
 * without the password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const parts = SEVERAL.exec(url);
  if (!parts) return parseSingle(url);
  const [, secure, form, login = "", hosts = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const tls = readTls(parameters, secure === "s");
  const shared = { login: parseLogin(login), tls };
  if (form === "cluster") {
    refuseOthers(parameters, TLS_PARAMETERS);
    if (path !== "" && path !== "0") throw new Error("names a database: a cluster has only database 0");
    return { form: "cluster", nodes: parseNodes(hosts, "cluster"), ...shared };
  }
  refuseOthers(parameters, [...TLS_PARAMETERS, ...SENTINEL_PARAMETERS]);
  const [master = "", database = "0"] = path.split("/");
  if (master === "") throw new Error("names no master: write redis+sentinel://HOST:PORT,HOST:PORT/MASTER");
  if (!/^\d+$/.test(database)) throw new Error(`has database "${database}": it must be a number`);
  const sentinelLogin = {
    username: parameters.get("sentinel_username"),
    password: parameters.get("sentinel_password"),
  };
  return {
    ...{ form: "sentinel", sentinels: parseNodes(hosts, "sentinel"), master: decodeURIComponent(master) },
    ...{ database: Number(database), sentinelLogin, ...shared },
  };
}

function parseSingle(url: string): RedisAddress {
  if (!SINGLE.test(url) || !URL.canParse(url)) {
    throw new Error(
      "must be an address such as redis://:PASSWORD@HOST:6379, rediss://… for TLS, redis+sentinel://HOST,HOST/MASTER or " +
        "redis+cluster://HOST,HOST, with special characters of the password percent-encoded",
    );
  }
  const address = new URL(url);
  const tls = readTls(address.searchParams, TLS_SCHEME.test(url));
  for (const name of TLS_PARAMETERS) address.searchParams.delete(name);
  return { form: "single", url: address.href, tls };
}

function readTls(parameters: URLSearchParams, isSecure: boolean): RedisTls | null {
  const [ca, cert, key] = TLS_PARAMETERS.map((name) => parameters.get(name) || null);
  if (!isSecure) {
    const named = TLS_PARAMETERS.find((name) => parameters.has(name));
    if (named) throw new Error(`has ${named} without TLS: write rediss instead of redis`);
    return null;
  }
  if (!cert !== !key) throw new Error("needs both ssl_certfile and ssl_keyfile, or neither");
  return { ca: ca ?? null, cert: cert ?? null, key: key ?? null };
}

function refuseOthers(parameters: URLSearchParams, known: readonly string[]): void {
  const other = [...parameters.keys()].find((name) => !known.includes(name));
  if (other) throw new Error(`has an unknown parameter "${other}": known are ${known.join(", ")}`);
}

function parseLogin(login: string): Login {
  const colon = login.indexOf(":");
  const [username, password] = colon === -1 ? [login, ""] : [login.slice(0, colon), login.slice(colon + 1)];
  try {
    return { username: decodeURIComponent(username) || null, password: decodeURIComponent(password) || null };
  } catch {
    throw new Error("has a user or password that is not percent-encoded");
  }
}

function parseNodes(hosts: string, form: "sentinel" | "cluster"): RedisNode[] {
  return hosts.split(",").map((text) => {
    const [, ipv6, name, port] = NODE.exec(text) ?? [];
    const host = ipv6 ?? name;
    const number = port === undefined ? DEFAULT_PORTS[form] : Number(port);
    if (!host || number < 1 || number > HIGHEST_PORT) throw new Error(`has "${text}" where HOST:PORT belongs`);
    return { host, port: number };
  });
}
