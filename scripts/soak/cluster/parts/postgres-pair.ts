import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { freePort } from "../../../../test/support/lib/free-port.ts";
import { until } from "../../../../test/support/lib/until.ts";
import type { Part, Processes } from "./processes.ts";

const PASSWORD = "cluster-password";
const FAIL_OVER_LIMIT_MS = 90_000;

type Server = { readonly name: string; readonly port: number; readonly restPort: number; part: Part; start(): Part };

/** A primary and a synchronous standby under Patroni, whose lock is in etcd. */
export async function startPostgresPair(processes: Processes) {
  const etcdPort = await startEtcd(processes);
  const servers: Server[] = [];
  for (const name of ["pg1", "pg2"]) {
    const [port, restPort] = [await freePort(), await freePort()];
    const folder = await processes.makeFolder(name, "postgres");
    const file = await processes.fill("patroni.yaml", folder, {
      ...{ NAME: name, FOLDER: folder, PG_PORT: port, REST_PORT: restPort, ETCD_PORT: etcdPort },
      ...{ PASSWORD, POSTGRES_BIN: findBinaries() },
    });
    const start = () => processes.start(name, ["patroni", file], { user: "postgres", cwd: folder });
    servers.push({ name, port, restPort, start, part: start() });
    // The first one initializes the cluster; the other copies it.
    if (name === "pg1") await untilRole(servers[0] as Server, "primary");
  }
  for (const server of servers) await untilRole(server, server === servers[0] ? "primary" : "replica");
  const superuser = await primaryUrl(servers, "postgres", "postgres");
  const sql = postgres(superuser, { max: 1, onnotice() {} });
  await sql.unsafe(`create role sluice login password '${PASSWORD}'`);
  await sql.unsafe("create database sluice owner sluice");
  await sql.end();
  await untilSynchronous(servers);

  return {
    password: PASSWORD,
    servers: servers as readonly Pick<Server, "name" | "port" | "restPort">[],
    /** The address of whichever server is the primary now. */
    primaryUrl: () => primaryUrl(servers, "sluice", "sluice"),
    /** Kills the primary with its Patroni, as when its machine dies; resolves with the seconds until there is another one. */
    async killPrimary(): Promise<number> {
      const primary = await findPrimary(servers);
      const began = performance.now();
      const data = `${processes.folder}/${primary.name}/data`;
      await primary.part.kill("SIGKILL");
      const postmaster = Number(readFileSync(`${data}/postmaster.pid`, "utf8").split("\n")[0]);
      for (const pid of [postmaster, ...childrenOf(postmaster)]) process.kill(pid, "SIGKILL");
      const other = servers.find((server) => server !== primary) as Server;
      await untilRole(other, "primary");
      return (performance.now() - began) / 1000;
    },
    /** Starts what was killed; resolves when it follows the primary. */
    async startKilled(): Promise<void> {
      for (const server of servers) {
        if (await roleOf(server)) continue;
        server.part = server.start();
        await untilRole(server, "replica");
      }
      await untilSynchronous(servers);
    },
    /** Ends Patroni, and the servers with it. */
    stop: () => Promise.all(servers.map(({ part }) => part.kill("SIGTERM"))),
  };
}

async function startEtcd(processes: Processes): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const folder = await processes.makeFolder("etcd");
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  processes.start("etcd", [
    ...["etcd", "--name", "etcd1", "--data-dir", `${folder}/data`, "--initial-cluster", `etcd1=${peer}`],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
  ]);
  await until(() =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return port;
}

const ask = ({ restPort }: Server, what: string) =>
  fetch(`http://127.0.0.1:${restPort}/${what}`, { signal: AbortSignal.timeout(2000) }).catch(() => null);

/** "primary", "replica", or null while it is neither. */
async function roleOf(server: Server): Promise<string | null> {
  if ((await ask(server, "primary"))?.ok) return "primary";
  return (await ask(server, "replica"))?.ok ? "replica" : null;
}

async function untilRole(server: Server, role: string): Promise<void> {
  const deadline = performance.now() + FAIL_OVER_LIMIT_MS;
  while ((await roleOf(server)) !== role) {
    if (performance.now() > deadline) throw new Error(`${server.name} has not become ${role}`);
    await Bun.sleep(100);
  }
}

async function untilSynchronous(servers: readonly Server[]): Promise<void> {
  await until(async () => {
    const states = await Promise.all(servers.map((server) => ask(server, "synchronous")));
    return states.some((answer) => answer?.ok);
  });
}

async function findPrimary(servers: readonly Server[]): Promise<Server> {
  for (const server of servers) if ((await roleOf(server)) === "primary") return server;
  throw new Error("there is no primary");
}

async function primaryUrl(servers: readonly Server[], user: string, database: string): Promise<string> {
  const { port } = await findPrimary(servers);
  return `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`;
}

function findBinaries(): string {
  const base = "/usr/lib/postgresql";
  const [newest] = readdirSync(base).sort((a, b) => Number(b) - Number(a));
  return `${base}/${newest}/bin`;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
