import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SQL } from "bun";
import { freePort } from "../lib/free-port.ts";

export type TemporaryMariadb = Readonly<{
  /** mysql://… of its database "source", which is empty. */
  url: string;
  /** Stops the server and removes its files. */
  stop: () => Promise<void>;
}>;

const START_TIMEOUT_MS = 30_000;

/** The MariaDB server's program; null where it is not installed. */
export const findMariadb = (): string | null =>
  Bun.which("mariadbd", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/**
 * Starts a MariaDB server of its own with an empty database in a temporary folder, on a free port of the loopback address.
 * It lets anybody in. Throws when it does not start.
 */
export async function startTemporaryMariadb(program: string): Promise<TemporaryMariadb> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-mariadb-"));
  const asRoot = process.getuid?.() === 0;
  // To the server every folder in its own is a database.
  await mkdir(path.join(folder, "source"));
  const port = await freePort();
  const server = Bun.spawn(
    [
      program,
      "--no-defaults",
      ...(asRoot ? ["--user=root"] : []),
      `--datadir=${folder}`,
      `--socket=${folder}/socket`,
      `--pid-file=${folder}/pid`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-grant-tables",
      "--skip-networking=0",
      "--innodb-flush-log-at-trx-commit=0",
      "--character-set-server=utf8mb4",
    ],
    { cwd: folder, stdio: ["ignore", "ignore", Bun.file(path.join(folder, "log"))] },
  );
  const stop = async () => {
    server.kill("SIGTERM");
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `mysql://root@127.0.0.1:${port}/source`;
  try {
    await accepting(url, server);
  } catch (error) {
    const log = await Bun.file(path.join(folder, "log")).text();
    await stop();
    throw new Error(`MariaDB did not start: ${error}\n${log.trim()}`);
  }
  return { url, stop };
}

async function accepting(url: string, server: Bun.Subprocess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let reason: unknown = "it did not answer in time";
  while (Date.now() < deadline && server.exitCode === null) {
    const sql = new SQL({ url, adapter: "mysql", max: 1 });
    try {
      await sql.unsafe("select 1");
      return;
    } catch (error) {
      reason = error;
      await Bun.sleep(200);
    } finally {
      await sql.close();
    }
  }
  throw new Error(server.exitCode === null ? String(reason) : `it ended with ${server.exitCode}`);
}
