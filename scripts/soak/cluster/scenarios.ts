import { createApiKey } from "../../../test/support/e2e/console-client.ts";
import { until } from "../../../test/support/lib/until.ts";
import { type Cluster, PRICED } from "./cluster.ts";
import { faketimeLibrary, sumMetric } from "./parts/hosts.ts";

/** What happens to the cluster under load; resolves with what was seen, for the report. */
export type Scenario = Readonly<{
  name: string;
  /** The least share of calls that must be served. */
  served: number;
  strike(cluster: Cluster, next: string | null): Promise<string>;
}>;

const PARTITION_MS = 20_000;
const SKEW_SECONDS = 5;
const QUOTA_UNITS_A_DOLLAR = 500_000;
const AFFORDABLE = 10;
const BURST = 300;
/** Calls a minute. */
const LIMIT = 100;
const MINUTE_S = 60;
/** Between the calls of a limited key. */
const GAP_MS = 50;

/** How many of so many calls are served: `gapMs` apart, or all at once. */
async function served(url: string, key: string, calls: number, gapMs = 0): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: calls }, async (_, at) => {
      await Bun.sleep(at * gapMs);
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: PRICED.model, messages: [{ role: "user", content: "hello" }] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  return statuses.filter((status) => status === 200).length;
}

/** In this order: the first starts on an older version, the last loses a host for good. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "rolling upgrade, with migrations",
    served: 1,
    async strike({ hosts }, next) {
      if (!next) return "left out: no other version";
      const [first, ...others] = hosts;
      // The executable is replaced under the running supervisor on one host; the others are drained and started.
      const isReloaded = await first?.replaceExecutable(next);
      await Bun.sleep(PARTITION_MS / 4);
      for (const host of isReloaded ? others : hosts) {
        await host.install(next);
        await host.drain();
        await host.start();
      }
      const how = isReloaded ? "one host by reload, two by restart" : "all hosts by restart";
      return `${how}; old and new served side by side`;
    },
  },
  {
    name: "primary killed",
    served: 0.999,
    async strike({ pair }) {
      const seconds = await pair.killPrimary();
      await pair.startKilled();
      return `another primary after ${seconds.toFixed(1)} s; the old one came back as its standby`;
    },
  },
  {
    name: "one host cut off from the database",
    served: 0.999,
    async strike({ hosts }) {
      const [host] = hosts;
      host?.cutOff();
      await Bun.sleep(PARTITION_MS);
      const waiting = host ? await sumMetric([host], "sluice_journal_pending_records") : 0;
      host?.reconnect();
      return `${PARTITION_MS / 1000} s; ${waiting} charges waited in its journal`;
    },
  },
  {
    name: "Redis master killed",
    served: 0.999,
    async strike({ redis, hosts, root, gatewayUrl }) {
      const { key } = await createApiKey(root, { requests_per_minute: LIMIT });
      await Bun.sleep(1500);
      const limitBegan = performance.now();
      const before = await served(gatewayUrl, key, LIMIT / 2, GAP_MS);
      const began = performance.now();
      await redis.killMaster();
      const striking = served(gatewayUrl, key, 2 * LIMIT, GAP_MS);
      await until(async () => (await sumMetric(hosts, "sluice_journal_copy_behind")) > 0);
      await until(async () => (await sumMetric(hosts, "sluice_journal_copy_behind")) === 0);
      const copied = `the journals' copies were complete on the new master after ${((performance.now() - began) / 1000).toFixed(1)} s`;
      const during = await striking;
      const after = await served(gatewayUrl, key, LIMIT, GAP_MS);
      const limitSeconds = (performance.now() - limitBegan) / 1000;
      if (limitSeconds > MINUTE_S) throw new Error(`the calls of a limited key took ${limitSeconds.toFixed(0)} s`);
      const all = before + during + after;
      if (before !== LIMIT / 2 || all > LIMIT + hosts.length) {
        throw new Error(`${before} + ${during} + ${after} calls were served on a limit of ${LIMIT} a minute`);
      }
      return `${copied}; ${all} calls on a limit of ${LIMIT} a minute`;
    },
  },
  {
    name: `a clock ${SKEW_SECONDS} s ahead`,
    served: 0.999,
    async strike({ hosts, root, gatewayUrl }) {
      const [, host] = hosts;
      await host?.drain();
      await host?.start({
        LD_PRELOAD: faketimeLibrary(),
        FAKETIME: `+${SKEW_SECONDS}`,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      });
      const date = new Date((await fetch(`${host?.url}/healthz`)).headers.get("date") ?? 0).getTime();
      // The header has seconds alone.
      const ahead = Math.round((date + 500 - Date.now()) / 1000);
      await Bun.sleep(PARTITION_MS / 2);
      const quota = AFFORDABLE * PRICED.price * QUOTA_UNITS_A_DOLLAR;
      const { key } = await createApiKey(root, { unlimited_quota: false, remain_quota: quota });
      await Bun.sleep(1500);
      const count = await served(gatewayUrl, key, BURST);
      if (count !== AFFORDABLE) throw new Error(`${count} calls were served on a quota for ${AFFORDABLE}`);
      await host?.drain();
      await host?.start();
      return `its clock was ${ahead} s ahead; of ${BURST} calls at once on a quota for ${AFFORDABLE}, ${count} were served`;
    },
  },
  {
    name: "one host lost for good while cut off from the database",
    served: 0.98,
    async strike({ hosts }) {
      const host = hosts[2];
      if (!host) throw new Error("there is no third host");
      host.cutOff();
      await Bun.sleep(PARTITION_MS / 4);
      const waiting = await sumMetric([host], "sluice_journal_pending_records");
      await host.lose();
      hosts.splice(2, 1);
      // Leases last 30 s; then others charge what is in Redis.
      await Bun.sleep(2 * PARTITION_MS);
      return `${waiting} charges were on its disk and in Redis alone`;
    },
  },
];
