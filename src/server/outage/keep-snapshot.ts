import type { Services } from "../services.ts";
import { announceNext, overdueSnapshot, writeSnapshot } from "./snapshot-file.ts";

/** Writing takes at most a hundredth of the time. */
const REST_FACTOR = 100;
/** Another worker is not writing any more when its next one is late by so many times the least pause. */
const MISSED = 2;
const MANY_BYTES = 16 * 1024 * 1024;

/** Milliseconds. */
export type SnapshotTimes = Readonly<{
  /** From one snapshot to the next. */
  every: number;
  /** How soon after the database went away the balances of that moment are written. */
  look: number;
  /** How much longer than the one before it each worker waits for the snapshots of others. */
  takeOver: number;
}>;

const TIMES: SnapshotTimes = { every: 60_000, look: 1000, takeOver: 10_000 };

export type SnapshotKeeper = Readonly<{
  /** Writes the last one. Never rejects. */
  close(): Promise<void>;
}>;

/**
 * Keeps a snapshot of what calls need in the data directory: each minute, when the database goes away, and at the end. Of
 * the workers of a host, whose `worker` counts from 1, the first alone writes each minute, and the next where it does not. An embedded
 * database needs none.
 */
export function keepSnapshot(services: Services, worker: number, times: SnapshotTimes = TIMES): SnapshotKeeper {
  const { config, vault, billing, settings, channels, users, tokens, budgets, policies, planTerms, mcpServers, log } =
    services;
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) return { close: async () => {} };
  let writing: Promise<void> | null = null;
  const waitMs = (worker - 1) * times.takeOver;
  let nextAt = worker === 1 ? 0 : performance.now() + waitMs;
  let wasAway = false;
  /** Charges in the database when the last snapshot was begun. */
  let writtenRecords = 0;

  /** Whose key or balance is missing could not call. */
  const isComplete = () => billing.status().balancesKnown && users.isComplete() && tokens.isComplete();
  const write = async (): Promise<void> => {
    const startedAt = performance.now();
    const { liveProcesses, writtenUpTo, ...status } = billing.status();
    if (!isComplete()) return;
    ({ writtenRecords } = status);
    const source = {
      liveProcesses,
      // Read before the balances are: one that is charged meanwhile is known as less than it is, not as more.
      writtenUpTo,
      options: settings.storedTexts(),
      channels: channels.all(),
      users: users.rows(),
      tokens: tokens.rows(),
      budgets: budgets.all(),
      policies: policies.all(),
      planTerms: planTerms.all(),
      mcpServers: mcpServers.all(),
      balances: billing.balances,
    };
    const bytes = await writeSnapshot({ dataDir, databaseUrl, vault }, source).catch((error) => {
      log.warn({ error }, "what a start without the database needs could not be kept");
      return 0;
    });
    // Else what a large one was made of stays as long as nothing else needs memory.
    if (bytes > MANY_BYTES) Bun.gc(false);
    const now = performance.now();
    const everyMs = Math.max(times.every, (now - startedAt) * REST_FACTOR);
    nextAt = now + everyMs;
    await announceNext(dataDir, everyMs);
  };
  const writeUnlessOther = async (): Promise<void> => {
    const restMs = worker === 1 ? 0 : times.every * MISSED + waitMs - (await overdueSnapshot(dataDir));
    if (restMs <= 0) return write();
    nextAt = performance.now() + restMs;
  };
  const start = (make = write): Promise<void> => {
    writing ??= make().finally(() => {
      writing = null;
    });
    return writing;
  };
  const look = () => {
    const { databaseDown, ledgerUnansweredMs, ...status } = billing.status();
    const isAway = databaseDown || ledgerUnansweredMs > times.look;
    // The last one that follows the last charge in the database is exact, together with the journal.
    const isNew = isAway && (!wasAway || status.writtenRecords !== writtenRecords);
    wasAway = isAway;
    if (!isComplete()) return;
    if (isNew) void start();
    else if (performance.now() >= nextAt && !isAway) void start(writeUnlessOther);
  };
  const timer = setInterval(look, times.look);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await writing;
      await start();
    },
  };
}
