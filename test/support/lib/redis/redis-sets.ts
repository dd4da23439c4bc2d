import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../certificate.ts";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";
import { REDIS } from "./start-redis.ts";

type Server = Readonly<{ port: number; process: Bun.Subprocess }>;

/** Real Redis servers of one test in a folder of their own, which all end together. */
class RedisServers {
  readonly #servers: Server[] = [];

  private constructor(readonly directory: string) {
    process.on("exit", () => {
      for (const { process: server } of this.#servers) server.kill("SIGKILL");
    });
  }

  static async open(): Promise<RedisServers> {
    return new RedisServers(await mkdtemp(join(tmpdir(), "redis-set-")));
  }

  /** Starts one with lines of configuration; resolves when it takes connections. */
  async start(lines: readonly string[], ...flags: string[]): Promise<Server> {
    const port = await freePort();
    const plain = lines.some((line) => line.startsWith("tls-port 0"))
      ? ["port 0", `tls-port ${port}`]
      : [`port ${port}`];
    const config = join(this.directory, `${port}.conf`);
    const own = [`dir ${this.directory}`, "bind 127.0.0.1", 'save ""', "repl-diskless-sync-delay 0"];
    const common = flags.includes("--sentinel") ? own.slice(0, 2) : own;
    const others = lines.filter((line) => !line.startsWith("tls-port 0"));
    await writeFile(config, [...plain, ...common, ...others, ""].join("\n"));
    const process = Bun.spawn([REDIS ?? "", config, ...flags], { stdio: ["ignore", "ignore", "ignore"] });
    this.#servers.push({ port, process });
    await until(() =>
      Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
        (socket) => {
          socket.end();
          return true;
        },
        () => false,
      ),
    );
    return { port, process };
  }

  /** Ends the server on a port as a crash does. */
  async kill(port: number): Promise<void> {
    const server = this.#servers.find((each) => each.port === port);
    server?.process.kill("SIGKILL");
    await server?.process.exited;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ port }) => this.kill(port)));
    await rm(this.directory, { recursive: true });
  }
}

/** What a server says to redis-cli. */
async function redisCli(port: number, ...command: string[]): Promise<string> {
  const cli = Bun.spawn(["redis-cli", "-p", String(port), ...command], { stdio: ["ignore", "pipe", "pipe"] });
  return (await new Response(cli.stdout).text()).trim();
}

/** A server that speaks only TLS and asks for the client's certificate. */
export async function startTlsRedis() {
  const servers = await RedisServers.open();
  const [cert, key] = [join(servers.directory, "cert.pem"), join(servers.directory, "key.pem")];
  await makeCertificate(cert, key);
  const files = [`tls-cert-file ${cert}`, `tls-key-file ${key}`, `tls-ca-cert-file ${cert}`];
  const { port } = await servers.start(["tls-port 0", "tls-auth-clients yes", ...files]);
  return { port, cert, key, close: () => servers.close() };
}

/** A master with a replica and three sentinels, which all want a password. */
export async function startSentinelSet() {
  const servers = await RedisServers.open();
  const login = ["requirepass data", "masterauth data"];
  const master = await servers.start(login);
  const replica = await servers.start([...login, `replicaof 127.0.0.1 ${master.port}`]);
  const sentinels: Server[] = [];
  for (let each = 0; each < 3; each++) {
    const monitor = [
      `sentinel monitor main 127.0.0.1 ${master.port} 2`,
      ...["sentinel auth-pass main data", "sentinel down-after-milliseconds main 500"],
      ...["sentinel failover-timeout main 3000", "requirepass watch"],
    ];
    sentinels.push(await servers.start(monitor, "--sentinel"));
  }
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const watch = ["-a", "watch", "--no-auth-warning"];
  const askSentinels = (...command: string[]) =>
    Promise.all(sentinels.map(({ port }) => redisCli(port, ...watch, ...command)));
  // A sentinel that does not know the others yet has no vote in a fail-over.
  await until(async () =>
    (await askSentinels("info", "sentinel")).every((info) => info.includes("slaves=1,sentinels=3")),
  );
  await until(async () =>
    (await redisCli(master.port, "-a", "data", "--no-auth-warning", "info", "replication")).includes("state=online"),
  );
  return {
    url: `redis+sentinel://:data@${hosts}/main?sentinel_password=watch`,
    /** Kills the master; the sentinels promote the replica by and by. */
    killMaster: () => servers.kill(master.port),
    /** All sentinels name the replica as master: until then one may send new clients to the dead one. */
    waitForPromotion: () =>
      until(async () => {
        const masters = await askSentinels("sentinel", "get-master-addr-by-name", "main");
        return masters.every((address) => address.endsWith(String(replica.port)));
      }),
    close: () => servers.close(),
  };
}

/** Three masters with a replica each. */
export async function startRedisCluster() {
  const servers = await RedisServers.open();
  const ports: number[] = [];
  for (let each = 0; each < 6; each++) {
    const file = `cluster-config-file nodes-${each}.conf`;
    // By itself it takes the port 10,000 above, which a connection of another test may have.
    const bus = `cluster-port ${await freePort()}`;
    const { port } = await servers.start(["cluster-enabled yes", file, bus, "cluster-node-timeout 1000"]);
    ports.push(port);
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  const create = ["--cluster", "create", ...hosts, "--cluster-replicas", "1", "--cluster-yes"];
  const made = Bun.spawn(["redis-cli", ...create], { stdio: ["ignore", "ignore", "ignore"] });
  await made.exited;
  const first = ports[0] ?? 0;
  const isUp = async (port: number) => (await redisCli(port, "cluster", "info")).includes("cluster_state:ok");
  await until(async () => (await Promise.all(ports.map(isUp))).every(Boolean));
  await until(async () => {
    const replication = await Promise.all(ports.map((port) => redisCli(port, "info", "replication")));
    return replication.filter((info) => info.includes("master_link_status:up")).length === 3;
  });
  return {
    url: `redis+cluster://${hosts.join(",")}`,
    /** Kills the master that has a key. */
    async killOwner(key: string): Promise<void> {
      const slot = Number(await redisCli(first, "cluster", "keyslot", key));
      const slots = await redisCli(first, "cluster", "nodes");
      const owner = slots.split("\n").find((line) => {
        const fields = line.split(" ");
        return fields.slice(8).some((range) => {
          const [from, to = from] = range.split("-").map(Number);
          return from !== undefined && to !== undefined && from <= slot && slot <= to;
        });
      });
      await servers.kill(Number(/:(\d+)@/.exec(owner ?? "")?.[1]));
    },
    close: () => servers.close(),
  };
}
