import { asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { channelKeys, channels } from "../../../db/schema/gateway/channels.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SecretReader } from "../../lib/security/secret-references/secret-reader.ts";
import { findRemoved } from "../../lib/values/find-removed.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeysOf, toEntry } from "./entry.ts";
import { createKeyReferences, type KeyReferences } from "./keys/key-references.ts";
import { enableChannelKey } from "./keys/key-status.ts";
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

/**
 * Loads all channels and keeps them true. `secrets` resolves keys that are references; without it they stay unresolved.
 * Throws DecryptionError when keys belong to another encryption key.
 */
export async function createChannelDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger; secrets?: SecretReader }>,
): Promise<ChannelDirectory> {
  const { db, changes, vault, log } = deps;
  const byId = new Map<number, ChannelEntry>();
  const index = createRoutingIndex();
  const keyReferences = createKeyReferences(deps.secrets, log);
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
        { db, vault, keyReferences },
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
        const entries = await readEntries({ db, vault, keyReferences }, gt(channels.id, last), SLICE);
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

  /** Takes over what secret managers have replaced. A key that was switched off because it failed gets another try. */
  const refreshReferences = async () => {
    const referencing = [...byId.values()].filter(
      ({ references, unresolved }) => references.size + unresolved.length > 0,
    );
    const changed = await keyReferences.load(referencing.flatMap(referencesOf));
    for (const channel of referencing) {
      const replaced = referencesOf(channel).filter((reference) => changed.has(reference));
      if (replaced.length === 0) continue;
      await refresh([channel.id]);
      log.info({ channelId: channel.id, references: replaced }, "a secret manager has a new channel key");
      for (const reference of replaced) {
        await enableChannelKey({ db, changes, vault }, channel.id, reference, CHANNEL_STATUS.autoDisabled);
      }
    }
  };

  await readAll();
  const unsubscribe = changes.subscribe("channels", (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger)));
  const reread = () => {
    readAll().catch((error) => log.warn({ error }, "channels could not be read again"));
  };
  const unsubscribeGap = changes.onGap(reread);
  const timer = setInterval(reread, REREAD_MS);
  timer.unref();
  const referenceTimer = setInterval(() => {
    refreshReferences().catch((error) => log.warn({ error }, "channel keys could not be resolved again"));
  }, keyReferences.refreshMs);
  referenceTimer.unref();
  return {
    get: (id) => byId.get(id),
    candidates: index.candidates,
    modelsOf: index.modelsOf,
    groupsOf: index.groupsOf,
    all: () => byId.values(),
    close() {
      clearInterval(timer);
      clearInterval(referenceTimer);
      unsubscribe();
      unsubscribeGap();
    },
  };
}

const referencesOf = ({ references, unresolved }: ChannelEntry): string[] => [
  ...references.values(),
  ...unresolved.map(({ reference }) => reference),
];

type ReadDeps = Readonly<{ db: Db; vault: Vault; keyReferences: KeyReferences }>;

async function readEntries({ db, vault, keyReferences }: ReadDeps, where: SQL, limit: number): Promise<ChannelEntry[]> {
  const rows = await db.select().from(channels).where(where).orderBy(asc(channels.id)).limit(limit);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const keyRows = await db
    .select()
    .from(channelKeys)
    .where(ids.length === 1 ? eq(channelKeys.channelId, ids[0] ?? 0) : inArray(channelKeys.channelId, ids));
  const byChannel = Map.groupBy(keyRows, ({ channelId }) => channelId);
  await keyReferences.load(rows.flatMap((row) => storedKeysOf(row, vault)));
  return rows.map((row) => toEntry(row, byChannel.get(row.id) ?? [], vault, keyReferences));
}
