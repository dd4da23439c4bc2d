import type { Services } from "../services.ts";
import { writeSnapshot } from "./snapshot-file.ts";

const EVERY_MS = 60_000;
/** Writing takes at most a hundredth of the time. */
const REST_FACTOR = 100;
/** How soon after the database went away the balances of that moment are written. */
const LOOK_MS = 1000;

export type SnapshotKeeper = Readonly<{
  /** Writes the last one. Never rejects. */
  close(): Promise<void>;
}>;

/**
 * Keeps a snapshot of what calls need in the data directory: each minute, when the database goes away, and at the end. An
 * embedded database needs none.
 */
export function keepSnapshot(services: Services): SnapshotKeeper {
  const { config, vault, billing, settings, channels, users, tokens, budgets, policies, planTerms, log } = services;
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) return { close: async () => {} };
  let writing: Promise<void> | null = null;
  let nextAt = 0;
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
      balances: billing.balances,
    };
    await writeSnapshot({ dataDir, databaseUrl, vault }, source).catch((error) =>
      log.warn({ error }, "what a start without the database needs could not be kept"),
    );
    const now = performance.now();
    nextAt = now + Math.max(EVERY_MS, (now - startedAt) * REST_FACTOR);
  };
  const start = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  };
  const look = () => {
    const { databaseDown, ledgerUnansweredMs, ...status } = billing.status();
    const isAway = databaseDown || ledgerUnansweredMs > LOOK_MS;
    // The last one that follows the last charge in the database is exact, together with the journal.
    const isNew = isAway && (!wasAway || status.writtenRecords !== writtenRecords);
    wasAway = isAway;
    if (isComplete() && (isNew || (performance.now() >= nextAt && !isAway))) void start();
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await writing;
      await start();
    },
  };
}
