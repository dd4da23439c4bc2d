import { asc, eq, inArray } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { channelKeys, channels } from "../../../db/schema/channels/channels.ts";
import type { Db } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SecretReader } from "../../lib/security/secret-references/secret-reader.ts";
import { keepTable, MapCopy, queryOf, type RowQuery, type Selection } from "../../lib/values/tables/keep-table.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeysOf, toEntry } from "./entry.ts";
import { createKeyReferences, type KeyReferences } from "./keys/key-references.ts";
import { enableChannelKey } from "./keys/key-status.ts";
import { type Candidates, createRoutingIndex } from "./routing/routing-index.ts";

export type ChannelDirectory = {
  get(id: number): ChannelEntry | undefined;
  /** The enabled channels of a group for a requested model name, including the channels' prefix; null if there are none. */
  candidates(group: string, model: string): Candidates | null;
  /** The model names that a group may request, including prefixes, sorted. */
  modelsOf(group: string): readonly string[];
  /** The groups whose models have the name, in no order; those that have it by a pattern alone are not among them. */
  groupsOf(model: string): readonly string[];
  all(): Iterable<ChannelEntry>;
  close(): void;
};

const PAGE_ROWS = 500;

/**
 * Loads all channels and updates them when they change. `secrets` resolves keys that are references; without it they stay
 * unresolved. Rejects DecryptionError if keys were encrypted with another encryption key.
 */
export async function createChannelDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger; secrets?: SecretReader }>,
): Promise<ChannelDirectory> {
  const { db, changes, vault, log } = deps;
  const index = createRoutingIndex();
  const keyReferences = createKeyReferences(deps.secrets, log);
  const copy = new MapCopy<ChannelEntry>(index);
  const { byId } = copy;
  const read = (selection: Selection) => readEntries({ db, vault, keyReferences }, queryOf(selection, channels.id));
  const { refresh, close } = await keepTable({ changes, log, topic: "channels", read, pageRows: PAGE_ROWS }, copy);

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
      close();
      clearInterval(referenceTimer);
    },
  };
}

const referencesOf = ({ references, unresolved }: ChannelEntry): string[] => [
  ...references.values(),
  ...unresolved.map(({ reference }) => reference),
];

type ReadDeps = Readonly<{ db: Db; vault: Vault; keyReferences: KeyReferences }>;

async function readEntries(
  { db, vault, keyReferences }: ReadDeps,
  { where, limit }: RowQuery,
): Promise<ChannelEntry[]> {
  const rows = await db.select().from(channels).where(where).orderBy(asc(channels.id)).limit(limit);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const keyRows = await db
    .select()
    .from(channelKeys)
    .where(ids.length === 1 ? eq(channelKeys.channelId, ids[0] ?? 0) : inArray(channelKeys.channelId, ids));
  const byChannel = Map.groupBy(keyRows, ({ channelId }) => channelId);
  await keyReferences.load(rows.flatMap((row) => storedKeysOf(row, vault)));
  const shared = shareTexts();
  return rows.map(({ models, groups, ...row }) =>
    toEntry(
      { ...row, models: models.map(shared), groups: groups.map(shared) },
      byChannel.get(row.id) ?? [],
      vault,
      keyReferences,
    ),
  );
}

/** Returns a function that answers equal texts with the same one: ten thousand channels have few names of models. */
function shareTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first === undefined) known.set(text, text);
    return first ?? text;
  };
}
