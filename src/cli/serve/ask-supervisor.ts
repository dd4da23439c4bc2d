import type { IncomingMessage } from "node:http";
import { SUPERVISOR_SOCKET } from "../../../db/embedded/run-directory.ts";
import { becomeOwner } from "../../lib/runtime/data-dir-owner.ts";
import { readLocation } from "../../server/config.ts";
import { askSocket, textOf } from "../control/control-client.ts";
import type { HostView } from "./supervisor/supervisor.ts";

/** Asks the supervisor that runs with a data directory; null: none does. Throws with its reason where it fails. */
export const askSupervisor = (dataDir: string, command: "status" | "reload"): Promise<IncomingMessage | null> =>
  askSocket(dataDir, SUPERVISOR_SOCKET, command);

function askOwn(command: "status" | "reload"): Promise<IncomingMessage | null> {
  const { dataDir } = readLocation();
  becomeOwner(dataDir);
  return askSupervisor(dataDir, command);
}

const NO_SUPERVISOR = "no gateway with several workers runs with this DATA_DIR";

/** Replaces the workers of the gateway on this machine. Returns the exit code. */
export async function reload(): Promise<number> {
  const reply = await askOwn("reload");
  if (!reply) throw new Error(`${NO_SUPERVISOR}: a single process is restarted`);
  const { replaced }: { replaced: number } = JSON.parse(await textOf(reply));
  process.stdout.write(`${replaced} workers replaced\n`);
  return 0;
}

/** Shows the workers of the gateway on this machine. Returns the exit code: 1 where fewer than there should be take calls. */
export async function status(asJson: boolean): Promise<number> {
  const reply = await askOwn("status");
  if (!reply) throw new Error(NO_SUPERVISOR);
  const view: HostView = JSON.parse(await textOf(reply));
  process.stdout.write(asJson ? `${JSON.stringify(view, null, 2)}\n` : table(view));
  return view.workers.filter(({ state }) => state === "ready").length >= view.expected ? 0 : 1;
}

const MEGABYTE = 1_048_576;

function table({ pid, expected, restarts, workers }: HostView): string {
  const head = ["worker", "pid", "state", "uptime", "calls", "memory", "lag", "backlog"];
  const rows = workers.map((worker) => [
    ...[String(worker.number), String(worker.pid), worker.state, `${worker.uptimeSeconds} s`],
    ...[String(worker.callsUnderWay), `${Math.round(worker.memoryBytes / MEGABYTE)} MiB`],
    ...[`${worker.lagMs} ms`, String(worker.backlog)],
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [`supervisor ${pid}, ${workers.length} of ${expected} workers, ${restarts} restarts`, ...lines, ""].join("\n");
}
