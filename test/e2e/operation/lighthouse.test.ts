/**
 * Lighthouse (desktop preset) on the pages that people open most; run by `sh scripts/test.sh --lighthouse`, alone: a page takes
 * some ten seconds, and its performance cannot be measured while other tests use the processor.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import lighthouse, { desktopConfig } from "lighthouse";
import { type BrowserContext, chromium } from "playwright";
import { findChromium } from "../../support/e2e/browser.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { startSeeded } from "../../support/e2e/console-page.ts";
import { type Gateway, setUp } from "../../support/e2e/fixture.ts";

const LEAST = 0.95;
/** A busy moment of the machine is no fault of the page: the best of these counts for performance. */
const RUNS = 3;
const PAGES = ["/login", "/channel", "/log", "/detail"] as const;
const STEADY = ["accessibility", "best-practices", "seo"] as const;
const CATEGORIES = ["performance", ...STEADY];

describe.if(process.env.SLUICE_LIGHTHOUSE === "1")("Lighthouse", () => {
  let gateway: Gateway;
  let profile: string;
  let context: BrowserContext;
  let port: number;

  beforeAll(async () => {
    gateway = await startSeeded({ channels: 50, users: 20, tokens: 20, logs: 20_000 });
    await setUp(gateway);
    profile = await mkdtemp(path.join(tmpdir(), "sluice-lighthouse-"));
    // Lighthouse opens its page in the browser's own profile, so the session is made there.
    context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(),
      args: ["--no-sandbox", "--remote-debugging-port=0"],
      locale: "en-US",
    });
    port = Number.parseInt(await readFile(path.join(profile, "DevToolsActivePort"), "utf8"), 10);
  }, 120_000);
  afterAll(async () => {
    await context.close();
    await gateway.stop();
    await rm(profile, { recursive: true, force: true });
  });

  const signIn = async () => {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/healthz`);
    await page.evaluate(
      async (body) => {
        const headers = { "content-type": "application/json" };
        const reply = await fetch("/api/user/login", { method: "POST", headers, body: JSON.stringify(body) });
        localStorage.setItem("user", JSON.stringify((await reply.json()).data));
      },
      { username: ROOT_NAME, password: ROOT_PASSWORD },
    );
    await page.close();
  };
  const measure = async (address: string, onlyCategories: string[]) => {
    const flags = { port, disableStorageReset: true, logLevel: "error", onlyCategories } as const;
    const result = await lighthouse(gateway.url + address, flags, desktopConfig);
    if (!result) throw new Error("Lighthouse measured nothing");
    const { categories, audits, finalDisplayedUrl, runtimeError } = result.lhr;
    expect(runtimeError).toBeUndefined();
    // An expired session would measure the sign-in page instead.
    expect(new URL(finalDisplayedUrl).pathname).toBe(address);
    const scores = Object.fromEntries(Object.values(categories).map(({ id, score }) => [id, score ?? 0]));
    const faults = Object.values(categories).flatMap(({ id, auditRefs }) =>
      id === "performance"
        ? []
        : auditRefs.filter((ref) => ref.weight > 0 && audits[ref.id]?.score === 0).map((ref) => ref.id),
    );
    return { scores, faults };
  };

  test.each(PAGES)(
    "%s has 95 of 100 or more in each category",
    async (address) => {
      if (address !== "/login") await signIn();
      const { scores, faults } = await measure(address, CATEGORIES);
      for (const category of STEADY) {
        expect(scores[category] ?? 0, `${category}: ${faults.join(", ")}`).toBeGreaterThanOrEqual(LEAST);
      }
      let performance = scores.performance ?? 0;
      for (let run = 1; run < RUNS && performance < LEAST; run += 1) {
        const again = await measure(address, ["performance"]);
        performance = Math.max(performance, again.scores.performance ?? 0);
      }
      process.stdout.write(`${address}: ${JSON.stringify({ ...scores, performance })}\n`);
      expect(performance, "performance").toBeGreaterThanOrEqual(LEAST);
    },
    300_000,
  );
});
