import { parseRedisUrl } from "../lib/redis/redis-url.ts";
import { messageOf } from "../lib/runtime/error-message.ts";
import { parsePostgresUrl } from "../lib/runtime/postgres-url.ts";
import { isSecretReference, SecretReferenceError } from "../lib/security/secret-references/reference.ts";
import { secretManagerVariables } from "../lib/security/secret-references/variables.ts";
import {
  basePath,
  ConfigError,
  flag,
  fraction,
  integer,
  list,
  oneOf,
  optionalAddress,
  optionalInteger,
  optionalText,
  pairs,
  type ReadText,
  rateLimit,
  serviceAddress,
  shares,
  text,
  type Variable,
  variable,
  workerCount,
} from "../lib/security/variables.ts";

export { ConfigError } from "../lib/security/variables.ts";

const MEGABYTE = 1_048_576;
const SECOND = 1000;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const OTLP_PROTOCOLS = ["http/protobuf", "http/json", "grpc"] as const;
const SAMPLERS = [
  ...(["always_on", "always_off", "traceidratio"] as const),
  ...(["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const),
];
const TURNSTILE = "https://challenges.cloudflare.com";

/** Every environment variable that Sluice reads, as one table: docs/operate/configuration.md shows it to operators. */
const configSchema = (isTerminal: boolean) => ({
  host: text("HOST", "0.0.0.0"),
  port: integer("PORT", 3000, { min: 0, max: 65_535 }),
  dataDir: text("DATA_DIR", "./data"),
  /** Folder of archived log rows; null: `archive` in `dataDir`. */
  archiveDir: optionalText("ARCHIVE_DIR", { shown: "DATA_DIR/archive" }),
  /** Postgres address; null: the embedded engine in `dataDir`. */
  databaseUrl: variable("DATABASE_URL", postgresUrl("DATABASE_URL"), { aliases: ["SQL_DSN"], isSecret: true }),
  /** The server itself, where DATABASE_URL names a pooler in transaction mode; null: there is none in between. */
  databaseDirectUrl: variable("DATABASE_DIRECT_URL", postgresUrl("DATABASE_DIRECT_URL"), { isSecret: true }),
  /** A standby for lists and charts, of the database that has the log; null: these are read from the primary too. */
  databaseReplicaUrl: variable("DATABASE_REPLICA_URL", postgresUrl("DATABASE_REPLICA_URL"), { isSecret: true }),
  /** Another Postgres for log rows and their roll-ups; null: they are in the same database as all else. */
  logDatabaseUrl: variable("LOG_DATABASE_URL", postgresUrl("LOG_DATABASE_URL"), {
    aliases: ["LOG_SQL_DSN"],
    isSecret: true,
  }),
  /** Seconds that the standby may be behind; beyond that the primary is read. */
  maxReplicaLagSeconds: integer("DATABASE_REPLICA_MAX_LAG", 10, { min: 1, max: 86_400 }),
  redisUrl: variable("REDIS_URL", redisUrl, { aliases: ["REDIS_CONN_STRING"], isSecret: true }),
  /** Given secrets win over the ones created once in `dataDir`. */
  encryptionKey: optionalText("ENCRYPTION_KEY", { shown: "created in DATA_DIR/secret.key", isSecret: true }),
  sessionSecret: optionalText("SESSION_SECRET", { shown: "derived from ENCRYPTION_KEY", isSecret: true }),
  /** Where references in the place of secrets are resolved. */
  secretManagers: secretManagerVariables,
  /** Processes that share the port; null: as many as there are cores. With the embedded database there is one. */
  workers: workerCount("WORKERS"),
  logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
  logFormat: oneOf("LOG_FORMAT", ["json", "pretty"], isTerminal ? "pretty" : "json", "pretty in a terminal, else json"),
  /** Addresses or CIDR ranges whose forwarded headers are believed. */
  trustedProxies: list("TRUSTED_PROXIES"),
  /** The path below which the site is reached, such as `/sluice`; empty: the root. */
  basePath: basePath("BASE_PATH"),
  allowPrivateUpstreams: flag("ALLOW_PRIVATE_UPSTREAMS", false),
  /** Users' webhooks may lead to private, loopback and link-local addresses. */
  allowPrivateWebhooks: flag("ALLOW_PRIVATE_WEBHOOKS", false),
  /** MCP servers that are processes: which commands may be started; empty: none. */
  mcpStdio: {
    commands: list("MCP_STDIO_COMMANDS"),
    maxProcesses: integer("MCP_STDIO_PROCESSES", 16, { min: 1, max: 1000 }),
    maxMemoryBytes: integer("MCP_STDIO_MEMORY_MB", 1024, { min: 64, max: 65_536, times: MEGABYTE }),
  },
  /**
   * Seconds of silence after which a client's connection is closed; calls have limits of their own. The runtime takes 255 at
   * most. Load balancers that keep connections for a minute must not meet one that just closes.
   */
  idleTimeoutSeconds: integer("IDLE_TIMEOUT", 75, { min: 1, max: 255 }),
  /** Largest body of a call, packed or unpacked. */
  maxRequestBodyBytes: integer("MAX_REQUEST_BODY_MB", 64, { min: 1, max: 256, times: MEGABYTE }),
  /** Memory for bodies of calls together, in each process; null: half of what it has, beyond what else it needs. */
  bodyMemoryBytes: optionalInteger(
    "BODY_MEMORY_MB",
    { min: 1, max: 1_048_576, times: MEGABYTE },
    "by the memory of the container or machine",
  ),
  /** Largest file of a call; files wait on the disk. */
  maxFileBytes: integer("MAX_UPLOAD_MB", 256, { min: 1, max: 1024, times: MEGABYTE }),
  /** Largest response of an upstream that is not streamed, and largest event of a stream; decompressed. */
  maxResponseBodyBytes: integer("MAX_RESPONSE_BODY_MB", 64, { min: 1, max: 1024, times: MEGABYTE }),
  /** Connections in use at a time, for each origin of an upstream. */
  maxUpstreamConnections: integer("MAX_UPSTREAM_CONNECTIONS", 10_000, { min: 1, max: 65_535 }),
  /** Milliseconds that a call's body may take to arrive, besides what its size needs over a slow line. */
  requestBodyTimeoutMs: integer("REQUEST_BODY_TIMEOUT", 60, { min: 1, max: 3600, times: SECOND }),
  /** Milliseconds to the head of an upstream's response; 0: no limit. */
  relayTimeoutMs: integer("RELAY_TIMEOUT", 600, { min: 0, max: 86_400, times: SECOND }),
  /** Milliseconds of silence while an upstream's response is read. */
  streamingTimeoutMs: integer("STREAMING_TIMEOUT", 300, { min: 1, max: 86_400, times: SECOND }),
  /** Milliseconds in which the client of a stream reads nothing of what it was sent. */
  writeTimeoutMs: integer("WRITE_TIMEOUT", 60, { min: 1, max: 86_400, times: SECOND }),
  /**
   * Milliseconds after SIGTERM in which /readyz already says no and new connections are still taken; null: as many as
   * balancers need where other replicas can take over, else none.
   */
  shutdownDelayMs: optionalInteger(
    "SHUTDOWN_DELAY",
    { min: 0, max: 3600, times: SECOND },
    "5 with other replicas, else 0",
  ),
  /** Milliseconds that open calls get to finish after SIGTERM. */
  shutdownTimeoutMs: integer("SHUTDOWN_TIMEOUT", 30, { min: 0, max: 3600, times: SECOND }),
  /** 0 to 1: how much of its share of a balance a process may spend while the database is away. */
  outageSpendRatio: fraction("OUTAGE_SPEND_RATIO", 1),
  rateLimits: {
    api: rateLimit("GLOBAL_API_RATE_LIMIT", 180, 180),
    /** Of signed-in users; off where `api` is. */
    user: rateLimit("USER_API_RATE_LIMIT", 600, 60),
    web: rateLimit("GLOBAL_WEB_RATE_LIMIT", 60, 180),
    critical: rateLimit("CRITICAL_RATE_LIMIT", 20, 1200),
  },
  /** Traces and metrics of calls, by the variables of OpenTelemetry; without an endpoint none are made. */
  telemetry: {
    endpoint: optionalAddress("OTEL_EXPORTER_OTLP_ENDPOINT", { shown: "none" }),
    protocol: oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", OTLP_PROTOCOLS, "http/protobuf"),
    headers: pairs("OTEL_EXPORTER_OTLP_HEADERS", { isSecret: true }),
    serviceName: text("OTEL_SERVICE_NAME", "sluice"),
    resource: pairs("OTEL_RESOURCE_ATTRIBUTES"),
    sampler: oneOf("OTEL_TRACES_SAMPLER", SAMPLERS, "parentbased_always_on"),
    /** 0 to 1, for the samplers by ratio. */
    sampledRatio: fraction("OTEL_TRACES_SAMPLER_ARG", 1),
    /** By the requested model, with wildcards: the share that is kept instead. */
    sampledModels: shares("OTEL_TRACES_SAMPLER_MODELS"),
    /** Prompts and outputs become attributes of spans. */
    capturesContent: flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", false),
  },
  /** Whoever registers starts with an API key. */
  generateDefaultToken: flag("GENERATE_DEFAULT_TOKEN", false),
  /** Notices of one kind to the super admin. */
  notifyLimit: {
    count: integer("NOTIFY_LIMIT_COUNT", 2, { min: 1, max: 1000 }),
    windowMs: integer("NOTIFICATION_LIMIT_DURATION_MINUTE", 10, { min: 1, max: 1440, times: 60 * SECOND }),
  },
  /** Returns the newest release, as GitHub's API does; null: updates are not looked for. */
  /** Nothing goes out but to what channels and settings name. */
  isOffline: flag("OFFLINE", false),
  updateCheckUrl: optionalAddress("UPDATE_CHECK_URL", { shown: "none" }),
  /** Where this software is at home, which the footer links; null: nowhere. */
  projectUrl: optionalAddress("PROJECT_URL", { shown: "none" }),
  /** Where prices and facts of models are read on request. */
  catalogFeeds: {
    modelsDev: serviceAddress("MODELS_DEV_URL", "https://models.dev"),
    openRouter: serviceAddress("OPENROUTER_URL", "https://openrouter.ai"),
  },
  /** Where calls by callers' own keys go instead of a provider's address, by its name: to a region of it, or an outgoing proxy. */
  providerKeyAddresses: pairs("PROVIDER_KEY_ADDRESSES"),
  /** Base addresses of the services that notices go through. */
  notifyAddresses: {
    wecom: serviceAddress("WECOM_BASE_URL", "https://qyapi.weixin.qq.com"),
    dingtalk: serviceAddress("DINGTALK_BASE_URL", "https://oapi.dingtalk.com"),
    wxpusher: serviceAddress("WXPUSHER_BASE_URL", "https://wxpusher.zjiecode.com"),
    bark: serviceAddress("BARK_BASE_URL", "https://api.day.app"),
  },
  /** Base addresses of the services that alerts go to. */
  alertAddresses: {
    telegramBot: serviceAddress("TELEGRAM_API_URL", "https://api.telegram.org"),
    pagerduty: serviceAddress("PAGERDUTY_BASE_URL", "https://events.pagerduty.com"),
    pagerdutyEu: serviceAddress("PAGERDUTY_EU_BASE_URL", "https://events.eu.pagerduty.com"),
    opsgenie: serviceAddress("OPSGENIE_BASE_URL", "https://api.opsgenie.com"),
    opsgenieEu: serviceAddress("OPSGENIE_EU_BASE_URL", "https://api.eu.opsgenie.com"),
  },
  /** Base addresses of the services that people sign in with. */
  signInAddresses: {
    github: serviceAddress("GITHUB_BASE_URL", "https://github.com"),
    githubApi: serviceAddress("GITHUB_API_URL", "https://api.github.com"),
    linuxdo: serviceAddress("LINUXDO_BASE_URL", "https://connect.linux.do"),
    linuxdoApi: serviceAddress("LINUXDO_API_URL", "https://connect.linux.do"),
    discord: serviceAddress("DISCORD_BASE_URL", "https://discord.com"),
    telegram: serviceAddress("TELEGRAM_BASE_URL", "https://oauth.telegram.org"),
    /** Where the human check's script comes from. */
    turnstile: serviceAddress("TURNSTILE_BASE_URL", TURNSTILE),
    /** Where its proofs are verified; null: below `turnstile`. */
    turnstileVerify: optionalAddress("TURNSTILE_VERIFY_URL", { isForTests: true }),
  },
  /** Base address of the service that takes cards. */
  stripeAddress: serviceAddress("STRIPE_API_URL", "https://api.stripe.com"),
});

type Schema = ReturnType<typeof configSchema>;
type Values<Group> = {
  readonly [Key in keyof Group]: Group[Key] extends Variable<infer Value> ? Value : Values<Group[Key]>;
};

/** The environment as one typed, validated object. Nothing else reads process.env. */
export type Config = Omit<Values<Schema>, "signInAddresses"> &
  Readonly<{
    /** For files that only this process uses: `dataDir`, or a folder of the worker below it. */
    scratchDir: string;
    signInAddresses: SignInAddresses;
    /** Largest form of a call: a file comes with some words about it. */
    maxUploadBytes: number;
    /** The environment names a proxy for all outgoing requests of the process. */
    usesEnvironmentProxy: boolean;
  }>;

export type AlertAddresses = Config["alertAddresses"];
export type NotifyAddresses = Config["notifyAddresses"];
export type SignInAddresses = Readonly<Record<keyof Schema["signInAddresses"], string>>;

/** The runtime's fetch obeys them. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

type Env = Readonly<Record<string, string | undefined>>;

const textOf =
  (env: Env): ReadText =>
  (name) =>
    env[name]?.trim() || null;

/**
 * The configuration with each reference to a secret manager (`secret://…`) resolved. Rejects ConfigError, which names the
 * variable and the reference where one can't be resolved.
 */
export async function loadConfig(env: Env = process.env): Promise<Config> {
  const read = textOf(env);
  const resolved: Record<string, string | undefined> = {};
  const { secretManagers, ...others } = configSchema(false);
  for (const { defaults, aliases, isSecret, readText } of allVariables(others)) {
    const [name = ""] = Object.keys(defaults);
    const reference = isSecret ? readText(read) : null;
    if (reference === null || !isSecretReference(reference)) continue;
    const { createSecretReader } = await import("../lib/security/secret-references/secret-reader.ts");
    const reader = createSecretReader(readAll(secretManagers, read));
    for (const other of [...aliases, `${name}_FILE`]) resolved[other] = undefined;
    resolved[name] = await reader.read(reference).catch((error) => {
      throw error instanceof SecretReferenceError
        ? new ConfigError(`${name} can't be resolved: ${error.message}`)
        : error;
    });
  }
  return readConfig({ ...env, ...resolved });
}

/** Where the process listens and keeps its files, for commands that need no secret. Throws ConfigError. */
export function readLocation(env: Env = process.env): Pick<Config, "host" | "port" | "dataDir"> {
  const { host, port, dataDir } = configSchema(false);
  return readAll({ host, port, dataDir }, textOf(env));
}

/** Reads the configuration from environment variables, which hold secrets themselves. Throws ConfigError. */
export function readConfig(env: Env = process.env, isTerminal = process.stdout.isTTY === true): Config {
  const read = textOf(env);
  const values = readAll(configSchema(isTerminal), read);
  const { turnstile, turnstileVerify, ...others } = values.signInAddresses;
  refuseWithoutServer(values);
  return {
    ...values,
    scratchDir: values.dataDir,
    signInAddresses: {
      ...others,
      turnstile,
      turnstileVerify: turnstileVerify ?? `${turnstile}/turnstile/v0/siteverify`,
    },
    maxUploadBytes: values.maxFileBytes + MEGABYTE,
    usesEnvironmentProxy: PROXY_VARIABLES.some((name) => read(name) !== null),
  };
}

function refuseWithoutServer({
  databaseUrl,
  databaseReplicaUrl,
  logDatabaseUrl,
  workers,
}: Pick<Config, "databaseUrl" | "databaseReplicaUrl" | "logDatabaseUrl" | "workers">): void {
  if (logDatabaseUrl !== null && logDatabaseUrl === databaseUrl)
    throw new ConfigError(
      "LOG_DATABASE_URL names the same database as DATABASE_URL: leave it out, or name another one",
    );
  if (databaseUrl !== null) return;
  if (databaseReplicaUrl !== null && logDatabaseUrl === null)
    throw new ConfigError("DATABASE_REPLICA_URL needs DATABASE_URL, the primary's address");
  if (workers === null || workers === 1) return;
  throw new ConfigError(
    `WORKERS=${workers} needs a Postgres server: only one process at a time can open the embedded database. Set DATABASE_URL, or WORKERS to 1`,
  );
}

const isVariable = (part: object): part is Variable<unknown> => "read" in part && typeof part.read === "function";

function readAll<Group extends object>(group: Group, read: ReadText): Values<Group> {
  const entries = Object.entries(group).map(([key, part]) => [
    key,
    isVariable(part) ? part.read(read) : readAll(part, read),
  ]);
  return Object.fromEntries(entries) as Values<Group>;
}

/** All variables of the schema, one after the other. */
export function allVariables(group: object = configSchema(false)): readonly Variable<unknown>[] {
  return Object.values(group).flatMap((part) => (isVariable(part) ? [part] : allVariables(part)));
}

const postgresUrl =
  (name: string) =>
  (value: string | null): string | null => {
    if (value === null) return null;
    if (!/^postgres(ql)?:\/\//.test(value)) {
      const without = name === "DATABASE_URL" ? " (without it the embedded database is used)" : "";
      throw new ConfigError(`${name} must begin with postgres://${without}`);
    }
    try {
      parsePostgresUrl(value);
      return value;
    } catch (error) {
      throw new ConfigError(`${name} ${messageOf(error)}`);
    }
  };

function redisUrl(value: string | null): string | null {
  if (value === null) return null;
  try {
    parseRedisUrl(value);
    return value;
  } catch (error) {
    throw new ConfigError(`REDIS_URL ${messageOf(error)}`);
  }
}
