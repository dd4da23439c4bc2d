import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { freePort } from "../lib/free-port.ts";

const START_TIMEOUT_MS = 10_000;

/** The program, or null where it is not installed. */
export const pgbouncer = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` });

/**
 * Starts PgBouncer in transaction mode, with two connections to the server at `serverUrl`, on a free port of the loopback
 * address. Throws when it is not installed or does not start.
 */
export async function startTemporaryPgbouncer(serverUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  if (pgbouncer === null) throw new Error("PgBouncer is not installed");
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-pgbouncer-"));
  const port = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  const lines = [
    ...["[databases]", `* = host=${hostname} port=${serverPort} user=${username}`, "[pgbouncer]"],
    ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any"],
    ...["pool_mode = transaction", "default_pool_size = 2"],
  ];
  await Bun.write(file, lines.join("\n"));
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    await chown(folder, Number(await Bun.$`id -u postgres`.text()), Number(await Bun.$`id -g postgres`.text()));
  const asPostgres = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [];
  const child = Bun.spawn([...asPostgres, pgbouncer, "-q", file], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
  });
  const url = Object.assign(new URL(serverUrl), { port: String(port) }).href;
  const stop = async () => {
    child.kill();
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 1, prepare: false, onnotice() {} });
    try {
      await sql`select 1`;
      return { url, stop };
    } catch (error) {
      if (Date.now() < deadline && child.exitCode === null) continue;
      await stop();
      throw new Error(`PgBouncer did not start: ${error}`);
    } finally {
      await sql.end();
    }
  }
}
