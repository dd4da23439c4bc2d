import { expect, test } from "bun:test";
import pino from "pino";
import { openTestDatabase } from "../../../test/support/database.ts";
import { noTasks } from "../../../test/support/gateway/start-gateway.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createObjectStore } from "../../gateway/state/objects/store.ts";
import { createResponseStore } from "../../gateway/state/responses/store.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { runBenchmark } from "./run-benchmark.ts";

test("reports what the relay adds to calls, whatever limits the site has, and leaves nothing behind", async () => {
  const { db, sql, close } = await openTestDatabase();
  const log = pino({ level: "silent" });
  const vault = createVault({ encryptionKey: "a key of this test, long enough" });
  const settings = fixedSettings({
    ModelRequestRateLimitEnabled: "true",
    ModelRequestRateLimitCount: "1",
    OpenAIEndpointEnabled: "false",
    GroupRatio: '{"vip":1}',
  });
  const responses = createResponseStore(db, log, vault);
  const { calls, p50Ms, p99Ms, perSecond } = await runBenchmark({
    settings,
    responses,
    objects: createObjectStore(db),
    tasks: noTasks,
    log,
  });
  expect(calls).toBeGreaterThan(0);
  expect(p50Ms).toBeGreaterThanOrEqual(0);
  expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
  expect(perSecond).toBeGreaterThan(0);
  const [rows] = await sql<{ count: number }[]>`select count(*)::int as count from logs`;
  expect(rows?.count).toBe(0);
  await close();
}, 240_000);
