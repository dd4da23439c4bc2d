/** The machine's clock goes ahead by weeks, and is corrected. Needs libfaketime. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { settledAccount } from "../../../support/billing/books.ts";
import { login, ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import { ENGINES, startFixture } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";

setDefaultTimeout(240_000);

const LIBRARY = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);
const MODEL = "gpt-4o-mini";
/** As long as jobs that follow the clock need to run. */
const AHEAD_MS = 10_000;

test.skipIf(LIBRARY === undefined).each([...ENGINES])(
  "40 days ahead, then corrected: totals are right at once, and the log stays quiet (%s)",
  async (engine) => {
    const folder = await mkdtemp(path.join(tmpdir(), "sluice-clock-"));
    const clock = path.join(folder, "clock");
    const setClock = (offset: string) => writeFile(clock, offset);
    await setClock("+0");
    const { gateway, key, stop } = await startFixture([MODEL], {
      engine,
      env: {
        LD_PRELOAD: LIBRARY ?? "",
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        // What measures durations is not what an administrator sets.
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    });
    let calls = 0;
    const call = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
        });
        expect(answer.status).toBe(200);
        await answer.text();
        calls += 1;
      }
    };
    // Sessions end by the clock too: each reading signs in.
    const readTotal = async () => {
      const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
      return (await root.get("/api/log/?type=2&p=1&page_size=10")).total;
    };
    await call(10);
    await setClock("+40d");
    await call(10);
    await Bun.sleep(AHEAD_MS);
    await call(10);
    await setClock("+0");
    await until(readTotal, (total) => total === calls);
    await call(10);
    await until(readTotal, (total) => total === calls);
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    expect(await settledAccount(root)).toMatchObject({ request_count: calls });
    const lines = gateway.output().split("\n");
    expect(lines.filter((line) => /Timeout\w*Warning/.test(line)).slice(0, 3)).toEqual([]);
    expect(lines.length).toBeLessThan(100);
    await stop();
    await rm(folder, { recursive: true });
  },
);
