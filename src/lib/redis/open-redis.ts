import { readFileSync } from "node:fs";
import { RedisClient } from "bun";
import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";
import { parseRedisUrl, type RedisAddress, type RedisTls } from "./redis-url.ts";

/** A client of Redis or Valkey, whatever REDIS_URL names: a server, a master behind Sentinel, or a cluster. */
export type RedisConnection = Readonly<{
  /** Rejects when nobody answers. */
  connect(): Promise<void>;
  /** Once connected it sends at once, behind what it sent before. */
  send(command: string, args: string[]): Promise<unknown>;
  /** What still waits for an answer is rejected. */
  close(): void;
}>;

type Options = Readonly<{
  connectWithinMs: number;
  /** True: reconnects by itself, and follows a fail-over. */
  reconnects: boolean;
  /** Of a client that does not reconnect: called when its connection ends, for any reason but `close`. */
  onClose?: (reason: Error) => void;
  /** In a cluster: connects only to the node that has this key, so that commands stay in order. */
  key?: string;
}>;

const RECONNECT_MS = 200;
const DEMOTED = /^(READONLY|LOADING)/;

/** Opens no connection yet. A server of its own is reached by the runtime's client; ioredis knows Sentinel and Cluster. */
export function openRedis(url: string, options: Options): RedisConnection {
  const address = parseRedisUrl(url);
  return address.form === "single"
    ? new SingleConnection(address, options)
    : new DiscoveredConnection(address, options);
}

class SingleConnection implements RedisConnection {
  readonly #client: RedisClient;
  #isClosed = false;

  constructor({ url, tls }: Extract<RedisAddress, { form: "single" }>, options: Options) {
    this.#client = new RedisClient(url, {
      connectionTimeout: options.connectWithinMs,
      enableOfflineQueue: options.reconnects,
      autoReconnect: options.reconnects,
      ...(tls && { tls: readFiles(tls) }),
    });
    this.#client.onclose = (reason) => {
      if (!this.#isClosed) options.onClose?.(reason);
    };
  }

  async connect(): Promise<void> {
    await this.#client.connect();
  }

  send(command: string, args: string[]): Promise<unknown> {
    return this.#client.send(command, args);
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }
}

type Discovered = Exclude<RedisAddress, { form: "single" }>;

class DiscoveredConnection implements RedisConnection {
  #client: Redis | Cluster | null = null;
  #opening: Promise<Redis | Cluster> | null = null;
  #isClosed = false;

  constructor(
    private readonly address: Discovered,
    private readonly options: Options,
  ) {}

  async connect(): Promise<void> {
    await this.#open();
  }

  send(command: string, args: string[]): Promise<unknown> {
    return this.#client
      ? this.#client.call(command, ...args)
      : this.#open().then((client) => client.call(command, ...args));
  }

  close(): void {
    this.#isClosed = true;
    this.#client?.disconnect();
  }

  #open(): Promise<Redis | Cluster> {
    this.#opening ??= this.#connect().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<Redis | Cluster> {
    const { address, options } = this;
    const client = await (address.form === "sentinel" ? openMaster(address, options) : openCluster(address, options));
    let lastError: Error | null = null;
    client.on("error", (error: Error) => {
      lastError = error;
    });
    client.on("end", () => {
      if (this.#isClosed) return;
      // Even a client that reconnects ends for good when Sentinel announces the new master while it asks for it.
      if (options.reconnects) {
        this.#client = null;
        this.#opening = null;
      }
      options.onClose?.(lastError ?? new Error("Redis has closed the connection"));
    });
    this.#client = client;
    if (this.#isClosed) client.disconnect();
    return client;
  }
}

async function openMaster(address: Extract<Discovered, { form: "sentinel" }>, options: Options): Promise<Redis> {
  const { Redis: Client } = await import("ioredis");
  const { master, sentinels, database, sentinelLogin } = address;
  const client = new Client({
    ...clientOptions(address, options),
    ...{ name: master, sentinels, db: database, failoverDetector: true },
    ...(sentinelLogin.username && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password && { sentinelPassword: sentinelLogin.password }),
    ...(address.tls && { sentinelTLS: readFiles(address.tls), enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: retryAfter(options),
    retryStrategy: retryAfter(options),
    enableOfflineQueue: options.reconnects,
  });
  return await connected(client);
}

async function openCluster(address: Extract<Discovered, { form: "cluster" }>, options: Options) {
  const { Cluster: Client, Redis: NodeClient } = await import("ioredis");
  const { key } = options;
  const clusterOptions: ClusterOptions = {
    redisOptions: clientOptions(address, options),
    lazyConnect: true,
    clusterRetryStrategy: key === undefined ? retryAfter(options) : () => null,
    enableOfflineQueue: true,
    slotsRefreshTimeout: options.connectWithinMs,
    retryDelayOnFailover: RECONNECT_MS,
    retryDelayOnClusterDown: RECONNECT_MS,
    // Certificates name hosts, and nodes announce addresses: an address is taken as it is.
    dnsLookup: (host, callback) => callback(null, host),
  };
  const cluster = await connected(new Client(address.nodes, clusterOptions));
  if (key === undefined) return cluster;
  try {
    const slot = Number(await cluster.cluster("KEYSLOT", key));
    const [node] = cluster.slots[slot] ?? [];
    if (!node) throw new Error("no node of the cluster has this key");
    const at = node.lastIndexOf(":");
    return await connected(
      new NodeClient({
        ...clientOptions(address, options),
        ...{ host: node.slice(0, at), port: Number(node.slice(at + 1)), retryStrategy: () => null },
        enableOfflineQueue: false,
      }),
    );
  } finally {
    cluster.disconnect();
  }
}

const clientOptions = ({ login, tls }: Discovered, { connectWithinMs, reconnects }: Options) =>
  ({
    ...{ lazyConnect: true, connectTimeout: connectWithinMs, maxRetriesPerRequest: reconnects ? 1 : 0 },
    // An old master that comes back as a replica refuses writes: look for the new one.
    reconnectOnError: reconnects ? (error: Error) => DEMOTED.test(error.message) : null,
    ...(login.username && { username: login.username }),
    ...(login.password && { password: login.password }),
    ...(tls && { tls: readFiles(tls) }),
  }) satisfies RedisOptions;

/** Waits between attempts to connect; no further attempt where the owner opens a new client himself. */
const retryAfter =
  ({ reconnects }: Options) =>
  (): number | null =>
    reconnects ? RECONNECT_MS : null;

async function connected<Client extends Redis | Cluster>(client: Client): Promise<Client> {
  let reason: Error | null = null;
  const note = (error: Error) => {
    reason = error;
  };
  client.on("error", note);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw reason ?? error;
  } finally {
    client.off("error", note);
  }
}

/** Files are read when a client is opened: renewed certificates are taken with the next connection or start. */
const readFiles = ({ ca, cert, key }: RedisTls) => ({
  ...(ca !== null && { ca: readFileSync(ca, "utf8") }),
  ...(cert !== null && { cert: readFileSync(cert, "utf8") }),
  ...(key !== null && { key: readFileSync(key, "utf8") }),
});
