import { ROOT } from "../../../checks/source.ts";
import type { Report, Task } from "./messages.ts";

/** A test that does not end by itself after its limit is in a loop that nothing can interrupt. */
const GRACE_MS = 5000;
const LOAD_WITHIN_MS = 600_000;

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
  let timer = setTimeout(() => answer.resolve(null), LOAD_WITHIN_MS);
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/worker.ts`], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ NODE_ENV: "test", TZ: "Etc/UTC", SLUICE_MUTATION_SETUP: setup, SLUICE_MUTANT: String(active) },
    },
    stdio: ["ignore", "ignore", process.env.SLUICE_MUTATION_DEBUG ? "inherit" : "ignore"],
    ipc(report: Report) {
      clearTimeout(timer);
      if (report.type !== "begun") answer.resolve(report.type === "loaded" ? "loaded" : report);
      else timer = setTimeout(() => answer.resolve(null), report.timeoutMs + GRACE_MS);
    },
    onExit: () => answer.resolve(null),
  });
  const stop = (): void => {
    clearTimeout(timer);
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
