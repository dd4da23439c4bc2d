import { test as bunTest } from "bun:test";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { BrowserContext, Page } from "playwright";

/** Where screenshots and traces of failed tests are kept; git ignores it. */
const FOLDER = path.resolve(import.meta.dir, "../../../test-failures");
/** A trace makes every step slower, so it is recorded only when asked: `sh scripts/test.sh` does for a second run. */
const isTracing = process.env.SLUICE_TRACE_PAGES === "1";

const MOST_PX = 30_000;

const openPages = new Set<Page>();

type Body = () => void | Promise<void>;

/** Starts to watch a page, until it is closed: when a browser test fails, its screenshot and trace are kept. */
export async function keepOnFailure(context: BrowserContext, page: Page): Promise<void> {
  openPages.add(page);
  page.on("close", () => void openPages.delete(page));
  if (isTracing) await context.tracing.start({ screenshots: true, snapshots: true });
}

/**
 * A test in a browser, as `test` of bun:test. When it fails, the message ends with the paths of a screenshot of each open
 * page and, with SLUICE_TRACE_PAGES=1, of a trace for `bunx playwright show-trace`.
 */
export function test(name: string, body: Body, timeoutMs?: number): void {
  bunTest(name, () => withEvidence(name, body), timeoutMs);
}

/** Runs the test only where the condition holds. */
test.if = (condition: boolean) => (name: string, body: Body, timeoutMs?: number) => {
  bunTest.if(condition)(name, () => withEvidence(name, body), timeoutMs);
};

/** Runs the test for each value; `%s` in the name stands for it. */
test.each =
  <Value extends string>(values: readonly Value[]) =>
  (name: string, body: (value: Value) => void | Promise<void>, timeoutMs?: number) => {
    for (const value of values) test(name.replace("%s", value), () => body(value), timeoutMs);
  };

async function withEvidence(name: string, body: Body): Promise<void> {
  try {
    await body();
  } catch (error) {
    const files = (await Promise.all([...openPages].map((page, index) => keepPage(page, name, index)))).flat();
    if (error instanceof Error && files.length > 0) error.message += `\n\nKept: ${files.join(", ")}`;
    throw error;
  }
}

/** Saves what the page shows, and the trace of its context. Returns the paths; a page that cannot respond leaves none. */
async function keepPage(page: Page, name: string, index: number): Promise<string[]> {
  const base = path.join(FOLDER, `${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80)}-${process.pid}-${index}`);
  const files: string[] = [];
  await mkdir(FOLDER, { recursive: true });
  try {
    // A list that scrolls endlessly is too high for a screenshot.
    const fullPage = (await page.evaluate(() => document.documentElement.scrollHeight)) < MOST_PX;
    await page.screenshot({ path: `${base}.png`, fullPage, timeout: 5000 });
    files.push(`${base}.png`);
    if (!isTracing) return files;
    const { tracing } = page.context();
    await tracing.stop({ path: `${base}.zip` });
    files.push(`${base}.zip`);
    await tracing.start({ screenshots: true, snapshots: true });
  } catch (error) {
    process.stderr.write(`the state of a page could not be kept: ${error}\n`);
  }
  return files;
}
