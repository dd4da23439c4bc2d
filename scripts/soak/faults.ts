import postgres from "postgres";
import { openRedis } from "../../src/lib/redis/open-redis.ts";
import type { startRedis } from "../../test/support/lib/redis/start-redis.ts";
import type { TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";

/** What can be broken while clients call. */
export type Victims = Readonly<{
  gateways: number;
  /** Kills a gateway; returns what starts it again. */
  kill: (gateway: number) => Promise<() => Promise<void>>;
  database: TemporaryPostgres | null;
  redis: Awaited<ReturnType<typeof startRedis>> | null;
}>;

type Fault = Readonly<{ name: string; strike: (victims: Victims) => Promise<void> }>;

const PAUSE_MS = 3000;

const killGateway: Fault = {
  name: "SIGKILL of a gateway",
  async strike({ kill, gateways }) {
    const restart = await kill(Math.floor(Math.random() * gateways));
    await restart();
  },
};

/** One of them answers nobody for a while, and goes on. */
function silence(name: string, victim: "database" | "redis"): Fault {
  return {
    name,
    async strike({ [victim]: silent }) {
      silent?.pause();
      await Bun.sleep(PAUSE_MS);
      silent?.resume();
    },
  };
}

const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: "all backends terminated",
    async strike({ database }) {
      if (!database) return;
      const sql = postgres(database.url, { max: 1, onnotice() {} });
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`;
      await sql.end();
    },
  },
  silence("Postgres silent (SIGSTOP)", "database"),
  {
    name: "Postgres crash and restart",
    async strike({ database }) {
      await database?.shutDown("SIGQUIT");
      await Bun.sleep(PAUSE_MS / 2);
      await database?.startAgain();
    },
  },
  {
    name: "SIGKILL of a gateway while Postgres is silent",
    async strike({ database, kill, gateways }) {
      database?.pause();
      await Bun.sleep(PAUSE_MS / 2);
      const restart = await kill(Math.floor(Math.random() * gateways));
      database?.resume();
      await restart();
    },
  },
];

const REDIS_FAULTS: readonly Fault[] = [
  {
    name: "Redis killed and restarted",
    async strike({ redis }) {
      await redis?.end();
      await Bun.sleep(PAUSE_MS / 2);
      await redis?.again();
    },
  },
  silence("Redis silent (SIGSTOP)", "redis"),
  {
    name: "Redis with answers of other requests",
    strike: async ({ redis }) => {
      if (redis) await mixUp(redis.url);
    },
  },
];

/** Gives the keys of shared texts those of others, cuts some, and lets all of them stay. */
async function mixUp(url: string): Promise<void> {
  const redis = openRedis(url, { connectWithinMs: 1000, reconnects: false });
  await redis.connect();
  for (const endMs = performance.now() + PAUSE_MS; performance.now() < endMs; await Bun.sleep(50)) {
    const found = await redis.send("KEYS", ["sluice:text:*"]);
    const keys = Array.isArray(found) ? found.map(String) : [];
    const texts = await Promise.all(keys.map((key) => redis.send("GET", [key])));
    for (const [at, key] of keys.entries()) {
      const text = String(texts[(at + 1) % keys.length] ?? "");
      await redis.send("SET", [key, at % 3 === 0 ? text.slice(0, -9) : text]);
    }
  }
  redis.close();
}

/** Strikes one fault after the other, each after `restMs` of quiet, until `isOver`; resolves with how often each came. */
export async function strikeFaults(victims: Victims, restMs: number, isOver: () => boolean) {
  const faults = [killGateway, ...(victims.database ? DATABASE_FAULTS : []), ...(victims.redis ? REDIS_FAULTS : [])];
  const counts = new Map<string, number>();
  for (let turn = 0; ; turn += 1) {
    const until = performance.now() + restMs;
    while (performance.now() < until && !isOver()) await Bun.sleep(100);
    if (isOver()) return counts;
    const fault = faults[turn % faults.length] ?? killGateway;
    await fault.strike(victims);
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
  }
}
