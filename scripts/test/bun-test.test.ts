import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { countTests, runBunTest } from "./bun-test.ts";

const { signal } = new AbortController();

async function runFile(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-count-"));
  const file = path.join(folder, "sample.test.ts");
  await Bun.write(file, text);
  try {
    return await runBunTest([file], { timeoutMs: 1000, signal, quiet: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("reads the totals of a report; skipped tests are neither passed nor failed", () => {
  const report = '<?xml version="1.0"?><testsuites name="bun test" tests="9" assertions="20" failures="2" skipped="3">';
  expect(countTests(report)).toEqual({ passed: 4, failed: 2 });
});

test("counts a real run", async () => {
  const text = `import { expect, test } from "bun:test";
    test("right", () => expect(1).toBe(1));
    test("wrong", () => expect(1).toBe(2));`;
  expect(await runFile(text)).toEqual({ passed: 1, failed: 1 });
});

test("an error outside of the tests is a failure", async () => {
  expect((await runFile('throw new Error("at the top");')).failed).toBeGreaterThan(0);
});
