import { existsSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createRunDirectory, removeRunDirectory, SUPERVISOR_SOCKET } from "../../../../db/embedded/run-directory.ts";
import { removeCountTable } from "../../../lib/limits/count-table.ts";
import { ensureDataDir } from "../../../lib/runtime/data-dir.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import type { Config } from "../../../server/config.ts";
import { version } from "../../../server/version.ts";
import { askSupervisor } from "../ask-supervisor.ts";
import { listen } from "../listen.ts";
import { Supervisor } from "./supervisor.ts";

/** Replacing workers that finish long streams takes its time; the runtime's types know no such option for such sockets. */
const NO_TIMEOUT: object = { idleTimeout: 0 };

/**
 * Listens on a private socket in the data directory for `sluice status` and `sluice reload`; only this user can connect.
 * Returns what ends it.
 */
async function startSupervisorControl(
  supervisor: Supervisor,
  dataDir: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const path = join(await createRunDirectory(dataDir), SUPERVISOR_SOCKET);
  const server = Bun.serve({
    unix: path,
    ...NO_TIMEOUT,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/status") return Response.json(supervisor.view());
      if (pathname !== "/reload") return new Response("unknown command", { status: 404 });
      try {
        return Response.json({ replaced: await supervisor.reload() });
      } catch (error) {
        log.error({ error }, "the workers could not be replaced");
        return new Response(messageOf(error), { status: 500 });
      }
    },
  });
  await chmod(path, 0o600);
  return async () => {
    await server.stop(true);
    await removeRunDirectory(dataDir);
  };
}

/** Runs the gateway in several workers until a signal ends it. Returns the exit code. Throws ConfigError and the like. */
export async function supervise(config: Config, workers: number): Promise<number> {
  const log = createLogger(config);
  await ensureDataDir(config.dataDir, false);
  if (await askSupervisor(config.dataDir, "status")) {
    throw new Error(
      `another gateway runs with this DATA_DIR (${config.dataDir}): stop it, or set DATA_DIR to another one`,
    );
  }
  const { dataDir } = config;
  const supervisor = new Supervisor({ expected: workers, port: await freePort(config), dataDir, log });
  await mkdir(workersFolder(config), { recursive: true });
  const endControl = await startSupervisorControl(supervisor, config.dataDir, log);
  const reload = () =>
    void supervisor.reload().then(
      (replaced) => log.info({ replaced }, "the workers are replaced"),
      (error) => log.error({ error }, "the workers could not be replaced"),
    );
  const stop = () => supervisor.stop();
  process.on("SIGHUP", reload).on("SIGTERM", stop).on("SIGINT", stop);
  log.info({ workers, pid: process.pid, version }, "the workers are started");
  const failed = await supervisor.start();
  if (failed !== null) supervisor.stop();
  const failedLater = await supervisor.ended();
  await endControl();
  await rm(workersFolder(config), { recursive: true, force: true });
  removeCountTable(dataDir);
  return failed ?? failedLater ?? 0;
}

/** What workers whose supervisor was killed take to stop listening. */
const LEFT_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 100;

/**
 * The port, which nobody else has: the workers could share it even with another program. Where a supervisor of this DATA_DIR was
 * killed, its workers are waited for. Throws ConfigError.
 */
async function freePort(config: Config): Promise<number> {
  const until = existsSync(workersFolder(config)) ? performance.now() + LEFT_WITHIN_MS : 0;
  for (;;) {
    try {
      const probe = await listen(config, () =>
        Bun.serve({ hostname: config.host, port: config.port, fetch: () => new Response(null, { status: 503 }) }),
      );
      const { port } = probe;
      await probe.stop(true);
      return port ?? config.port;
    } catch (error) {
      if (performance.now() > until) throw error;
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }
}

/** Removed at the end: where it stands, a supervisor was killed. */
const workersFolder = ({ dataDir }: Config): string => join(dataDir, "workers");
