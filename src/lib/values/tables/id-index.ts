const EMPTY = 0;
const FEWEST = 1024;
/** Fuller than this, searches get long. */
const FULLEST = 0.6;

/**
 * Finds rows of a table, by their ids, by a key that the table keeps itself: four bytes a place, where a Map of keys would take a hundred.
 * Open addressing; what is removed leaves no gap behind.
 */
export class IdIndex {
  readonly #hashOf: (id: number) => number;
  /** 0: nothing. */
  #places = new Int32Array(FEWEST);
  #count = 0;

  /** `hashOf`: 32 bits for the key of a row; those of many keys must differ in their lower bits. */
  constructor(hashOf: (id: number) => number) {
    this.#hashOf = hashOf;
  }

  /** The row with this hash that `matches`; -1: none. */
  find(hash: number, matches: (id: number) => boolean): number {
    const mask = this.#places.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const id = this.#places[at] as number;
      if (id === EMPTY) return -1;
      if (matches(id)) return id;
    }
  }

  /** Makes room for so many rows at once: growing with them would place each several times. */
  reserve(rows: number): void {
    while (rows >= this.#places.length * FULLEST) this.#grow();
  }

  /** The row must not be in it yet, and its key must be in the table. */
  add(id: number): void {
    if (this.#count >= this.#places.length * FULLEST) this.#grow();
    this.#put(id);
    this.#count += 1;
  }

  /** The row's key must still be in the table. */
  remove(id: number): void {
    const mask = this.#places.length - 1;
    let gap = this.#hashOf(id) & mask;
    while (this.#places[gap] !== id) {
      if (this.#places[gap] === EMPTY) return;
      gap = (gap + 1) & mask;
    }
    // Whatever would no longer be found across the gap moves into it.
    for (let at = (gap + 1) & mask; this.#places[at] !== EMPTY; at = (at + 1) & mask) {
      const home = this.#hashOf(this.#places[at] as number) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      this.#places[gap] = this.#places[at] as number;
      gap = at;
    }
    this.#places[gap] = EMPTY;
    this.#count -= 1;
  }

  #put(id: number): void {
    const mask = this.#places.length - 1;
    let at = this.#hashOf(id) & mask;
    while (this.#places[at] !== EMPTY) at = (at + 1) & mask;
    this.#places[at] = id;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Int32Array(before.length * 2);
    if (this.#count === 0) return;
    for (const place of before) if (place !== EMPTY) this.#put(place);
  }
}
