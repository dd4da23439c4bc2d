/**
 * Stands in for `bun:test` in a worker: collects tests instead of running them, so that each can run once for every mutant.
 * What else tests use (`expect`, fake timers, …) is the runner's own.
 */
import { format } from "node:util";

export { expect, jest, mock, setSystemTime, spyOn, vi } from "bun:test";

type Work = () => unknown;

/** A file or a `describe` block. */
export type Suite = Readonly<{
  parent: Suite | null;
  beforeAll: Work[];
  afterAll: Work[];
  beforeEach: Work[];
  afterEach: Work[];
}>;

/** One test; `name` has the names of its blocks. */
export type Case = Readonly<{ file: string; name: string; suite: Suite; run: Work }>;

let cases: Case[] = [];
let file = "";
let names: readonly string[] = [];
let suite = newSuite(null);

/** Imports a test file, whose import of `bun:test` leads here, and returns its tests in order. */
export async function collectTests(path: string): Promise<readonly Case[]> {
  cases = [];
  file = path;
  suite = newSuite(null);
  await import(path);
  return cases;
}

function newSuite(parent: Suite | null): Suite {
  return { parent, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
}

const addTest = (name: string, run: Work): void => {
  cases.push({ file, name: [...names, name].join(" > ").slice(0, 160), suite, run });
};

const addSuite = (name: string, define: Work): void => {
  const outer = { suite, names };
  suite = newSuite(suite);
  names = [...names, name];
  define();
  ({ suite, names } = outer);
};

type Add = (name: string, work: Work) => void;
type Row = (name: string, work: (...values: readonly unknown[]) => unknown) => void;

/** `test.each` and `describe.each`: a row that is a list holds one argument each. */
const each =
  (add: Add) =>
  (rows: readonly unknown[]): Row =>
  (name, work) => {
    for (const [index, row] of rows.entries()) {
      const values: readonly unknown[] = Array.isArray(row) ? row : [row];
      add(`${format(name, ...values)} #${index}`, () => work(...values));
    }
  };

const ignore: Add = () => {};

const withVariants = (add: Add) =>
  Object.assign(add, {
    each: each(add),
    if: (condition: unknown) => Object.assign(condition ? add : ignore, { each: each(condition ? add : ignore) }),
    skipIf: (condition: unknown) => Object.assign(condition ? ignore : add, { each: each(condition ? ignore : add) }),
    skip: Object.assign(ignore, { each: each(ignore) }),
  });

export const test = withVariants(addTest);
export const describe = withVariants(addSuite);
export const beforeAll = (work: Work): void => void suite.beforeAll.push(work);
export const afterAll = (work: Work): void => void suite.afterAll.push(work);
export const beforeEach = (work: Work): void => void suite.beforeEach.push(work);
export const afterEach = (work: Work): void => void suite.afterEach.push(work);
/** Workers have limits of their own, by how long a test took without a mutant. */
export const setDefaultTimeout = (): void => {};
