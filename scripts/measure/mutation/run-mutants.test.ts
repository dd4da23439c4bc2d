import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TriedMutant } from "./report.ts";
import { runMutants } from "./run-mutants.ts";

setDefaultTimeout(60_000);

const SOURCE = `
const LIMIT = 3;
const seen = new Map<number, number>();
/** A tie returns either: the two comparisons are the same. */
export const larger = (a: number, b: number) => (a > b ? a : b);
export const isAllowed = (count: number) => count < LIMIT;
export function remembered(key: number): number {
  const known = seen.get(key);
  if (known !== undefined) return known;
  seen.set(key, key * 2);
  return key * 2;
}
export function sum(count: number): number {
  let total = 0;
  for (let i = 0; i < count; i += 1) total = total + i;
  return total;
}
export async function finished(isOpen: boolean): Promise<string> {
  if (isOpen) await new Promise(() => {});
  return "done";
}
export async function closed(isOpen: boolean): Promise<void> {
  if (isOpen) await new Promise(() => {});
}
export const unused = (a: number) => a - 1;
`;
const TESTS = `
import { afterEach, beforeAll, describe, expect, jest, test } from "bun:test";
import { closed, finished, isAllowed, larger, remembered, sum } from "./source.ts";

test("the larger one", () => {
  expect([larger(1, 2), larger(2, 1), larger(2, 2)]).toEqual([2, 2, 2]);
});
describe("within its block", () => {
  let allowed: boolean[];
  beforeAll(() => {
    allowed = [2, 3].map(isAllowed);
  });
  test("three are too many", () => expect(allowed).toEqual([true, false]));
});
test.each([[1, 0], [3, 3]])("sums %d", (count, total) => expect(sum(count)).toBe(total));
test("twice the same", () => expect([remembered(2), remembered(2)]).toEqual([4, 4]));
test("ends", async () => expect(await finished(false)).toBe("done"));
afterEach(() => void jest.useRealTimers());
test("ends while no time passes", async () => {
  jest.useFakeTimers();
  await closed(false);
});
`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sluice-mutation-test-"));
  await mkdir(path.join(root, "src"));
});
afterAll(() => rm(root, { recursive: true }));

async function run(tests: string): Promise<TriedMutant[]> {
  await Bun.write(path.join(root, "src/source.ts"), SOURCE);
  await Bun.write(path.join(root, "src/source.test.ts"), tests);
  return runMutants({ root, sources: ["src/source.ts"], tests: ["src/source.test.ts"], jobs: 1 });
}

describe("a run", () => {
  let tried: readonly TriedMutant[];
  beforeAll(async () => {
    tried = await run(TESTS);
  });
  /** Outcomes of the mutants in the line of the source that contains this text, or one `below`, by what they put there. */
  const outcomes = (part: string, below = 0) => {
    const line = SOURCE.split("\n").findIndex((text) => text.includes(part)) + 1 + below;
    return Object.fromEntries(
      tried.filter((mutant) => mutant.line === line).map(({ replacement, outcome }) => [replacement, outcome]),
    );
  };

  test("reports a change that makes no difference as survived, others as killed", () => {
    expect(outcomes("larger")).toEqual({ true: "killed", false: "killed", ">=": "survived" });
  });

  test("tries constants that are read while files load, and what a block prepares", () => {
    expect(outcomes("LIMIT = 3")).toEqual({ "(3 + 1)": "killed" });
    expect(outcomes("isAllowed")).toEqual({ "<=": "killed" });
  });

  test("a value that one mutant has left in a cache kills no other, and hides none", () => {
    expect(outcomes("seen.set")).toEqual({ ";": "survived", "/": "killed", "(2 + 1)": "killed" });
    expect(outcomes("  return key * 2")).toEqual({ "/": "killed", "(2 + 1)": "killed" });
  });

  test("a loop without an end and an answer that never comes count as noticed", () => {
    expect(outcomes("for (let i")).toEqual({
      ...{ "(0 + 1)": "survived", "<=": "killed", "-=": "killed", "(1 + 1)": "killed" },
      ...{ ";": "killed", "-": "killed" },
    });
    for (const part of ["finished", "closed"]) {
      expect(outcomes(part, 1)).toEqual({ true: "timeout", false: "survived", ";": "not covered" });
    }
  });

  test("names what no test reaches", () => {
    expect(outcomes("unused")).toEqual({ "+": "not covered", "(1 + 1)": "not covered" });
  });
});

test.each([
  ["a test that fails", `import { expect, test } from "bun:test";\ntest("wrong", () => expect(1).toBe(2));\n`],
  ["a file that can't be loaded", `throw new Error("no");\n`],
])("is refused where it fails without a mutant: %s", async (_, tests) => {
  await expect(run(tests)).rejects.toThrow("without a mutant");
});
