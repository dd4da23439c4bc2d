import { sql } from "drizzle-orm";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { compileIpList } from "../../../lib/security/ip-list.ts";
import { nameSet } from "../../../lib/values/patterns/name-patterns.ts";
import { IdIndex } from "../../../lib/values/tables/id-index.ts";
import {
  fieldsOf,
  type PackedRow,
  PackedRows,
  type RowSource,
  textField,
} from "../../../lib/values/tables/packed-rows.ts";
import { PagedColumn } from "../../../lib/values/tables/paged-column.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { ApiKeyEntry } from "./api-key-entry.ts";
import { importedKeyHash } from "./key-hash.ts";

const HASH_TEXT = /^[0-9a-f]{64}$/;

/** Of a hash, as text: 32 bits. */
const PRINT_LENGTH = 8;

/** What few keys differ in, as JSON; empty for all others. */
export type KeyExtras = [
  status: number,
  expiredTime: number,
  projectId: number,
  createdBy: number,
  modelLimits: string[] | null,
  allowIps: string,
  group: string,
  previousKeyHash: string | null,
  previousKeyUntil: number,
  strict: boolean,
  requestsPerMinute: number,
  tokensPerMinute: number,
  budgetRenewsAt: number,
  secretSince: number,
  previousSecretSince: number,
];
const USUAL: KeyExtras = [1, -1, 0, 0, null, "", "", null, 0, false, 0, 0, 0, 0, 0];

const t = tokens;
const madeAt = sql`greatest(${t.createdTime}, ${t.secretSince})`;
const extras = sql`case when ${t.status} = 1 and ${t.expiredTime} = -1 and ${t.projectId} is null
    and ${t.createdBy} is null and not ${t.modelLimitsEnabled} and ${t.allowIps} = '' and ${t.group} = ''
    and ${t.previousKeyHash} is null and not ${t.strict} and ${t.requestsPerMinute} = 0 and ${t.tokensPerMinute} = 0
    and ${t.budgetRenewsAt} = 0 and ${t.secretSince} = 0
  then '' else json_build_array(${t.status}, ${t.expiredTime}, coalesce(${t.projectId}, 0), coalesce(${t.createdBy}, 0),
    case when ${t.modelLimitsEnabled} then ${t.modelLimits} end, ${t.allowIps}, ${t.group}, ${t.previousKeyHash},
    ${t.previousKeyUntil}, ${t.strict}, ${t.requestsPerMinute}, ${t.tokensPerMinute}, ${t.budgetRenewsAt},
    ${madeAt}, greatest(${t.createdTime}, ${t.previousSecretSince}))::text end`;

/** What a key's row is made of, with its hash in the first field as the database has it. */
export const KEY_ROWS: RowSource = {
  table: t,
  id: t.id,
  fields: [t.keyHash, t.userId, t.unlimitedQuota, extras, textField(t.name)],
};

/** All API keys, by id and by hash. */
export class ApiKeyTable extends PackedRows<ApiKeyEntry> {
  /** The beginning of each hash. What is no hash of the vault is never looked up. */
  readonly #prints = new PagedColumn((rows) => new Int32Array(rows));
  readonly #byHash = new IdIndex((id) => this.#prints.get(id));
  /** Hashes of keys before a rotation → id. */
  readonly #previous = new Map<string, number>();

  /** By the hash of the key, or of the key before a rotation. */
  findByHash(hash: string): ApiKeyEntry | undefined {
    const rotated = this.#previous.get(hash);
    if (rotated !== undefined) return this.get(rotated);
    if (!HASH_TEXT.test(hash)) return undefined;
    const print = printOf(hash);
    const id = this.#byHash.find(
      print,
      (candidate) => this.#prints.get(candidate) === print && this.textOf(candidate).startsWith(hash),
    );
    return id < 0 ? undefined : this.get(id);
  }

  /** Makes room for so many keys at once. */
  reserve(rows: number): void {
    this.#byHash.reserve(rows);
  }

  protected override added(row: PackedRow): void {
    this.#prints.set(row.id, printOf(row.text));
    this.#byHash.add(row.id);
    const previous = previousHashOf(row);
    if (previous !== null) this.#previous.set(previous, row.id);
  }

  protected override removing(row: PackedRow): void {
    this.#byHash.remove(row.id);
    const previous = previousHashOf(row);
    if (previous !== null && this.#previous.get(previous) === row.id) this.#previous.delete(previous);
  }

  protected override entryOf({ id, text }: PackedRow): ApiKeyEntry {
    const [keyHash = "", userId, unlimited, extras = "", name = ""] = fieldsOf(text);
    const [status, expiredTime, projectId, createdBy, limits, ips, ...rest] = extrasOf(extras);
    const [
      group,
      previousKeyHash,
      previousKeyUntil,
      strict,
      requestsPerMinute,
      tokensPerMinute,
      budgetRenewsAt,
      secretSince,
      previousSecretSince,
    ] = rest;
    return {
      ...{
        id,
        userId: Number(userId),
        projectId,
        createdBy,
        name,
        status,
        unlimitedQuota: unlimited === "t",
        expiredTime,
      },
      keyHash,
      modelLimits: limits && nameSet(limits),
      allowIps: ips === "" ? null : compileIpList(ips),
      ...{ group, previousKeyHash, previousKeyUntil, strict, requestsPerMinute, tokensPerMinute, budgetRenewsAt },
      ...{ secretSince, previousSecretSince },
    };
  }
}

/** 32 bits of a text that begins with a hash. */
const printOf = (text: string): number => Number.parseInt(text.slice(0, PRINT_LENGTH), 16) | 0;

const extrasOf = (text: string): KeyExtras => (text === "" ? USUAL : (JSON.parse(text) as KeyExtras));

const previousHashOf = ({ text }: PackedRow): string | null =>
  text.includes("[") ? extrasOf(fieldsOf(text)[3] ?? "")[7] : null;

/** What a key leads to; `isPrevious`: it is the key from before a rotation. */
type Found = Readonly<{ entry: ApiKeyEntry | undefined; isPrevious: boolean }>;

const NONE: Found = { entry: undefined, isPrevious: false };

/** Keys in use whose look-up is remembered until any key changes. */
const MOST_REMEMBERED = 10_000;

/** Returns a function that finds an API key's entry by the key without `sk-`; undefined: there is none. */
export function createKeyLookup(
  table: ApiKeyTable,
  vault: Pick<Vault, "keyedHash">,
): (key: string) => ApiKeyEntry | undefined {
  const remembered = recentEntries<string, Found>(MOST_REMEMBERED);
  let rememberedVersion = table.version;
  const findByHash = (hash: string): Found | null => {
    const entry = table.findByHash(hash);
    if (!entry) return null;
    const isPrevious = entry.keyHash !== hash;
    // A policy that demands rotation counts from when the secret that was sent was made.
    return { entry: isPrevious ? { ...entry, secretSince: entry.previousSecretSince } : entry, isPrevious };
  };
  return (key) => {
    if (rememberedVersion !== table.version) {
      rememberedVersion = table.version;
      remembered.clear();
    }
    let found = remembered.get(key);
    if (!found) {
      found = findByHash(vault.keyedHash(key)) ?? findByHash(importedKeyHash(vault, key)) ?? NONE;
      // Invalid keys would push valid ones out of the cache.
      if (found.entry) remembered.set(key, found);
    }
    const { entry, isPrevious } = found;
    return entry && isPrevious && entry.previousKeyUntil <= nowSeconds() ? undefined : entry;
  };
}
