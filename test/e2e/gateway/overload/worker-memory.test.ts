import { afterAll, beforeAll, expect, test } from "bun:test";
import { familyOf, ownMib } from "../../../../scripts/bench/process-stats.ts";
import { createApiKey, createChannel } from "../../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

const WORKERS = 3;
const MODEL = "gpt-4o";
/** What a further worker takes when it rests is 41 MiB; of more than this, something new is kept by every process. */
const MOST_MIB = 44;

let database: TemporaryPostgres;
let upstream: FakeUpstream;
let gateway: Gateway;

beforeAll(async () => {
  database = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
  gateway = await startGateway({ env: { DATABASE_URL: database.url, WORKERS: String(WORKERS) } });
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  await database?.stop();
}, 60_000);

// Sources that are not built have other memory.
test.skipIf(process.env.SLUICE_E2E_SOURCE === "1")(
  "a further worker that has served calls gives memory back when it rests",
  async () => {
    const root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL]);
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    const { key } = await createApiKey(root);
    const [, ...workers] = await until(
      () => familyOf(gateway.pid),
      (pids) => pids.length === WORKERS + 1,
    );
    const call = async () => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        keepalive: false,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
      });
      await answer.text();
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 30 * WORKERS }, call));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until(
      () => workers.slice(1).map(ownMib),
      (mib) => mib.every((own) => own <= MOST_MIB),
    );
  },
  90_000,
);
