import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { listMutants, type Mutant } from "./mutants.ts";
import type { Outcome, TriedMutant } from "./report.ts";
import type { Coverage, PlannedCase, Task, Verdict, WorkerSetup } from "./worker/messages.ts";
import { startWorker, type Worker } from "./worker/start-worker.ts";

type Options = Readonly<{
  root: string;
  /** Paths under the root. */
  sources: readonly string[];
  tests: readonly string[];
  /** How many processes run tests at a time. */
  jobs: number;
  onTried?(tried: TriedMutant): void;
}>;

/**
 * Tries every mutant of the sources on the tests that reach it, the quick ones first, until one fails. Rejects when a test
 * fails, or the sources can't be loaded, without a mutant: then every mutant would count as killed.
 */
export async function runMutants({ root, sources, tests, jobs, onTried }: Options): Promise<TriedMutant[]> {
  const instrumented: WorkerSetup["sources"][number][] = [];
  const mutants: Mutant[] = [];
  for (const source of sources) {
    const own = listMutants(source, await readFile(path.join(root, source), "utf8"));
    instrumented.push({ path: path.join(root, source), firstId: mutants.length, mutants: own });
    mutants.push(...own);
  }
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-mutation-"));
  try {
    const setup = path.join(folder, "setup.json");
    const absolute = tests.map((test) => path.join(root, test));
    await Bun.write(setup, JSON.stringify({ sources: instrumented, tests: absolute } satisfies WorkerSetup));
    const plan = planCases(await measure(setup), mutants);
    const tried: TriedMutant[] = [];
    const queue = mutants.entries();
    const work = async () => {
      const trier = new Trier(setup, plan);
      for (const [id, mutant] of queue) {
        const result = { ...mutant, ...(await trier.tryMutant(id, mutant.file)) };
        tried.push(result);
        onTried?.(result);
      }
      trier.stop();
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return tried;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(setup: string): Promise<Coverage> {
  const worker = await startWorker(setup);
  const reply = worker && "ask" in worker ? await worker.ask({ type: "measure" }) : worker;
  if (worker && "ask" in worker) worker.stop();
  switch (reply?.type) {
    case "measured":
      return reply.coverage;
    case "broken":
      throw new Error(`fails without a mutant: ${reply.name}\n${reply.error}`);
    case "load-failed":
      throw new Error(`can't be loaded without a mutant: ${reply.error}`);
    default:
      throw new Error("a test does not end without a mutant");
  }
}

type Plan = Readonly<{
  /** Tests that reach a mutant, the quick ones first. */
  reaching(id: number): readonly PlannedCase[];
  /** All tests, first those that reach something in the mutant's file. */
  all(id: number): readonly PlannedCase[];
  isReachedByLoad(id: number): boolean;
}>;

function planCases({ cases, reachedByLoad }: Coverage, mutants: readonly Mutant[]): Plan {
  const entries = cases
    .map((entry) => ({
      id: entry.id,
      name: entry.name,
      cost: entry.durationMs + entry.setupMs,
      queries: entry.queries,
      timeoutMs: entry.durationMs * 10 + 1500,
      setupTimeoutMs: entry.setupMs * 10,
      reached: new Set(entry.reached),
      before: new Set(entry.reachedBefore),
      files: new Set([...entry.reached, ...entry.reachedBefore].map((id) => mutants[id]?.file)),
    }))
    .sort((a, b) => a.cost - b.cost);
  const byLoad = new Set(reachedByLoad);
  const plan = (entry: (typeof entries)[number], mutant: number): PlannedCase => {
    const { id, name, timeoutMs, setupTimeoutMs, queries, reached, before } = entry;
    return {
      ...{ id, name, timeoutMs, setupTimeoutMs, queries },
      ...{ reaches: reached.has(mutant), reachesBefore: before.has(mutant) },
    };
  };
  return {
    reaching: (id) =>
      entries.filter(({ reached, before }) => reached.has(id) || before.has(id)).map((entry) => plan(entry, id)),
    all: (id) => {
      const isNear = (entry: (typeof entries)[number]) => entry.files.has(mutants[id]?.file);
      return [...entries.filter(isNear), ...entries.filter((entry) => !isNear(entry))].map((entry) => plan(entry, id));
    },
    isReachedByLoad: (id) => byLoad.has(id),
  };
}

/** Keeps a worker for many mutants, and starts another where its state can't be trusted. */
class Trier {
  #worker: Worker | null = null;
  /** The test that killed the last mutant of a file often kills the next one too. */
  #killers = new Map<string, string>();

  constructor(
    private readonly setup: string,
    private readonly plan: Plan,
  ) {}

  stop(): void {
    this.#worker?.stop();
    this.#worker = null;
  }

  async tryMutant(id: number, file: string): Promise<{ outcome: Outcome; killer?: string }> {
    const isReachedByLoad = this.plan.isReachedByLoad(id);
    const cases = this.plan.reaching(id);
    if (cases.length === 0 && !isReachedByLoad) return { outcome: "not covered" };
    if (cases.length > 0) {
      const last = this.#killers.get(file);
      const first = cases.filter(({ name }) => name === last);
      const rest = cases.filter(({ name }) => name !== last);
      const result = await this.#ask({ type: "try", mutant: id, cases: [...first, ...rest], isOnly: false });
      if (result.killer !== null) this.#killers.set(file, result.killer);
      if (result.verdict === "killed" || result.verdict === "timeout") return outcomeOf(result);
      if (result.verdict === "survived" && !isReachedByLoad) return { outcome: "survived" };
    }
    // Tests that reach it only where no other has filled a cache before are among the rest.
    return outcomeOf(await this.#tryAlone(id, this.plan.all(id)));
  }

  async #ask(task: Task): Promise<Result> {
    this.#worker ??= await startOrThrow(this.setup);
    const reply = await this.#worker.ask(task);
    if (reply?.type !== "tried") {
      this.stop();
      return { verdict: "timeout", killer: null };
    }
    if (reply.isSpent) this.stop();
    return reply;
  }

  /**
   * In a process of its own, in which the mutant is active from the start. The test that notices has to do so again in another
   * process, alone: what an earlier test left there, or chance, does not.
   */
  async #tryAlone(id: number, cases: readonly PlannedCase[]): Promise<Result> {
    const result = await this.#runAlone(id, cases);
    const killer = cases.find(({ name }) => name === result.killer);
    if (result.verdict !== "killed" || !killer) return result;
    return await this.#runAlone(id, [killer]);
  }

  async #runAlone(id: number, cases: readonly PlannedCase[]): Promise<Result> {
    const worker = await startWorker(this.setup, id);
    if (!worker || !("ask" in worker)) throw new Error("a worker does not start");
    const reply = await worker.ask({ type: "try", mutant: id, cases, isOnly: true });
    worker.stop();
    return reply?.type === "tried" ? reply : { verdict: "timeout", killer: null };
  }
}

type Result = Readonly<{ verdict: Verdict; killer: string | null }>;

const outcomeOf = ({ verdict, killer }: Result): { outcome: Outcome; killer?: string } => ({
  outcome: verdict === "unsure" ? "survived" : verdict,
  ...(killer !== null && { killer }),
});

async function startOrThrow(setup: string): Promise<Worker> {
  const worker = await startWorker(setup);
  if (!worker || !("ask" in worker)) throw new Error("a worker does not start");
  return worker;
}
