import { createChannel, type Session, setOptions, setUp } from "../../../test/support/e2e/console-client.ts";
import { startFakeUpstream } from "../../../test/support/e2e/fake-upstream/fake-upstream.ts";
import { freePort } from "../../../test/support/lib/free-port.ts";
import { startSentinelSet } from "../../../test/support/lib/redis/redis-sets.ts";
import { MODELS } from "./load.ts";
import { type Host, startHost } from "./parts/hosts.ts";
import { startPostgresPair } from "./parts/postgres-pair.ts";
import { Processes } from "./parts/processes.ts";
import { startProxies } from "./parts/proxies.ts";

const HOSTS = ["host1", "host2", "host3"] as const;
/** A call of this model has a fixed price, in dollars. */
export const PRICED = { model: "gpt-4o-mini", price: 0.002 } as const;

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Three hosts with two workers each behind HAProxy, Postgres with a synchronous standby under Patroni, PgBouncer in
 * transaction mode, and Redis with Sentinel: real servers on this machine. Ends what it has started when it fails.
 */
export async function startCluster(executable: string, say: (line: string) => void) {
  const processes = await Processes.open();
  const upstream = startFakeUpstream();
  const forgetting = setInterval(() => upstream.requests.splice(0), 1000);
  const redis = await startSentinelSet();
  const close = async () => {
    clearInterval(forgetting);
    await Promise.all([processes.close(), redis.close(), upstream.stop()]);
  };
  try {
    say("starting Postgres with Patroni and etcd");
    const pair = await startPostgresPair(processes);
    const ports = [await freePort(), await freePort(), await freePort()];
    const proxies = await startProxies(processes, pair, ports);
    const hosts: Host[] = [];
    for (const [index, name] of HOSTS.entries()) {
      say(`starting ${name}`);
      hosts.push(
        await startHost(processes, {
          ...{ name, port: ports[index] ?? 0, executable, password: pair.password, redisUrl: redis.url },
          ...{ postgresPorts: pair.servers.map(({ port }) => port), pgbouncerPort: proxies.pgbouncerPort },
        }),
      );
    }
    const [first] = hosts;
    if (!first) throw new Error("no host was started");
    const root = await setUp(first);
    await furnish(root, upstream.url);
    return { ...proxies, folder: processes.folder, pair, redis, hosts, root, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function furnish(root: Session, upstream: string): Promise<void> {
  await createChannel(root, upstream, [...Object.values(MODELS), PRICED.model]);
  await setOptions(root, {
    ModelRatio: Object.fromEntries(Object.values(MODELS).map((model) => [model, 1])),
    ModelPrice: { [PRICED.model]: PRICED.price },
    RetryTimes: 1,
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 1_000_000,
    ModelRequestRateLimitSuccessCount: 1_000_000,
  });
}
