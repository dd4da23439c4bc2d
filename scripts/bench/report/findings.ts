import type { Cost, Growth, Latency } from "../measure.ts";

/** One measurement: what was done, to whom, and what came out. */
type Sample<Result> = Readonly<{ what: string; subject: string; result: Result }>;

/** Everything a run measured, in the order of measuring. */
export class Findings {
  readonly #costs: Sample<Cost>[] = [];
  readonly #latencies: Sample<Latency>[] = [];
  readonly #calls = new Map<string, number>();
  readonly #grown = new Map<string, number>();

  addCost(what: string, subject: string, result: Cost): void {
    this.#costs.push({ what, subject, result });
    this.countCalls(subject, result.requests);
  }

  addLatency(what: string, subject: string, result: Latency): void {
    this.#latencies.push({ what, subject, result });
    this.countCalls(subject, result.requests);
  }

  addGrowth(subject: string, growth: Growth): void {
    this.#grown.set(subject, growth.grownMib);
    this.countCalls(subject, growth.requests);
  }

  /** MiB that a gateway grew over many calls; NaN when that was not measured. */
  grownMib(subject: string): number {
    return this.#grown.get(subject) ?? Number.NaN;
  }

  /** Calls count for the books whether or not they were measured. */
  countCalls(subject: string, requests: number): void {
    this.#calls.set(subject, this.callsTo(subject) + requests);
  }

  callsTo(subject: string): number {
    return this.#calls.get(subject) ?? 0;
  }

  /** The results of all rounds of one measurement. */
  costs(what: string, subject: string): Cost[] {
    return resultsOf(this.#costs, what, subject);
  }

  latencies(what: string, subject: string): Latency[] {
    return resultsOf(this.#latencies, what, subject);
  }

  /** Each pair of measurement and subject once, in order of appearance. */
  costPairs(): readonly Pair[] {
    return pairsOf(this.#costs);
  }

  latencyPairs(): readonly Pair[] {
    return pairsOf(this.#latencies);
  }

  peakMib(subject: string): number {
    return Math.max(...this.#costs.filter((sample) => sample.subject === subject).map(({ result }) => result.peakMib));
  }
}

type Pair = Readonly<{ what: string; subject: string }>;

function resultsOf<Result>(samples: readonly Sample<Result>[], what: string, subject: string): Result[] {
  return samples.filter((sample) => sample.what === what && sample.subject === subject).map(({ result }) => result);
}

function pairsOf(samples: readonly Pair[]): Pair[] {
  const seen = new Map(samples.map(({ what, subject }) => [`${what}\n${subject}`, { what, subject }]));
  return [...seen.values()].sort((a, b) => a.what.localeCompare(b.what));
}
