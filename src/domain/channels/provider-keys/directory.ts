import { asc, eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { providerKeys } from "../../../../db/schema/channels/provider-keys.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { keepTable, MapCopy, queryOf, type Selection } from "../../../lib/values/tables/keep-table.ts";
import { keyProviderOf } from "./key-providers.ts";
import type { StoredKey } from "./own-keys.ts";

/** Looks up keys of callers at providers. */
export type ProviderKeyDirectory = Readonly<{
  /** The enabled keys of an account, oldest first; undefined: it has none. The same list until one of them changes. */
  of(userId: number): readonly StoredKey[] | undefined;
  /** A provider refused a key, with a reason without secrets; null: a call by it succeeded. Stored in the background. */
  report(id: number, reason: string | null): void;
  /** Where the operator has calls by keys of a provider go; empty: to its own address. */
  addressOf(type: number): string;
  close(): void;
}>;

const PAGE_ROWS = 500;
/** Between two notes of the same key. */
const NOTE_EVERY_MS = 60_000;
const MAX_REASON_CHARACTERS = 500;

type TableKey = StoredKey & Readonly<{ isEnabled: boolean; hasFailed: boolean }>;

/** Loads all keys and keeps them true. One that cannot be decrypted is logged and left out. */
export async function createProviderKeyDirectory(
  deps: Readonly<{
    db: Db;
    changes: Changes;
    log: Logger;
    vault: Vault;
    /** By the provider's name. */
    addresses: Readonly<Record<string, string>>;
  }>,
): Promise<ProviderKeyDirectory> {
  const { db, changes, log } = deps;
  const addressOf = (type: number): string => deps.addresses[keyProviderOf(type)?.slug ?? ""] ?? "";
  const byUser = new Map<number, readonly TableKey[]>();
  const copy = new MapCopy<TableKey>({
    add(key) {
      if (!key.isEnabled) return;
      const others = byUser.get(key.userId) ?? [];
      byUser.set(
        key.userId,
        [...others, key].toSorted((a, b) => a.id - b.id),
      );
    },
    remove({ id, userId }) {
      const left = (byUser.get(userId) ?? []).filter((key) => key.id !== id);
      if (left.length === 0) byUser.delete(userId);
      else byUser.set(userId, left);
    },
  });
  const read = (selection: Selection) => readKeys({ ...deps, addressOf }, selection);
  const { close } = await keepTable({ changes, log, topic: "provider_keys", read, pageRows: PAGE_ROWS }, copy);
  const notedMs = new Map<number, number>();

  const note = async (id: number, reason: string) => {
    const failedAt = reason === "" ? null : nowSeconds();
    await db.update(providerKeys).set({ lastError: reason, failedAt }).where(eq(providerKeys.id, id));
    await changes.publish("provider_keys", [id]);
  };
  return {
    of: (userId) => byUser.get(userId),
    addressOf,
    report(id, reason) {
      const known = copy.byId.get(id);
      if (!known || (reason === null && !known.hasFailed)) return;
      const last = notedMs.get(id) ?? Number.NEGATIVE_INFINITY;
      // A failure that follows a success is news at once.
      const isRepeated = (reason !== null) === known.hasFailed;
      if (isRepeated && performance.now() - last < NOTE_EVERY_MS) return;
      if (!isRepeated && performance.now() - last < 1000) return;
      notedMs.set(id, performance.now());
      note(id, (reason ?? "").slice(0, MAX_REASON_CHARACTERS)).catch((error) =>
        log.warn({ error, keyId: id }, "the state of a provider key could not be stored"),
      );
    },
    close,
  };
}

async function readKeys(
  { db, log, vault, addressOf }: Readonly<{ db: Db; log: Logger; vault: Vault; addressOf: (type: number) => string }>,
  selection: Selection,
): Promise<TableKey[]> {
  const { where, limit } = queryOf(selection, providerKeys.id);
  const rows = await db.select().from(providerKeys).where(where).orderBy(asc(providerKeys.id)).limit(limit);
  return rows.map(({ keyCipher, mode, isEnabled, lastError, createdAt: _, failedAt: __, ...row }) => {
    const key = decrypt({ log, vault }, row.id, keyCipher);
    return {
      ...row,
      key: key ?? "",
      baseUrl: addressOf(row.type),
      mode: mode === "only" ? "only" : "first",
      isEnabled: isEnabled && key !== null,
      hasFailed: lastError !== "",
    };
  });
}

function decrypt({ log, vault }: Readonly<{ log: Logger; vault: Vault }>, id: number, cipher: string): string | null {
  try {
    return vault.decrypt(cipher);
  } catch (error) {
    log.error({ error, keyId: id }, "a provider key could not be read");
    return null;
  }
}
