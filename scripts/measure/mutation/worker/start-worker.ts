import { readFileSync } from "node:fs";
import { ROOT } from "../../../checks/source.ts";
import type { Report, Task } from "./messages.ts";

/** A test that does not end by itself after its limit is in a loop that nothing can interrupt. */
const GRACE_MS = 5000;
const LOAD_MS = 120_000;
const LOOK_MS = 500;
/** Where a process uses no processor, it may wait for one. */
const MOST_IDLE = 30;

type Reply = Exclude<Report, { type: "begun" | "loaded" }>;

/** A process that runs tests of instrumented sources. */
export type Worker = Readonly<{
  /** Null when the process did not answer in time, or is gone: then it is of no use any more. */
  ask(task: Task): Promise<Reply | null>;
  stop(): void;
}>;

/**
 * Starts a worker; `setup` is the file with its setup, `active` the mutant that is active from the start (−1: none). Resolves
 * with what is wrong where it can't load the files, null when loading does not end.
 */
export async function startWorker(setup: string, active = -1): Promise<Worker | Reply | null> {
  let answer = Promise.withResolvers<Reply | "loaded" | null>();
  /** Of the work under way; null: none is. */
  let deadline: { cpuMs: number; wallMs: number } | null = null;
  const allow = (ms: number) => {
    deadline = { cpuMs: cpuMs(child.pid) + ms, wallMs: performance.now() + ms * MOST_IDLE };
  };
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/worker.ts`], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ NODE_ENV: "test", TZ: "Etc/UTC", SLUICE_MUTATION_SETUP: setup, SLUICE_MUTANT: String(active) },
    },
    stdio: ["ignore", "ignore", process.env.SLUICE_MUTATION_DEBUG ? "inherit" : "ignore"],
    ipc(report: Report) {
      deadline = null;
      if (report.type === "begun") allow(report.timeoutMs + GRACE_MS);
      else answer.resolve(report.type === "loaded" ? "loaded" : report);
    },
    onExit: () => answer.resolve(null),
  });
  allow(LOAD_MS);
  const watch = setInterval(() => {
    if (deadline && (cpuMs(child.pid) > deadline.cpuMs || performance.now() > deadline.wallMs)) answer.resolve(null);
  }, LOOK_MS);
  const stop = (): void => {
    clearInterval(watch);
    child.kill("SIGKILL");
  };
  const loaded = await answer.promise;
  if (loaded !== "loaded") {
    stop();
    return loaded;
  }
  return {
    stop,
    async ask(task) {
      answer = Promise.withResolvers();
      if (child.exitCode !== null || child.signalCode !== null) return null;
      child.send(task);
      const reply = await answer.promise;
      return reply === "loaded" ? null : reply;
    },
  };
}

/** Linux counts processor time in hundredths of a second (proc_pid_stat(5)); elsewhere the clock has to do. */
function cpuMs(pid: number): number {
  try {
    const [user = 0, system = 0] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
    return (user + system) * 10;
  } catch {
    return performance.now();
  }
}
