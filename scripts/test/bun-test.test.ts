import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTests } from "./bun-test.ts";

const { signal } = new AbortController();

async function runFile(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-count-"));
  const file = path.join(folder, "sample.test.ts");
  await Bun.write(file, text);
  try {
    const env = { SAMPLE: path.join(folder, "seen") };
    return await runTests([file], { timeoutMs: 10_000, signal, quiet: true, env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("counts a real run, and names what failed twice", async () => {
  const text = `import { expect, test } from "bun:test";
    test("right", () => expect(1).toBe(1));
    test("wrong", () => expect(1).toBe(2));`;
  expect(await runFile(text)).toMatchObject({ passed: 1, failed: 1, failures: [{ name: "wrong" }] });
});

test("what fails once and passes alone has passed", async () => {
  const text = `import { expect, test } from "bun:test";
    import { existsSync, writeFileSync } from "node:fs";
    test("right", () => expect(1).toBe(1));
    test("unsteady", () => {
      const again = existsSync(process.env.SAMPLE);
      writeFileSync(process.env.SAMPLE, "");
      expect(again).toBe(true);
    });`;
  expect(await runFile(text)).toMatchObject({ passed: 2, failed: 0, failures: [] });
});

test("an error outside of the tests is a failure", async () => {
  expect((await runFile('throw new Error("at the top");')).failed).toBeGreaterThan(0);
});
