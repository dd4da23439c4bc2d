const FEWEST = 1024;

/**
 * The last known balances of accounts that no call of this process uses, by id: 20 bytes each, since there may be millions.
 * Ids are kept in ascending order; new accounts have the highest, so they are appended.
 */
export class BalanceTable {
  #ids = new Int32Array(FEWEST);
  #quotas = new Float64Array(FEWEST);
  #held = new Float64Array(FEWEST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): Readonly<{ quota: number; held: number }> | undefined {
    const at = this.#placeOf(id);
    if (at === this.#size || this.#ids[at] !== id) return undefined;
    return { quota: this.#quotas[at] as number, held: this.#held[at] as number };
  }

  /** `quota` and what all processes have set aside of it, whole quota units. */
  put(id: number, quota: number, held: number): void {
    const at = this.#placeOf(id);
    if (at === this.#size || this.#ids[at] !== id) this.#insert(at, id);
    this.#quotas[at] = quota;
    this.#held[at] = held;
  }

  *all(): Generator<Readonly<{ id: number; quota: number; held: number }>> {
    for (let at = 0; at < this.#size; at += 1) {
      yield { id: this.#ids[at] as number, quota: this.#quotas[at] as number, held: this.#held[at] as number };
    }
  }

  /** The first place whose id is not lower. */
  #placeOf(id: number): number {
    let low = 0;
    let high = this.#size;
    if (high > 0 && (this.#ids[high - 1] as number) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(at: number, id: number): void {
    if (this.#size === this.#ids.length) this.#grow();
    for (const column of [this.#ids, this.#quotas, this.#held]) column.copyWithin(at + 1, at, this.#size);
    this.#ids[at] = id;
    this.#size += 1;
  }

  #grow(): void {
    const capacity = this.#ids.length * 2;
    this.#ids = enlarge(this.#ids, new Int32Array(capacity));
    this.#quotas = enlarge(this.#quotas, new Float64Array(capacity));
    this.#held = enlarge(this.#held, new Float64Array(capacity));
  }
}

function enlarge<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
