import { sql } from "drizzle-orm";
import type { ChangedIds, Changes, ChangeTopic } from "../../../../db/changes.ts";
import { inheritLog } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { createSettings } from "../../../settings/settings.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import type { Scope } from "./kind.ts";

/** Who applies files changes the site one after the other. */
const APPLYING = 7_302_046;

export type ConfigurationDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>;

/** What `work` returns is kept only where `keeps` says so; else all that it did is taken back. */
export type Outcome<R> = Readonly<{ result: R; keeps: boolean }>;

/**
 * Runs `work` in one transaction with options as it leaves them. Processes learn of its changes after the commit, and never of what
 * is taken back.
 */
export async function inTransaction<R>(
  { db, changes, vault, log }: ConfigurationDeps,
  actor: UserEntry,
  work: (scope: Scope) => Promise<Outcome<R>>,
): Promise<R> {
  const recorded = recordChanges();
  const taken: { back: Outcome<R> | null } = { back: null };
  const run = db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${APPLYING})`);
    inheritLog(db, tx);
    const settings = await createSettings({ db: tx, changes: recorded.changes, vault, log });
    try {
      const outcome = await work({ db: tx, changes: recorded.changes, vault, settings, actor });
      if (outcome.keeps) return outcome.result;
      taken.back = outcome;
      throw new TakenBack();
    } finally {
      settings.close();
    }
  });
  try {
    const result = await run;
    await recorded.replay(changes);
    return result;
  } catch (error) {
    if (error instanceof TakenBack && taken.back) return taken.back.result;
    throw error;
  }
}

/** Runs `work` and takes back what it did. Rejects as it does. */
export async function tryOut(db: Db, work: () => Promise<unknown>): Promise<void> {
  try {
    await db.transaction(async () => {
      await work();
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
}

class TakenBack extends Error {
  override name = "TakenBack";
}

/** A change feed of one transaction: its subscribers learn of it at once, everybody else when it is replayed. */
function recordChanges() {
  const handlers = new Map<ChangeTopic, Set<(ids: ChangedIds) => void | Promise<void>>>();
  const published = new Map<ChangeTopic, Map<number | string, boolean>>();
  const record = async (topic: ChangeTopic, ids: ChangedIds, isEnforced: boolean) => {
    const known = published.get(topic) ?? new Map<number | string, boolean>();
    for (const id of ids) known.set(id, isEnforced || known.get(id) === true);
    published.set(topic, known);
    for (const handler of handlers.get(topic) ?? []) await handler(ids);
  };
  const changes: Changes = {
    publish: (topic, ids) => record(topic, ids, false),
    enforce: (topic, ids) => record(topic, ids, true),
    confirmAs: () => () => {},
    subscribe(topic, handler) {
      const set = handlers.get(topic) ?? new Set();
      handlers.set(topic, set.add(handler));
      return () => set.delete(handler);
    },
    onGap: () => () => {},
    close: async () => {},
  };
  return {
    changes,
    async replay(feed: Pick<Changes, "publish" | "enforce">) {
      for (const [topic, ids] of published) {
        const of = (isEnforced: boolean) => [...ids].filter(([, flag]) => flag === isEnforced).map(([id]) => id);
        await feed.enforce(topic, of(true));
        await feed.publish(topic, of(false));
      }
    },
  };
}
