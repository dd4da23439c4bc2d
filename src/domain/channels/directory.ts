import { asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { channelKeys, channels } from "../../../db/schema/gateway/channels.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { findRemoved } from "../../lib/values/find-removed.ts";
import { type ChannelEntry, toEntry } from "./entry.ts";
import { type Candidates, createRoutingIndex } from "./routing/routing-index.ts";

export type ChannelDirectory = {
  get(id: number): ChannelEntry | undefined;
  /** Enabled channels of a group for a model as requested, prefix included; null: nobody has it. */
  candidates(group: string, model: string): Candidates | null;
  /** Names a group may call, prefixes included, sorted. */
  modelsOf(group: string): readonly string[];
  /** Groups in which a name may be called. */
  groupsOf(model: string): readonly string[];
  all(): Iterable<ChannelEntry>;
  close(): void;
};

const SLICE = 500;
/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;

/** Loads all channels and keeps them true. Throws DecryptionError when keys belong to another encryption key. */
export async function createChannelDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>,
): Promise<ChannelDirectory> {
  const { db, changes, vault, log } = deps;
  const byId = new Map<number, ChannelEntry>();
  const index = createRoutingIndex();
  const inOrder = createSerial();

  const forget = (id: number) => {
    const known = byId.get(id);
    if (known) index.remove(known);
    byId.delete(id);
  };
  const remember = (entry: ChannelEntry) => {
    forget(entry.id);
    byId.set(entry.id, entry);
    index.add(entry);
  };
  const refresh = (ids: readonly number[]) =>
    inOrder(async () => {
      const entries = await readEntries(
        db,
        vault,
        sql`${channels.id} = any(${`{${ids.join(",")}}`}::int[])`,
        ids.length,
      );
      const found = new Set(entries.map(({ id }) => id));
      for (const id of ids) if (!found.has(id)) forget(id);
      entries.forEach(remember);
    });
  const readMissing = async (): Promise<ReadonlySet<number>> => {
    const unseen = new Set(byId.keys());
    for (let last = 0; ; ) {
      const slice = await inOrder(async () => {
        const entries = await readEntries(db, vault, gt(channels.id, last), SLICE);
        entries.forEach(remember);
        return entries;
      });
      for (const { id } of slice) unseen.delete(id);
      if (slice.length < SLICE) break;
      last = slice.at(-1)?.id ?? last;
    }
    return unseen;
  };
  const readAll = async () => {
    const removed = await findRemoved(readMissing, () => byId.size, "channels", log);
    for (const id of removed) forget(id);
  };

  await readAll();
  const unsubscribe = changes.subscribe("channels", (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger)));
  const reread = () => {
    readAll().catch((error) => log.warn({ error }, "channels could not be read again"));
  };
  const unsubscribeGap = changes.onGap(reread);
  const timer = setInterval(reread, REREAD_MS);
  timer.unref();
  return {
    get: (id) => byId.get(id),
    candidates: index.candidates,
    modelsOf: index.modelsOf,
    groupsOf: index.groupsOf,
    all: () => byId.values(),
    close() {
      clearInterval(timer);
      unsubscribe();
      unsubscribeGap();
    },
  };
}

async function readEntries(db: Db, vault: Vault, where: SQL, limit: number): Promise<ChannelEntry[]> {
  const rows = await db.select().from(channels).where(where).orderBy(asc(channels.id)).limit(limit);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const keyRows = await db
    .select()
    .from(channelKeys)
    .where(ids.length === 1 ? eq(channelKeys.channelId, ids[0] ?? 0) : inArray(channelKeys.channelId, ids));
  const byChannel = Map.groupBy(keyRows, ({ channelId }) => channelId);
  return rows.map((row) => toEntry(row, byChannel.get(row.id) ?? [], vault));
}
