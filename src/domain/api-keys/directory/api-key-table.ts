import type { ApiKeyEntry, TokenExtras } from "./api-key-entry.ts";
import { SlotIndex } from "./slot-index.ts";
import { TextColumn } from "./text-column.ts";

const FEWEST = 1024;
const HASH_BYTES = 32;
const HASH_TEXT = /^[0-9a-f]{64}$/;
const NO_HASH = new Uint8Array(HASH_BYTES);
const UNLIMITED = 8;
const STATUS = 7;

const NO_EXTRAS: TokenExtras = {
  modelLimits: null,
  allowIps: null,
  group: "",
  previousKeyHash: null,
  previousKeyUntil: 0,
  strict: false,
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  budgetRenewsAt: 0,
};

/** All API keys in columns: some 150 bytes each, where an object each would take four times as much. */
export class ApiKeyTable {
  #capacity = FEWEST;
  /** 0: nothing is in that row. */
  #ids = new Int32Array(FEWEST);
  #userIds = new Int32Array(FEWEST);
  #projectIds = new Int32Array(FEWEST);
  #creators = new Int32Array(FEWEST);
  #expiredTimes = new Float64Array(FEWEST);
  #flags = new Uint8Array(FEWEST);
  #hashes = new Uint8Array(FEWEST * HASH_BYTES);
  readonly #names = new TextColumn();
  readonly #extras = new Map<number, TokenExtras>();
  /** Hashes of keys before a rotation → row. */
  readonly #previous = new Map<string, number>();
  readonly #free: number[] = [];
  #used = 0;
  /** Which sweep has seen each row last. */
  #seen = new Uint8Array(FEWEST);
  #sweep = 0;
  /** Becomes another with every change. */
  version = 0;

  readonly #byId = new SlotIndex((slot) => mixed(this.#ids[slot] as number));
  readonly #byHash = new SlotIndex((slot) => firstFour(this.#hashes, slot * HASH_BYTES));

  get(id: number): ApiKeyEntry | undefined {
    const slot = this.#slotOf(id);
    return slot < 0 ? undefined : this.#entryAt(slot);
  }

  /** By the hash of the key, or of the key before a rotation. */
  findByHash(hash: string): ApiKeyEntry | undefined {
    const rotated = this.#previous.get(hash);
    if (rotated !== undefined) return this.#entryAt(rotated);
    if (!HASH_TEXT.test(hash)) return undefined;
    const hashBytes = Buffer.from(hash, "hex");
    const slot = this.#byHash.find(firstFour(hashBytes, 0), (candidate) => {
      const at = candidate * HASH_BYTES;
      return hashBytes.equals(this.#hashes.subarray(at, at + HASH_BYTES));
    });
    return slot < 0 ? undefined : this.#entryAt(slot);
  }

  put(entry: ApiKeyEntry): void {
    this.version += 1;
    this.remove(entry.id);
    const slot = this.#free.pop() ?? this.#used++;
    if (slot >= this.#capacity) this.#grow();
    this.#ids[slot] = entry.id;
    this.#userIds[slot] = entry.userId;
    this.#projectIds[slot] = entry.projectId;
    this.#creators[slot] = entry.createdBy;
    this.#expiredTimes[slot] = entry.expiredTime;
    this.#flags[slot] = entry.status | (entry.unlimitedQuota ? UNLIMITED : 0);
    this.#names.set(slot, entry.name);
    this.#seen[slot] = this.#sweep;
    this.#byId.add(slot);
    // No key has another hash than that of the vault: such a row is found by its id alone.
    const isHash = HASH_TEXT.test(entry.keyHash);
    this.#hashes.set(isHash ? Buffer.from(entry.keyHash, "hex") : NO_HASH, slot * HASH_BYTES);
    if (isHash) this.#byHash.add(slot);
    const extras = extrasOf(entry);
    if (extras) this.#extras.set(slot, extras);
    if (entry.previousKeyHash !== null) this.#previous.set(entry.previousKeyHash, slot);
  }

  remove(id: number): void {
    const slot = this.#slotOf(id);
    if (slot < 0) return;
    this.version += 1;
    this.#byHash.remove(slot);
    this.#byId.remove(slot);
    const previous = this.#extras.get(slot)?.previousKeyHash ?? null;
    if (previous !== null && this.#previous.get(previous) === slot) this.#previous.delete(previous);
    this.#ids[slot] = 0;
    this.#names.set(slot, "");
    this.#extras.delete(slot);
    this.#free.push(slot);
  }

  *all(): Generator<ApiKeyEntry> {
    for (let slot = 0; slot < this.#used; slot += 1) if (this.#ids[slot] !== 0) yield this.#entryAt(slot);
  }

  /** How many keys it holds. */
  get size(): number {
    return this.#used - this.#free.length;
  }

  /** Begins a full reading: what is not `put` by its end is missing. */
  beginSweep() {
    this.#sweep = (this.#sweep + 1) & 0xff;
    const sweep = this.#sweep;
    return { seen: () => {}, missing: () => this.#missingAfter(sweep) };
  }

  /** Ids that a sweep did not meet; none where another sweep has overtaken it: the later one will find them. */
  #missingAfter(sweep: number): Set<number> {
    const missing = new Set<number>();
    if (sweep !== this.#sweep) return missing;
    for (let slot = 0; slot < this.#used; slot += 1) {
      const id = this.#ids[slot] as number;
      if (id !== 0 && this.#seen[slot] !== this.#sweep) missing.add(id);
    }
    return missing;
  }

  #slotOf(id: number): number {
    return this.#byId.find(mixed(id), (slot) => this.#ids[slot] === id);
  }

  #entryAt(slot: number): ApiKeyEntry {
    const flags = this.#flags[slot] as number;
    const at = slot * HASH_BYTES;
    return {
      id: this.#ids[slot] as number,
      userId: this.#userIds[slot] as number,
      projectId: this.#projectIds[slot] as number,
      createdBy: this.#creators[slot] as number,
      name: this.#names.get(slot),
      status: flags & STATUS,
      unlimitedQuota: (flags & UNLIMITED) !== 0,
      expiredTime: this.#expiredTimes[slot] as number,
      keyHash: Buffer.from(this.#hashes.buffer, at, HASH_BYTES).toString("hex"),
      ...(this.#extras.get(slot) ?? NO_EXTRAS),
    };
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#ids = enlarged(this.#ids, new Int32Array(this.#capacity));
    this.#userIds = enlarged(this.#userIds, new Int32Array(this.#capacity));
    this.#projectIds = enlarged(this.#projectIds, new Int32Array(this.#capacity));
    this.#creators = enlarged(this.#creators, new Int32Array(this.#capacity));
    this.#expiredTimes = enlarged(this.#expiredTimes, new Float64Array(this.#capacity));
    this.#flags = enlarged(this.#flags, new Uint8Array(this.#capacity));
    this.#hashes = enlarged(this.#hashes, new Uint8Array(this.#capacity * HASH_BYTES));
    this.#seen = enlarged(this.#seen, new Uint8Array(this.#capacity));
  }
}

/** Spreads ids that follow each other. */
const mixed = (id: number): number => Math.imul(id, 0x9e3779b1);

const firstFour = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

function enlarged<Column extends Int32Array | Float64Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

/** The key's settings that differ from the defaults; null: none. */
function extrasOf(entry: ApiKeyEntry): TokenExtras | null {
  const { modelLimits, allowIps, group, previousKeyHash, previousKeyUntil } = entry;
  const { strict, requestsPerMinute, tokensPerMinute, budgetRenewsAt } = entry;
  const isUsual = !modelLimits && !allowIps && group === "" && previousKeyHash === null && !strict;
  if (isUsual && requestsPerMinute === 0 && tokensPerMinute === 0 && budgetRenewsAt === 0) return null;
  return {
    ...{ modelLimits, allowIps, group, previousKeyHash, previousKeyUntil },
    ...{ strict, requestsPerMinute, tokensPerMinute, budgetRenewsAt },
  };
}
