import { createApiKey, createChannel, type Session, setOptions, setUp } from "../../test/support/e2e/console-client.ts";
import { startFakeUpstream } from "../../test/support/e2e/fake-upstream/fake-upstream.ts";
import { REDIS, startRedis } from "../../test/support/lib/redis/start-redis.ts";
import { until } from "../../test/support/lib/until.ts";
import { type Gateway, startGateway } from "../../test/support/processes/gateway.ts";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { auditBooks, type Before, type Finding } from "./audit.ts";
import { FOREIGN, HEALTHY_MODELS, startClients, type Targets, type Traffic } from "./clients.ts";
import { ECHO, ECHO_MODELS, ECHO_OPTIONS, startEchoUpstream } from "./echo-upstream.ts";
import { strikeFaults } from "./faults.ts";
import { FAULTY_MODELS, startFaultyUpstream } from "./faulty-upstream.ts";
import { startGuards } from "./guards.ts";
import { startHostileServers } from "./hostile/hostile-servers.ts";
import { addHostileServers, startToolClients } from "./hostile/tool-clients.ts";
import { CALL_PRICE, PRICED_MODEL, startLimits } from "./lowered-limits.ts";

export type SoakOptions = Readonly<{
  /** Postgres: two gateways, with Redis where it is installed. */
  engine: "embedded" | "postgres";
  seconds: number;
  clients: number;
  /** Quiet between two faults. */
  restMs: number;
}>;

export type SoakResult = Readonly<{
  traffic: Traffic;
  /** How often calls of tools of each server came to what. */
  tools: ReadonlyMap<string, number>;
  faults: ReadonlyMap<string, number>;
  /** How often a limit was lowered, and what came right after it was judged. */
  lowered: number;
  /** How calls ended whose guardrails need a service. */
  guarded: string;
  findings: readonly Finding[];
  /** Audits the same books against other traffic; not once a Postgres server has ended. */
  audit: (traffic: Traffic) => Promise<Finding[]>;
}>;

const TOKEN_QUOTA = 50_000_000;
const MODELS = [...new Set([...HEALTHY_MODELS, ...FAULTY_MODELS, ...ECHO_MODELS])];
const ENVIRONMENT = {
  STREAMING_TIMEOUT: "3",
  RELAY_TIMEOUT: "5",
  SHUTDOWN_DELAY: "0",
  ENCRYPTION_KEY: "k".repeat(43),
  SESSION_SECRET: "s".repeat(43),
  LOG_LEVEL: "error",
};

/** Lets clients call gateways while things break, then re-adds the books. Rejects when a gateway does not start or end. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const isShared = options.engine === "postgres";
  const database = isShared ? await startTemporaryPostgres({ durable: true }) : null;
  const redis = isShared && REDIS ? await startRedis() : null;
  const [upstream, faulty, guards] = [startFakeUpstream(), startFaultyUpstream(), startGuards()];
  const [echo, hostile] = [startEchoUpstream(), startHostileServers()];
  const env = {
    ...ENVIRONMENT,
    PROVIDER_KEY_ADDRESSES: `openai=${echo.url}`,
    ...(database && { DATABASE_URL: database.url }),
    ...(redis && { REDIS_URL: redis.url }),
  };
  const gateways: Gateway[] = [await startGateway({ env })];
  if (isShared) gateways.push(await startGateway({ env }));
  // What the fake upstream remembers of each request is of no use here.
  const forgetting = setInterval(() => upstream.requests.splice(0), 1000);
  try {
    const [first] = gateways;
    if (!first) throw new Error("no gateway was started");
    const root = await setUp(first);
    const { before, key } = await furnish(
      root,
      { healthy: upstream.url, faulty: faulty.url, echo: echo.url },
      redis ? "redis" : "memory",
    );
    await setOptions(root, { Guardrails: guards.rules });
    const changing = await addHostileServers(root, hostile);
    const targets: Targets = { urls: gateways.map(({ url }) => url), key };
    const kill = async (at: number) => {
      const gateway = gateways[at];
      if (!gateway) throw new Error(`there is no gateway ${at}`);
      await gateway.stop("SIGKILL");
      return async () => {
        const next = await startGateway({ env, dataDir: gateway.dataDir });
        gateways[at] = next;
        targets.urls[at] = next.url;
      };
    };
    const endMs = performance.now() + options.seconds * 1000;
    const clients = startClients(options.clients, targets, guards);
    const limits = startLimits(targets);
    // From here on the server that changes says something else of its tool than what was approved.
    await root.post(`/api/mcp-server/${changing}/refresh`, {});
    const tools = startToolClients(options.clients, targets, hostile);
    const victims = { gateways: gateways.length, kill, database, redis };
    const faults = await strikeFaults(victims, options.restMs, () => performance.now() >= endMs);
    const { lowered, findings: ofLimits } = await limits.stop();
    const traffic = await clients.stop();
    const toolTraffic = await tools.stop();
    const broken = { name: "hostile calls answered 500", expected: 0, found: traffic.failures.get("hostile 500") ?? 0 };
    const foreign = { name: "answers of other requests", expected: 0, found: traffic.failures.get(FOREIGN) ?? 0 };
    const found = [broken, foreign, ...toolTraffic.findings, ...ofLimits, ...guards.findings];
    const findings = [...found, ...(await endGateways(gateways))];
    const place = { databaseUrl: database?.url ?? null, dataDir: first.dataDir };
    const others = { refused: guards.refused, tools: toolTraffic };
    const audit = (expected: Traffic) => auditBooks(place, before, expected, others);
    return {
      traffic,
      tools: toolTraffic.outcomes,
      faults,
      lowered,
      guarded: guards.counts,
      findings: [...findings, ...(await audit(traffic))],
      audit,
    };
  } finally {
    clearInterval(forgetting);
    for (const gateway of gateways) await gateway.stop("SIGKILL");
    const stopped = [upstream.stop(), faulty.stop(), guards.stop(), echo.stop(), hostile.stop()];
    await Promise.all([...stopped, redis?.end(), database?.stop()]);
  }
}

type Addresses = Readonly<{ healthy: string; faulty: string; echo: string }>;

/** Channels, prices and a key, whose quota is limited, so that it is kept, too; a key at a provider, and the cache of responses. */
async function furnish(
  root: Session,
  { healthy, faulty, echo }: Addresses,
  store: "memory" | "redis",
): Promise<{ before: Before; key: string }> {
  for (const model of [...HEALTHY_MODELS, PRICED_MODEL]) await createChannel(root, healthy, [model]);
  for (const model of FAULTY_MODELS) await createChannel(root, faulty, [model], { priority: 10 });
  for (const model of ECHO_MODELS) await createChannel(root, echo, [model]);
  await setOptions(root, {
    ModelRatio: Object.fromEntries(MODELS.map((model) => [model, 1])),
    CompletionRatio: Object.fromEntries(ECHO_MODELS.map((model) => [model, 1])),
    ModelPrice: { [PRICED_MODEL]: CALL_PRICE / 500_000 },
    RetryTimes: 2,
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 1_000_000,
    ModelRequestRateLimitSuccessCount: 1_000_000,
    ...ECHO_OPTIONS,
    ResponseCacheStore: store,
  });
  await root.post("/api/provider_keys/", {
    ...{ name: "soak", provider: "openai", key: "sk-a-stored-key-of-the-soak", models: [ECHO.stored] },
    ...{ mode: "first", enabled: true },
  });
  const { id: tokenId, key } = await createApiKey(root, { unlimited_quota: false, remain_quota: TOKEN_QUOTA });
  const { id: userId, quota } = await root.get("/api/user/self");
  return { before: { userId, quota, tokenId, tokenQuota: TOKEN_QUOTA }, key };
}

/** Waits until all charges are written, then ends the gateways as an operator does. */
async function endGateways(gateways: readonly Gateway[]): Promise<Finding[]> {
  const sumOf = async (metric: string) => {
    const texts = await Promise.all(gateways.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    return texts.reduce((sum, text) => sum + Number(new RegExp(`^${metric} (\\S+)$`, "m").exec(text)?.[1]), 0);
  };
  // A call whose client has left is made to its end.
  const leftOf = (metric: string) =>
    until(
      () => sumOf(metric),
      (count) => count === 0,
    ).catch(() => sumOf(metric));
  const open = [await leftOf("sluice_holds"), await leftOf("sluice_relay_open_streams")];
  const unwritten = await leftOf("sluice_journal_pending_records");
  const rejected = await sumOf("sluice_journal_rejected_records");
  const codes = await Promise.all(gateways.map((gateway) => gateway.stop()));
  return [
    { name: "charges that were not written", expected: 0, found: unwritten },
    { name: "charges that were rejected", expected: 0, found: rejected },
    { name: "holds open after the last call", expected: 0, found: open[0] ?? 0 },
    { name: "streams open after the last call", expected: 0, found: open[1] ?? 0 },
    { name: "gateways that ended with an error", expected: 0, found: codes.filter((code) => code !== 0).length },
  ];
}
