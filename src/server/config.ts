/** Environment → one typed, validated object. Nothing else reads process.env. */

export type Config = Readonly<{
  host: string;
  port: number;
  dataDir: string;
  /** Postgres address; null: the embedded engine in `dataDir`. */
  databaseUrl: string | null;
  redisUrl: string | null;
  /** Given secrets win over the ones created once in `dataDir`. */
  sessionSecret: string | null;
  encryptionKey: string | null;
  /** Addresses or CIDR ranges whose forwarded headers are believed. */
  trustedProxies: readonly string[];
  logLevel: LogLevel;
  logFormat: "json" | "pretty";
  allowPrivateUpstreams: boolean;
  /** The environment names a proxy for all outgoing requests of the process. */
  usesEnvironmentProxy: boolean;
  /** 0 to 1: how much of its share of a balance a process may spend while the database is away. */
  outageSpendRatio: number;
  /** Milliseconds to the head of an upstream's response; 0: no limit. */
  relayTimeoutMs: number;
  /** Milliseconds of silence while an upstream's response is read. */
  streamingTimeoutMs: number;
  /** Largest response of an upstream that is read whole, and largest event of a stream; decompressed. */
  maxResponseBodyBytes: number;
  /** Connections in use at a time, for each origin of an upstream. */
  maxUpstreamConnections: number;
  /** Largest body of a relayed call, packed or unpacked. */
  maxRequestBodyBytes: number;
  /** Largest form of a relayed call; its files wait on the disk. */
  maxUploadBytes: number;
  /** Milliseconds that a relayed call's body may take to arrive, beside what its size needs over a slow line. */
  requestBodyTimeoutMs: number;
  /** Seconds of silence after which a client's connection is closed; relayed calls have limits of their own. */
  idleTimeoutSeconds: number;
  /**
   * Milliseconds after SIGTERM in which /readyz already says no and new connections are still taken; null: as many as
   * balancers need where other replicas can take over, else none.
   */
  shutdownDelayMs: number | null;
  /** Milliseconds that open calls get to finish after SIGTERM. */
  shutdownTimeoutMs: number;
  rateLimits: Readonly<{ api: RateLimit; web: RateLimit; critical: RateLimit }>;
  /** Whoever registers starts with an API key. */
  generateDefaultToken: boolean;
  /** Users' webhooks may lead to private, loopback and link-local addresses. */
  allowPrivateWebhooks: boolean;
  /** Base addresses of the services that notices go through, without a slash at the end. */
  notifyAddresses: NotifyAddresses;
  /** Notices of one kind to the super admin. */
  notifyLimit: Readonly<{ count: number; windowMs: number }>;
  /** Base addresses of the services that people sign in with, without a slash at the end. */
  signInAddresses: SignInAddresses;
  /** Tells the newest release, as GitHub's API does; null: updates are not looked for. */
  updateCheckUrl: string | null;
  /** Where this software is at home, which the footer links; null: nowhere. */
  projectUrl: string | null;
  /** Base address of the service that takes cards, without a slash at the end. */
  stripeAddress: string;
}>;

export type NotifyAddresses = Readonly<{ wecom: string; dingtalk: string; wxpusher: string; bark: string }>;

export type SignInAddresses = Readonly<{
  github: string;
  githubApi: string;
  linuxdo: string;
  linuxdoApi: string;
  discord: string;
  telegram: string;
  /** Where the human check's script comes from. */
  turnstile: string;
  /** Where its proofs are verified. */
  turnstileVerify: string;
}>;

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Requests per window and address; null: not limited. */
export type RateLimit = Readonly<{ count: number; windowMs: number }> | null;

/** The environment is wrong; the message names the variable and says what it may be. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

const LOG_LEVELS: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** The runtime's fetch obeys them. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

const MEGABYTE = 1_048_576;

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the configuration from environment variables. Throws ConfigError. */
export function readConfig(env: Env = process.env, isTerminal = process.stdout.isTTY === true): Config {
  const read = reader(env);
  const turnstile = read.address("TURNSTILE_BASE_URL", "https://challenges.cloudflare.com");
  return {
    host: read.text("HOST") ?? "0.0.0.0",
    port: read.integer("PORT", 3000, 0, 65_535),
    dataDir: read.text("DATA_DIR") ?? "./data",
    databaseUrl: postgresUrl(read.text("DATABASE_URL") ?? read.text("SQL_DSN")),
    redisUrl: redisUrl(read.text("REDIS_URL") ?? read.text("REDIS_CONN_STRING")),
    sessionSecret: read.text("SESSION_SECRET"),
    encryptionKey: read.text("ENCRYPTION_KEY"),
    trustedProxies: read.list("TRUSTED_PROXIES"),
    logLevel: read.oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
    logFormat: read.oneOf("LOG_FORMAT", ["json", "pretty"] as const, isTerminal ? "pretty" : "json"),
    allowPrivateUpstreams: read.flag("ALLOW_PRIVATE_UPSTREAMS", false),
    usesEnvironmentProxy: PROXY_VARIABLES.some((name) => read.text(name) !== null),
    outageSpendRatio: read.fraction("OUTAGE_SPEND_RATIO", 1),
    relayTimeoutMs: read.integer("RELAY_TIMEOUT", 600, 0, 86_400) * 1000,
    streamingTimeoutMs: read.integer("STREAMING_TIMEOUT", 300, 1, 86_400) * 1000,
    maxResponseBodyBytes: read.integer("MAX_RESPONSE_BODY_MB", 64, 1, 1024) * MEGABYTE,
    maxUpstreamConnections: read.integer("MAX_UPSTREAM_CONNECTIONS", 10_000, 1, 65_535),
    maxRequestBodyBytes: read.integer("MAX_REQUEST_BODY_MB", 64, 1, 256) * MEGABYTE,
    // A file comes with some words about it.
    maxUploadBytes: (read.integer("MAX_UPLOAD_MB", 256, 1, 1024) + 1) * MEGABYTE,
    requestBodyTimeoutMs: read.integer("REQUEST_BODY_TIMEOUT", 60, 1, 3600) * 1000,
    // The runtime takes 255 at most. Load balancers that keep connections for a minute must not meet one that just closes.
    idleTimeoutSeconds: read.integer("IDLE_TIMEOUT", 75, 1, 255),
    shutdownDelayMs: read.text("SHUTDOWN_DELAY") === null ? null : read.integer("SHUTDOWN_DELAY", 0, 0, 3600) * 1000,
    shutdownTimeoutMs: read.integer("SHUTDOWN_TIMEOUT", 30, 0, 3600) * 1000,
    rateLimits: {
      api: read.rateLimit("GLOBAL_API_RATE_LIMIT", 180, 180),
      web: read.rateLimit("GLOBAL_WEB_RATE_LIMIT", 60, 180),
      critical: read.rateLimit("CRITICAL_RATE_LIMIT", 20, 1200),
    },
    generateDefaultToken: read.flag("GENERATE_DEFAULT_TOKEN", false),
    allowPrivateWebhooks: read.flag("ALLOW_PRIVATE_WEBHOOKS", false),
    notifyAddresses: {
      wecom: read.address("WECOM_BASE_URL", "https://qyapi.weixin.qq.com"),
      dingtalk: read.address("DINGTALK_BASE_URL", "https://oapi.dingtalk.com"),
      wxpusher: read.address("WXPUSHER_BASE_URL", "https://wxpusher.zjiecode.com"),
      bark: read.address("BARK_BASE_URL", "https://api.day.app"),
    },
    notifyLimit: {
      count: read.integer("NOTIFY_LIMIT_COUNT", 2, 1, 1000),
      windowMs: read.integer("NOTIFICATION_LIMIT_DURATION_MINUTE", 10, 1, 1440) * 60_000,
    },
    updateCheckUrl: read.text("UPDATE_CHECK_URL") === null ? null : read.address("UPDATE_CHECK_URL", ""),
    projectUrl: read.text("PROJECT_URL") === null ? null : read.address("PROJECT_URL", ""),
    signInAddresses: {
      github: read.address("GITHUB_BASE_URL", "https://github.com"),
      githubApi: read.address("GITHUB_API_URL", "https://api.github.com"),
      linuxdo: read.address("LINUXDO_BASE_URL", "https://connect.linux.do"),
      linuxdoApi: read.address("LINUXDO_API_URL", "https://connect.linux.do"),
      discord: read.address("DISCORD_BASE_URL", "https://discord.com"),
      telegram: read.address("TELEGRAM_BASE_URL", "https://oauth.telegram.org"),
      turnstile,
      turnstileVerify: read.address("TURNSTILE_VERIFY_URL", `${turnstile}/turnstile/v0/siteverify`),
    },
    stripeAddress: read.address("STRIPE_API_URL", "https://api.stripe.com"),
  };
}

function reader(env: Env) {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (["true", "1", "yes", "on"].includes(value)) return true;
    if (["false", "0", "no", "off"].includes(value)) return false;
    throw new ConfigError(`${name} must be true or false`);
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const parsed = Number(value);
    if (!Number.isInteger(parsed) || parsed < min || parsed > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`);
    }
    return parsed;
  };
  const fraction = (name: string, fallback: number): number => {
    const value = text(name);
    const parsed = value === null ? fallback : Number(value);
    if (parsed >= 0 && parsed <= 1) return parsed;
    throw new ConfigError(`${name} must be a number from 0 to 1`);
  };
  return {
    text,
    flag,
    integer,
    fraction,
    address(name: string, fallback: string): string {
      const value = (text(name) ?? fallback).replace(/\/+$/, "");
      if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value;
      throw new ConfigError(`${name} must be an address that begins with http:// or https://`);
    },
    list: (name: string): string[] => (text(name) ?? "").split(/[\s,]+/).filter(Boolean),
    oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = text(name)?.toLowerCase();
      if (value === undefined) return fallback;
      const choice = choices.find((candidate) => candidate === value);
      if (!choice) throw new ConfigError(`${name} must be one of ${choices.join(", ")}`);
      return choice;
    },
    rateLimit(name: string, count: number, windowSeconds: number): RateLimit {
      if (!flag(`${name}_ENABLE`, true)) return null;
      return {
        count: integer(name, count, 1, 1_000_000),
        windowMs: integer(`${name}_DURATION`, windowSeconds, 1, 86_400) * 1000,
      };
    },
  };
}

function postgresUrl(value: string | null): string | null {
  if (value === null) return null;
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new ConfigError("DATABASE_URL must begin with postgres:// (without it the embedded database is used)");
  }
  if (URL.canParse(value)) return value;
  throw new ConfigError(
    "DATABASE_URL is not a valid address: postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded",
  );
}

const REDIS_SCHEME = /^(redis|rediss|valkey|valkeys)(\+tls|\+unix|\+tls\+unix)?:\/\//;

function redisUrl(value: string | null): string | null {
  if (value === null || (REDIS_SCHEME.test(value) && URL.canParse(value))) return value;
  throw new ConfigError("REDIS_URL must be an address such as redis://:PASSWORD@HOST:6379 or rediss://… for TLS");
}
