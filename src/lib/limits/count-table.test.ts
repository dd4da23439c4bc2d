import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CountTable, makeCountTable, removeCountTable } from "./count-table.ts";
import { createRateLimiter } from "./rate-limiter.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "count-table-"));
  makeCountTable(dataDir);
});
afterEach(async () => {
  removeCountTable(dataDir);
  await rm(dataDir, { recursive: true });
});

const LIMIT = { count: 20, windowMs: 60_000 };
const PROCESSES = 3;
const TAKES = 20_000;
const KEYS = 50;

/** Takes as fast as it can, over and over the same keys; says how often it was allowed to. */
const TAKER = `
import { CountTable } from "${import.meta.dir}/count-table.ts";
const limiter = new CountTable(process.argv[1]).limiter("calls", { count: 1000, windowMs: 3_600_000 });
let allowed = 0;
for (let at = 0; at < ${TAKES}; at++) if (limiter.take(String(at % ${KEYS})) === 0) allowed++;
console.log(allowed);
`;

describe("counts that processes share", () => {
  test("processes that count at the same time together count exactly", async () => {
    const takers = Array.from({ length: PROCESSES }, () =>
      Bun.spawn([process.execPath, "-e", TAKER, dataDir], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const allowed = await Promise.all(takers.map(async ({ stdout }) => Number(await new Response(stdout).text())));
    // Each of them alone would have been allowed 20,000.
    expect(allowed.reduce((sum, count) => sum + count)).toBe(1000 * KEYS);
  });

  test("waits are those of a limiter in one process", () => {
    let clock = 1_764_000_000_000;
    const limiters = [1, 2].map((holder) => new CountTable(dataDir, holder, () => clock).limiter("calls", LIMIT));
    const alone = createRateLimiter(LIMIT, { now: () => clock });
    for (let call = 0; call < 500; call += 1) {
      clock += call % 7 === 0 ? 9000 : 150;
      expect(limiters[call % 2]?.take("7")).toBe(alone.take("7"));
      expect(limiters[0]?.check("7")).toBe(alone.check("7"));
    }
  });

  test("what one adds the other sees, and what one forgets both forget; names and limits are apart", () => {
    const [here, there] = [1, 2].map((holder) => new CountTable(dataDir, holder));
    here?.limiter("tokens", LIMIT).add("7", 50);
    expect(there?.limiter("tokens", LIMIT).check("7")).toBeGreaterThan(0);
    expect(there?.limiter("calls", LIMIT).check("7")).toBe(0);
    expect(there?.limiter("tokens", { ...LIMIT, count: 60 }).check("7")).toBe(0);
    there?.limiter("tokens", LIMIT).forget("7");
    expect(here?.limiter("tokens", LIMIT).check("7")).toBe(0);
  });

  test("what one gives back another may take", () => {
    const [here, there] = [1, 2].map((holder) => new CountTable(dataDir, holder).limiter("calls", LIMIT));
    for (let at = 0; at < LIMIT.count; at += 1) here?.take("7");
    expect(there?.take("7")).toBeGreaterThan(0);
    here?.giveBack("7");
    expect([there?.take("7"), there?.take("7")]).toEqual([0, expect.any(Number)]);
    expect(there?.check("7")).toBeGreaterThan(0);
  });

  test("of too many keys those go that were counted longest ago", () => {
    let clock = 1_764_000_000_000;
    const limiter = new CountTable(dataDir, 1, () => clock).limiter("calls", { count: 1, windowMs: 3_600_000 });
    for (let key = 0; key < 100_000; key += 1) {
      clock += 1;
      limiter.take(String(key));
    }
    const known = (from: number) =>
      Array.from({ length: 1000 }, (_, at) => limiter.check(String(from + at))).filter((wait) => wait > 0).length;
    expect(known(99_000)).toBe(1000);
    expect(known(0)).toBeLessThan(300);
  });

  test("a process that dies with a lock leaves others to count alone, until its locks are released", async () => {
    const holder = `
      import { CountTable } from "${import.meta.dir}/count-table.ts";
      const die = () => process.kill(process.pid, "SIGKILL");
      new CountTable(process.argv[1], process.pid, die).limiter("calls", { count: 1, windowMs: 60_000 }).take("7");
    `;
    const dead = Bun.spawn([process.execPath, "-e", holder, dataDir], { stdio: ["ignore", "ignore", "ignore"] });
    await dead.exited;
    const [here, there] = [new CountTable(dataDir, 1), new CountTable(dataDir, 2)];
    const limiters = [here, there].map((table) => table.limiter("calls", { count: 1, windowMs: 60_000 }));
    expect(limiters.map((limiter) => limiter.take("7"))).toEqual([0, 0]);
    here.releaseLocks(dead.pid);
    expect(limiters[0]?.take("7")).toBe(0);
    expect(limiters[1]?.take("7")).toBeGreaterThan(0);
  });
});
