/**
 * A plan for so many calls: replicas, cores, memory, connections, storage and what is exhausted first, from measured figures
 * (docs/contributing/scale.md). Figures of your own machine take the place of ours, and numbers of your traffic the place of a
 * billion calls a month:
 *   bun run capacity -- --callsAMonth=50e6 --streamedShare=0.9 --coresAHost=16 --cpuUsStreamed=900
 */
import { parseArgs } from "node:util";

const SECONDS_A_MONTH = 30 * 86_400;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MICROSECONDS = 1e6;

/** What is expected of the gateway; shares are between 0 and 1. */
export const TRAFFIC = {
  callsAMonth: 1_000_000_000,
  /** The busiest minute, times the average. */
  peakFactor: 3,
  streamedShare: 0.7,
  /** From the request to the end of the answer. */
  secondsACall: 8,
  /** Of requests and answers together, once in and once out. */
  kilobytesACall: 12,
  keys: 1_000_000,
  monthsOfLogs: 3,
  coresAHost: 16,
  /** How much of a core may be busy in the busiest minute. */
  busyShare: 0.5,
  /** Hosts that may be away at the same time. */
  spareHosts: 1,
};

/** What was measured, and how: docs/contributing/scale.md. Replace it with what you measure. */
export const MEASURED = {
  cpuUsNotStreamed: 340,
  cpuUsStreamed: 2865,
  idleMibAWorker: 71,
  mibAnOpenStream: 0.1,
  bytesAKeyInMemory: 50,
  /** Batches of all processes take turns: Postgres takes so many, whatever it has of cores. */
  recordsASecond: 3100,
  databaseCpuUsARecord: 65,
  bytesALogRow: 753,
  bytesOfRollUpsACall: 150,
  walBytesARecord: 1900,
  connectionsAHost: 48,
  redisCpuUsACall: 12,
};

export type Traffic = typeof TRAFFIC;
export type Measured = typeof MEASURED;

/** One thing that can be exhausted: how much of it the busiest minute takes. */
export type Wall = Readonly<{ name: string; share: number; remedy: string }>;

export type Plan = Readonly<{
  callsASecond: number;
  peakCallsASecond: number;
  openCallsAtPeak: number;
  gatewayCores: number;
  hosts: number;
  workers: number;
  memoryGibAHost: number;
  databaseConnections: number;
  databaseCores: number;
  storageGib: number;
  walMibASecond: number;
  networkMbitASecond: number;
  /** The fullest first. */
  walls: readonly Wall[];
}>;

const GBIT_MBIT = 1000;
const LIMITS = { diskGib: 4096, networkMbit: 10 * GBIT_MBIT, walMibASecond: 200, connections: 400 };

/** The plan. Throws when a number is not one that can be planned with. */
export function planCapacity(traffic: Traffic, measured: Measured): Plan {
  for (const [name, value] of Object.entries({ ...traffic, ...measured })) {
    if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number of 0 or more`);
  }
  for (const name of ["callsAMonth", "coresAHost", "busyShare"] as const) {
    if (traffic[name] <= 0) throw new Error(`${name} must be more than 0`);
  }
  for (const name of ["streamedShare", "busyShare"] as const) {
    if (traffic[name] > 1) throw new Error(`${name} is a share: at most 1`);
  }
  const callsASecond = traffic.callsAMonth / SECONDS_A_MONTH;
  const peak = callsASecond * traffic.peakFactor;
  const cpuUs =
    traffic.streamedShare * measured.cpuUsStreamed + (1 - traffic.streamedShare) * measured.cpuUsNotStreamed;
  const gatewayCores = (peak * cpuUs) / MICROSECONDS / traffic.busyShare;
  const busyHosts = Math.ceil(gatewayCores / traffic.coresAHost);
  const hosts = busyHosts + traffic.spareHosts;
  const openCalls = peak * traffic.secondsACall;
  const memoryOfKeys = traffic.coresAHost * traffic.keys * measured.bytesAKeyInMemory;
  const memory =
    traffic.coresAHost * measured.idleMibAWorker * MIB +
    memoryOfKeys +
    (openCalls / busyHosts) * measured.mibAnOpenStream * MIB;
  const databaseCores = (peak * measured.databaseCpuUsARecord) / MICROSECONDS / traffic.busyShare;
  const bytesACall = measured.bytesALogRow + measured.bytesOfRollUpsACall;
  const storageGib = (traffic.callsAMonth * traffic.monthsOfLogs * bytesACall) / GIB;
  const walMibASecond = (peak * measured.walBytesARecord) / MIB;
  // A body passes twice: from the client to the provider, and back.
  const networkMbit = (peak * traffic.kilobytesACall * 2 * 8) / 1000;
  const connections = hosts * measured.connectionsAHost;
  const walls: Wall[] = [
    {
      name: "charges a second that Postgres takes in turns",
      share: peak / measured.recordsASecond,
      remedy: "a faster core and disk for the primary; then several gateways with a database each, split by customer",
    },
    {
      name: "a disk of 4 TB for the log",
      share: storageGib / LIMITS.diskGib,
      remedy: "fewer months in the database, or calls that are not logged",
    },
    {
      name: "connections to Postgres",
      share: connections / LIMITS.connections,
      remedy: "PgBouncer in transaction mode, and DATABASE_DIRECT_URL for the one lasting connection a worker",
    },
    {
      name: "write-ahead log",
      share: walMibASecond / LIMITS.walMibASecond,
      remedy: "wal_compression, a disk of its own for the log, longer checkpoints",
    },
    {
      name: "one Redis core",
      share: (peak * measured.redisCpuUsACall) / MICROSECONDS,
      remedy: "Redis Cluster for the limits; the journals' copies of a database stay on one node",
    },
    {
      name: "network of the balancer (10 Gbit/s)",
      share: networkMbit / LIMITS.networkMbit,
      remedy: "several balancers behind DNS or anycast",
    },
  ];
  return {
    callsASecond,
    peakCallsASecond: peak,
    openCallsAtPeak: openCalls,
    gatewayCores,
    hosts,
    workers: hosts * traffic.coresAHost,
    memoryGibAHost: memory / GIB,
    databaseConnections: connections,
    databaseCores,
    storageGib,
    walMibASecond,
    networkMbitASecond: networkMbit,
    walls: walls.sort((a, b) => b.share - a.share),
  };
}

/** The plan as text. */
export function describePlan(plan: Plan): string {
  const { walls, ...figures } = plan;
  const lines = Object.entries(figures).map(([name, value]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `${words.padEnd(28)} ${value >= 100 ? Math.ceil(value) : value.toFixed(1)}`;
  });
  const exhausted = walls.map(
    ({ name, share, remedy }) => `${`${(share * 100).toFixed(0)} %`.padStart(6)}  ${name}: ${remedy}`,
  );
  return [...lines, "", "How much of each the busiest minute takes, and what moves it:", ...exhausted, ""].join("\n");
}

/** The defaults, and what the command line replaces. Throws for names and values that are none. */
export function readNumbers(args: readonly string[]): [Traffic, Measured] {
  const names = Object.keys({ ...TRAFFIC, ...MEASURED });
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }] as const));
  const { values } = parseArgs({ args: [...args], options });
  const numbersOf = (defaults: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, Number(values[name] ?? value)]));
  return [
    { ...TRAFFIC, ...numbersOf(TRAFFIC) },
    { ...MEASURED, ...numbersOf(MEASURED) },
  ];
}

if (import.meta.main) {
  try {
    process.stdout.write(describePlan(planCapacity(...readNumbers(process.argv.slice(2)))));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}
