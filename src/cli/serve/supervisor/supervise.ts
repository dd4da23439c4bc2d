import { rm } from "node:fs/promises";
import { join } from "node:path";
import { removeCountTable } from "../../../lib/limits/count-table.ts";
import { ensureDataDir } from "../../../lib/runtime/data-dir.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import type { Config } from "../../../server/config.ts";
import { version } from "../../../server/version.ts";
import { askSupervisor } from "../ask-supervisor.ts";
import { listen } from "../listen.ts";
import { startSupervisorControl } from "./control.ts";
import { Supervisor } from "./supervisor.ts";

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
  await supervisor.ended();
  await endControl();
  await rm(join(config.dataDir, "workers"), { recursive: true, force: true });
  removeCountTable(dataDir);
  return failed ?? 0;
}

/** The port, which nobody else has: the workers could share it even with another program. Throws ConfigError. */
async function freePort(config: Config): Promise<number> {
  const probe = await listen(config, () =>
    Bun.serve({ hostname: config.host, port: config.port, fetch: () => new Response(null, { status: 503 }) }),
  );
  const { port } = probe;
  await probe.stop(true);
  return port ?? config.port;
}
