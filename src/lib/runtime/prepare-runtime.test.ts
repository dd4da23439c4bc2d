import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimeSettings } from "./prepare-runtime.ts";

const ALWAYS = ["BUN_CONFIG_MAX_HTTP_REQUESTS", "BUN_JSC_useConcurrentGC"];

describe("the runtime's settings", () => {
  test("keep more memory where the database is a server's", () => {
    const collectsLate = (env: Record<string, string>) => "BUN_JSC_largeHeapSize" in runtimeSettings(env);
    expect(collectsLate({ DATABASE_URL: "postgres://db/sluice" })).toBe(true);
    expect(collectsLate({ SQL_DSN: "postgres://db/sluice" })).toBe(true);
    expect(collectsLate({})).toBe(false);
    expect(collectsLate({ DATABASE_URL: "" })).toBe(false);
  });

  test("let garbage take less memory than large tables do", async () => {
    const script = `
      const tables = Array.from({ length: 200 }, () => new Uint8Array(1024 * 1024).fill(1));
      const rowOf = (n) => ({ text: n + " some text", n, more: [n] });
      let highest = 0;
      for (let at = 0; at < 6000; at += 1) {
        globalThis.garbage = JSON.parse(JSON.stringify(Array.from({ length: 400 }, (_, n) => rowOf(n))));
        if (at % 50 === 0) highest = Math.max(highest, process.memoryUsage.rss());
      }
      console.log(Math.round(highest / 1024 / 1024), tables.length);`;
    const env = { ...process.env, ...runtimeSettings({ DATABASE_URL: "postgres://db/sluice" }) };
    const child = Bun.spawn([process.execPath, "-e", script], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [highestMib = 0] = (await new Response(child.stdout).text()).split(" ").map(Number);
    expect(highestMib).toBeGreaterThan(200);
    expect(highestMib).toBeLessThan(450);
  });

  test("lift the limit of outgoing requests and collect garbage in one go everywhere", () => {
    for (const env of [{}, { DATABASE_URL: "postgres://db/sluice" }]) {
      expect(Object.keys(runtimeSettings(env))).toEqual(expect.arrayContaining(ALWAYS));
    }
  });
});

describe("preparing the runtime", () => {
  /** What a process of its own has in its environment once it is prepared. */
  async function prepared(env: Record<string, string>): Promise<Record<string, string>> {
    const { PATH = "" } = process.env;
    const script = `
      const { prepareRuntime } = await import(${JSON.stringify(join(import.meta.dir, "prepare-runtime.ts"))});
      await prepareRuntime([]);
      console.log(JSON.stringify({ ...process.env, PID: String(process.pid) }));`;
    const folder = await mkdtemp(join(tmpdir(), "sluice-runtime-"));
    const path = join(folder, "prepared.ts");
    await Bun.write(path, script);
    try {
      const child = Bun.spawn([process.execPath, path], {
        env: { PATH, ...env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const reported = JSON.parse(await new Response(child.stdout).text()) as Record<string, string>;
      expect(reported.PID).toBe(String(child.pid));
      return reported;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test("sets what is not set, under the same process id", async () => {
    expect(await prepared({})).toMatchObject(runtimeSettings({}));
  });

  test("leaves what the operator set", async () => {
    const reported = await prepared({ DATABASE_URL: "postgres://db/sluice", BUN_JSC_largeHeapSize: "50000000" });
    expect(reported).toMatchObject({ BUN_JSC_largeHeapSize: "50000000", BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" });
  });
});
