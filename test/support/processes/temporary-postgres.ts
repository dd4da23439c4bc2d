import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { freePort } from "../lib/free-port.ts";

export type TemporaryPostgres = Readonly<{
  /** postgres://… of its database "postgres", which is empty. */
  url: string;
  /** Makes a new, empty database; its address. */
  createDatabase: () => Promise<string>;
  /** Stops all its processes as they are: connections stay open, nothing answers. */
  pause: () => void;
  resume: () => void;
  /**
   * Ends the server, cutting its connections; its address refuses connections until `startAgain`. SIGQUIT: without a
   * checkpoint, as a crash does.
   */
  shutDown: (signal?: "SIGINT" | "SIGQUIT") => Promise<void>;
  startAgain: () => Promise<void>;
  /** Ends the recovery of a standby: it takes writes from now on. */
  promote: () => Promise<void>;
  /** Stops the server and removes its files. May be called twice. */
  stop: () => Promise<void>;
}>;

type Options = Readonly<{
  /** Flush to disk as a server in use does (measurements); else not (tests are faster without). */
  durable: boolean;
  /** Becomes a streaming standby of the server at this address. */
  standbyOf?: string;
  /** PEM texts: the server has TLS, and users that come without a certificate of this authority are refused. */
  tls?: Readonly<{ authority: string; certificate: string; key: string }>;
}>;

const START_TIMEOUT_MS = 60_000;

/**
 * Starts a Postgres server of its own, with an empty cluster in a temporary folder, on a free port of the loopback
 * address. As root it runs as user postgres, because Postgres refuses root. Throws when Postgres is not installed or fails.
 */
export async function startTemporaryPostgres({ durable, standbyOf, tls }: Options): Promise<TemporaryPostgres> {
  const bin = findBinaries();
  const asPostgres =
    process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [];
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-postgres-"));
  if (asPostgres.length) await giveToPostgres(folder);
  const port = await freePort();
  const data = path.join(folder, "data");
  const initdb = ["initdb", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
  const copy = ["pg_basebackup", "-d", standbyOf ?? "", "-R", "--checkpoint=fast", "--no-sync"];
  const [program, ...words] = standbyOf === undefined ? initdb : copy;
  await finish([...asPostgres, `${bin}/${program}`, "-D", data, ...words]);
  if (tls) await writeTlsFiles(data, tls);
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    "max_connections=300",
    `fsync=${durable ? "on" : "off"}`,
    `synchronous_commit=${durable ? "on" : "off"}`,
    ...(tls ? ["ssl=on", "ssl_ca_file=authority.crt"] : []),
  ];
  const spawn = () =>
    Bun.spawn([...asPostgres, `${bin}/postgres`, "-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
      cwd: folder,
      stdio: ["ignore", "ignore", Bun.file(path.join(folder, "log"))],
    });
  let server = spawn();
  const signalAll = (signal: "SIGSTOP" | "SIGCONT") => {
    // The first stops the one that would start more.
    for (const pid of [server.pid, ...childrenOf(server.pid)]) process.kill(pid, signal);
  };
  const shutDown = async (signal: "SIGINT" | "SIGQUIT" = "SIGINT") => {
    server.kill(signal);
    await server.exited;
  };
  const stop = async () => {
    await shutDown();
    await rm(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await accepting({ host: folder, port, username: "postgres" }, server);
  } catch (error) {
    const log = await Bun.file(path.join(folder, "log")).text();
    await stop();
    throw new Error(`Postgres did not start: ${error}\n${log.trim()}`);
  }
  const createDatabase = async () => {
    const name = `sluice_${Bun.randomUUIDv7().replaceAll("-", "")}`;
    const sql = postgres(url, { max: 1, onnotice() {} });
    await sql.unsafe(`create database ${name}`);
    await sql.end();
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  };
  const [pause, resume] = [() => signalAll("SIGSTOP"), () => signalAll("SIGCONT")];
  const startAgain = async () => {
    server = spawn();
    await accepting({ host: folder, port, username: "postgres" }, server);
  };
  const promote = () => finish([...asPostgres, `${bin}/pg_ctl`, "promote", "-w", "-D", data]);
  return { url, createDatabase, pause, resume, shutDown, startAgain, promote, stop };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

function findBinaries(): string {
  const onPath = Bun.which("initdb");
  // Next to it are the other programs, but not next to a link to it.
  if (onPath) return path.dirname(realpathSync(onPath));
  const base = "/usr/lib/postgresql";
  try {
    const [newest] = readdirSync(base).sort((a, b) => Number(b) - Number(a));
    if (newest) return path.join(base, newest, "bin");
  } catch {
    // Not Debian's layout: fall through to the message.
  }
  throw new Error("Postgres is not installed: neither initdb on the PATH nor /usr/lib/postgresql/*/bin");
}

async function giveToPostgres(folder: string): Promise<void> {
  const id = await Bun.$`id -u postgres`.text();
  const group = await Bun.$`id -g postgres`.text();
  await chown(folder, Number(id), Number(group));
}

async function writeTlsFiles(data: string, { authority, certificate, key }: NonNullable<Options["tls"]>) {
  const files = { "authority.crt": authority, "server.crt": certificate, "server.key": key };
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(data, name);
    await Bun.write(file, content);
    await chmod(file, 0o600);
    if (process.getuid?.() === 0) await giveToPostgres(file);
  }
  const rules = ["local all all trust", "hostssl all all 127.0.0.1/32 trust clientcert=verify-ca"];
  await Bun.write(path.join(data, "pg_hba.conf"), `${rules.join("\n")}\n`);
}

async function finish(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: tmpdir(), stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, code] = await Promise.all([Bun.readableStreamToText(child.stderr), child.exited]);
  if (code !== 0) throw new Error(`${path.basename(command.find((word) => word.includes("/")) ?? "")}: ${complaint}`);
}

type LocalAddress = Readonly<{ host: string; port: number; username: string }>;

async function accepting(address: LocalAddress, server: Bun.Subprocess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let reason: unknown = "it did not answer in time";
  while (Date.now() < deadline && server.exitCode === null) {
    const { host, port, username } = address;
    const sql = postgres({ path: `${host}/.s.PGSQL.${port}`, username, max: 1, connect_timeout: 1, onnotice() {} });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      reason = error;
      await Bun.sleep(50);
    } finally {
      await sql.end();
    }
  }
  throw new Error(server.exitCode === null ? String(reason) : `it ended with ${server.exitCode}`);
}
