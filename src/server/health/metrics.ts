import { Gauge, type Registry } from "prom-client";
import type { ReplicaStatus } from "../../../db/server/replica.ts";
import type { BillingStatus } from "../../billing/billing.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import type { LogDelivery } from "../../domain/logs/delivery/deliver-logs.ts";
import type { Readiness } from "./routes.ts";

type Sources = Readonly<{
  version: string;
  commit: string;
  readiness: () => Promise<Readiness>;
  billing: () => BillingStatus;
  /** Resolves when the database answers. */
  askDatabase: () => Promise<void>;
  /** Null: no replica is configured. */
  replica: () => ReplicaStatus | null;
  /** Null: the log is in the same database. */
  logDelivery: Pick<LogDelivery, "status"> | null;
  /** Resolves when Redis answers; null: there is none. */
  askRedis: (() => Promise<unknown>) | null;
  channels: () => Iterable<ChannelEntry>;
  /** Whether a key is left alone for a while after failures. */
  isResting: (channelId: number, key: string) => boolean;
}>;

/** A database or Redis that takes longer is not there. */
const PROBE_WITHIN_MS = 2000;
const STATES = [
  ["enabled", CHANNEL_STATUS.enabled],
  ["disabled", CHANNEL_STATUS.disabled],
  ["auto_disabled", CHANNEL_STATUS.autoDisabled],
] as const;

/** Puts what /readyz and alerts look at into the registry; read when a monitor asks. Labels are few and bounded. */
export function registerHealthMetrics(registry: Registry, sources: Sources): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  const { billing } = sources;
  registerBuild(registry, sources);
  gauge("sluice_journal_pending_records", "Charges that are not in the database yet", () => billing().pendingRecords);
  gauge("sluice_journal_bytes", "Size of the charges that are not in the database yet", () => billing().journalBytes);
  gauge(
    "sluice_journal_oldest_record_age_seconds",
    "Age of the charge that waits longest for the database; 0: none waits",
    () => billing().oldestSeconds ?? 0,
  );
  gauge("sluice_journal_rejected_records", "Charges in journal/rejected.jsonl", () => billing().rejectedRecords);
  gauge("sluice_journal_disk_refused", "1 while the disk refuses the journal", () => Number(billing().diskRefused));
  gauge("sluice_journal_copy_behind", "1 while Redis lacks charges that are not in the database yet", () =>
    Number(billing().journalCopy === "behind"),
  );
  gauge(
    "sluice_lost_journals",
    "Processes that died with charges that nobody has written",
    () => billing().lostJournals.length,
  );
  gauge(
    "sluice_ledger_unanswered_seconds",
    "How long the database has left a statement of the ledger unanswered",
    () => billing().ledgerUnansweredMs / 1000,
  );
  gauge(
    "sluice_ledger_refusing_seconds",
    "How long every call has been refused because its balance could not be checked",
    () => billing().refusingCallsMs / 1000,
  );
  gauge("sluice_holds", "Holds of calls that are under way", () => billing().holds);
  gauge("sluice_held_quota_units", "Quota units set aside for calls that are under way", () => billing().heldUnits);
  gauge("sluice_live_processes", "Processes registered as alive on this database", () => billing().liveProcesses);
  gauge(
    "sluice_balances_known",
    "1 when this process knows every balance, so that all calls go on should the database go away",
    () => Number(billing().balancesKnown),
  );
  registerProbe(registry, "database", "the database", sources.askDatabase);
  registerReplica(registry, sources.replica);
  const { logDelivery } = sources;
  if (logDelivery) {
    gauge(
      "sluice_log_waiting_rows",
      "Log rows that are not in their database yet",
      () => logDelivery.status().waitingRows,
    );
    gauge("sluice_log_database_up", "1 while the log's own database answers", () =>
      Number(!logDelivery.status().isAway),
    );
  }
  if (sources.askRedis) registerProbe(registry, "redis", "Redis", sources.askRedis);
  registerChannels(registry, sources);
}

function registerBuild(registry: Registry, { version, commit, readiness }: Sources): void {
  new Gauge({
    name: "sluice_build_info",
    help: "Always 1; the labels name the release and the commit that it was built from",
    labelNames: ["version", "commit"],
    registers: [registry],
  }).set({ version, commit }, 1);
  new Gauge({
    name: "sluice_ready",
    help: "1 when /readyz answers 200",
    registers: [registry],
    async collect() {
      this.set(Number((await readiness()).ready));
    },
  });
}

function registerReplica(registry: Registry, replica: Sources["replica"]): void {
  new Gauge({
    name: "sluice_database_replica_lag_seconds",
    help: "How far the replica is behind the primary; absent without one, and while it does not respond",
    registers: [registry],
    collect() {
      const { lagSeconds = null } = replica() ?? {};
      this.remove();
      if (lagSeconds !== null) this.set(lagSeconds);
    },
  });
  new Gauge({
    name: "sluice_database_replica_used",
    help: "1 while lists and charts are read from the replica; absent without one",
    registers: [registry],
    collect() {
      const status = replica();
      this.remove();
      if (status) this.set(Number(status.isUsed));
    },
  });
}

/** Asks a service once for both figures of a scrape. */
function registerProbe(registry: Registry, name: string, title: string, ask: () => Promise<unknown>): void {
  let running: Promise<number | null> | null = null;
  const measure = () => {
    running ??= probe(ask).finally(() => {
      running = null;
    });
    return running;
  };
  new Gauge({
    name: `sluice_${name}_latency_seconds`,
    help: `Time that ${title} took for its last answer to a probe`,
    registers: [registry],
    async collect() {
      const seconds = await measure();
      if (seconds !== null) this.set(seconds);
    },
  });
  new Gauge({
    name: `sluice_${name}_up`,
    help: `1 when ${title} answers a probe within ${PROBE_WITHIN_MS / 1000} s`,
    registers: [registry],
    async collect() {
      this.set(Number((await measure()) !== null));
    },
  });
}

/** Seconds until the answer; null without one. */
async function probe(ask: () => Promise<unknown>): Promise<number | null> {
  const start = performance.now();
  return within(
    PROBE_WITHIN_MS,
    ask().then(() => (performance.now() - start) / 1000),
  );
}

/** What it resolves with; null where it fails or takes longer. */
async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value | null> {
  const timeout = Promise.withResolvers<null>();
  const timer = setTimeout(() => timeout.resolve(null), limitMs);
  const value = await Promise.race([work.catch(() => null), timeout.promise]);
  clearTimeout(timer);
  return value;
}

function registerChannels(registry: Registry, { channels, isResting }: Sources): void {
  new Gauge({
    name: "sluice_channels",
    help: "Channels by state",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const all = [...channels()];
      for (const [state, status] of STATES) {
        this.set(
          { state },
          all.reduce((sum, channel) => sum + Number(channel.status === status), 0),
        );
      }
    },
  });
  new Gauge({
    name: "sluice_channel_keys",
    help: "Upstream keys of enabled channels by state; resting: left alone for a while after failures, in this process",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const counts = { available: 0, resting: 0, disabled: 0 };
      for (const channel of channels()) {
        if (channel.status !== CHANNEL_STATUS.enabled) continue;
        for (const key of channel.keys) {
          if (channel.disabledKeys.has(key)) counts.disabled += 1;
          else if (isResting(channel.id, key)) counts.resting += 1;
          else counts.available += 1;
        }
      }
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
}
