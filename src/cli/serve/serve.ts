import { join } from "node:path";
import { becomeOwner } from "../../lib/runtime/data-dir-owner.ts";
import { bestWorkers, countCores } from "../../lib/runtime/host/count-cores.ts";
import { loadConfig } from "../../server/config.ts";
import { HostLink } from "../../server/workers/host-link.ts";
import type { WorkerCommand } from "../arguments.ts";
import { releaseStep } from "./start-memory.ts";

/** What a gateway is made of: the supervisor of several does without. */
const loadGateway = () => import("./run-gateway.ts");

/** The same in steps, of which the first leave the most behind: all at once take 4 MiB more. */
async function loadInSteps(): ReturnType<typeof loadGateway> {
  await import("../../settings/registry/index.ts");
  await releaseStep();
  await import("../../../db/connect.ts");
  await releaseStep();
  await import("../../server/services.ts");
  await releaseStep();
  return loadGateway();
}

/** Begins while the gateway is loaded; what fails then fails again where it is waited for. */
async function compileEngine(): Promise<void> {
  const { compileProgram } = await import("../../../db/embedded/engine.ts");
  compileProgram().catch(() => {});
}

/**
 * Runs the gateway until a signal ends it: in this process, or in several workers; root becomes the owner of the data directory.
 * Returns the exit code.
 */
export async function serve(): Promise<number> {
  const config = await loadConfig();
  becomeOwner(config.dataDir, true);
  const workers = config.databaseUrl === null ? 1 : (config.workers ?? bestWorkers(countCores()));
  if (config.databaseUrl === null) await compileEngine();
  if (workers === 1) return (await loadGateway()).runGateway({ ...config, workers }, null);
  const { supervise } = await import("./supervisor/supervise.ts");
  return supervise(config, workers);
}

/** Runs a worker until its supervisor ends it. Returns the exit code. */
export async function serveAsWorker({ number, workers, port }: WorkerCommand): Promise<number> {
  const config = await loadConfig();
  const scratchDir = join(config.dataDir, "workers", String(number));
  const { runGateway } = await loadInSteps();
  return runGateway({ ...config, workers, port, scratchDir }, new HostLink(number, config.dataDir));
}
