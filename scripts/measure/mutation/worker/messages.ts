import type { Mutant } from "../mutants.ts";

/** What a worker is started with, as JSON in a file. */
export type WorkerSetup = Readonly<{
  sources: readonly Readonly<{ path: string; firstId: number; mutants: readonly Mutant[] }>[];
  tests: readonly string[];
}>;

/** A test, by its place in its file and the file's in the setup. */
export type CaseId = Readonly<{ file: number; index: number }>;

/** What one test does without a mutant. */
export type CaseCoverage = Readonly<{
  id: CaseId;
  name: string;
  durationMs: number;
  queries: number;
  /** Mutants that it reaches. */
  reached: readonly number[];
  /** Mutants that the `beforeAll` of its suites reach, and what those take. */
  reachedBefore: readonly number[];
  setupMs: number;
}>;

export type Coverage = Readonly<{
  cases: readonly CaseCoverage[];
  /** Mutants that are reached while files load: by constants, and by tests that prepare data. */
  reachedByLoad: readonly number[];
}>;

/** `isOnly`: the process was started with this mutant active, and tries no other. */
export type Task =
  | Readonly<{ type: "measure" }>
  | Readonly<{ type: "try"; mutant: number; cases: readonly PlannedCase[]; isOnly: boolean }>;

export type PlannedCase = Readonly<{
  id: CaseId;
  name: string;
  timeoutMs: number;
  /** What it may take longer where its suites are not open yet. */
  setupTimeoutMs: number;
  queries: number;
  /** Whether it reaches the mutant, and whether the `beforeAll` of its suites do. */
  reaches: boolean;
  reachesBefore: boolean;
}>;

/** `unsure`: the tests' own state may have decided, so a process of its own is to try it. */
export type Verdict = "killed" | "timeout" | "survived" | "unsure";

export type Report =
  | Readonly<{ type: "loaded" }>
  | Readonly<{ type: "load-failed"; error: string }>
  | Readonly<{ type: "measured"; coverage: Coverage }>
  /** A test fails without a mutant. */
  | Readonly<{ type: "broken"; name: string; error: string }>
  /** A test begins that may take so long. */
  | Readonly<{ type: "begun"; timeoutMs: number }>
  /** `isSpent`: the process's state can no longer be trusted. */
  | Readonly<{ type: "tried"; verdict: Verdict; killer: string | null; isSpent: boolean }>;
