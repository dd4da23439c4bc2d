import { and, asc, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { tokens } from "../../db/schema/tokens.ts";
import type { Db } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { Vault } from "../lib/crypto.ts";
import type { Logger } from "../lib/log.ts";
import { createSerial } from "../lib/serial.ts";
import { compileIpList, type IpList } from "./ip-list.ts";

export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** An API key as calls need it; what it has left lives in the ledger. */
export type TokenEntry = Readonly<{
  id: number;
  userId: number;
  name: string;
  status: number;
  unlimitedQuota: boolean;
  /** Epoch seconds; -1 never. */
  expiredTime: number;
  /** Null: every model. */
  modelLimits: ReadonlySet<string> | null;
  /** Null: every address. */
  allowIps: IpList | null;
  /** Empty: the owner's group. */
  group: string;
  keyHash: string;
  /** The key before a rotation, which works until `previousKeyUntil` (epoch seconds). */
  previousKeyHash: string | null;
  previousKeyUntil: number;
  /** Calls of which an upstream cannot express everything are refused. */
  strict: boolean;
  /** 0: no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** When the budget is filled again, epoch seconds; 0: it has none. */
  budgetRenewsAt: number;
}>;

export type TokenDirectory = {
  get(id: number): TokenEntry | undefined;
  /** By the key without `sk-`. */
  findByKey(key: string): TokenEntry | undefined;
  /** Marks a key expired (3) or exhausted (4), in the background. */
  setStatus(id: number, status: 3 | 4): void;
  close(): void;
};

/** Rows a query, and the rest between two of them. */
type Pace = Readonly<{ rows: number; pauseMs: number }>;
/** Short enough queries not to hold up anybody else on the embedded engine. */
const AT_ONCE: Pace = { rows: 2000, pauseMs: 0 };
/** So little at a time that calls don't notice, also where there are a million. */
const ASIDE: Pace = { rows: 200, pauseMs: 10 };
/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;

/** Loads all API keys and keeps them true. */
export async function createTokenDirectory(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>,
): Promise<TokenDirectory> {
  const { db, changes, vault, log } = deps;
  const byId = new Map<number, TokenEntry>();
  const byHash = new Map<string, TokenEntry>();
  const inOrder = createSerial();
  let isClosed = false;

  const forget = (id: number) => {
    const known = byId.get(id);
    if (known) for (const hash of hashesOf(known)) byHash.delete(hash);
    byId.delete(id);
  };
  const remember = (entry: TokenEntry) => {
    forget(entry.id);
    byId.set(entry.id, entry);
    for (const hash of hashesOf(entry)) byHash.set(hash, entry);
  };
  const refresh = (ids: readonly number[]) =>
    inOrder(async () => {
      const rows = await readEntries(db, sql`${tokens.id} = any(${`{${ids.join(",")}}`}::int[])`, ids.length);
      const found = new Set(rows.map(({ id }) => id));
      for (const id of ids) if (!found.has(id)) forget(id);
      rows.forEach(remember);
    });
  const readAll = async ({ rows: most, pauseMs }: Pace) => {
    const unseen = new Set(byId.keys());
    for (let last = 0; ; ) {
      const slice = await inOrder(async () => {
        const rows = await readEntries(db, gt(tokens.id, last), most);
        rows.forEach(remember);
        return rows;
      });
      for (const { id } of slice) unseen.delete(id);
      if (slice.length < most) break;
      last = slice.at(-1)?.id ?? last;
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      if (isClosed) return;
    }
    unseen.forEach(forget);
  };

  await readAll(AT_ONCE);
  const unsubscribe = changes.subscribe("tokens", (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger)));
  let isRereading = false;
  const reread = async (pace: Pace) => {
    isRereading = true;
    await readAll(pace).catch((error) => log.warn({ error }, "API keys could not be read again"));
    isRereading = false;
  };
  const unsubscribeGap = changes.onGap(() => reread(AT_ONCE));
  const timer = setInterval(() => isRereading || void reread(ASIDE), REREAD_MS);
  timer.unref();
  return {
    get: (id) => byId.get(id),
    findByKey(key) {
      const hash = vault.keyedHash(key);
      const entry = byHash.get(hash);
      return entry && (entry.keyHash === hash || entry.previousKeyUntil > nowSeconds()) ? entry : undefined;
    },
    setStatus(id, status) {
      const mark = async () => {
        await db
          .update(tokens)
          .set({ status })
          .where(sql`${tokens.id} = ${id} and ${tokens.status} = ${TOKEN_STATUS.enabled}`);
        await changes.publish("tokens", [id]);
      };
      mark().catch((error) => log.warn({ error, tokenId: id }, "the status of an API key could not be saved"));
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      unsubscribe();
      unsubscribeGap();
    },
  };
}

const hashesOf = ({ keyHash, previousKeyHash }: TokenEntry): string[] =>
  previousKeyHash === null ? [keyHash] : [keyHash, previousKeyHash];

async function readEntries(db: Db, where: SQL, limit: number): Promise<TokenEntry[]> {
  const rows = await db
    .select({
      id: tokens.id,
      userId: tokens.userId,
      name: tokens.name,
      status: tokens.status,
      unlimitedQuota: tokens.unlimitedQuota,
      expiredTime: tokens.expiredTime,
      modelLimitsEnabled: tokens.modelLimitsEnabled,
      modelLimits: tokens.modelLimits,
      allowIps: tokens.allowIps,
      group: tokens.group,
      keyHash: tokens.keyHash,
      previousKeyHash: tokens.previousKeyHash,
      previousKeyUntil: tokens.previousKeyUntil,
      strict: tokens.strict,
      requestsPerMinute: tokens.requestsPerMinute,
      tokensPerMinute: tokens.tokensPerMinute,
      budgetRenewsAt: tokens.budgetRenewsAt,
    })
    .from(tokens)
    .where(and(where, isNull(tokens.deletedAt)))
    .orderBy(asc(tokens.id))
    .limit(limit);
  return rows.map(({ modelLimitsEnabled, modelLimits, allowIps, ...row }) => ({
    ...row,
    modelLimits: modelLimitsEnabled ? new Set(modelLimits) : null,
    allowIps: compileIpList(allowIps),
  }));
}
