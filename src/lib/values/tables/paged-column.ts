type Numbers = Uint8Array | Int32Array | Uint32Array | Float64Array;

const PAGE_BITS = 10;
const PAGE_ROWS = 1 << PAGE_BITS;

/** Numbers by row, in pages that come with their first row: rows are the ids of a table, which leave out some. */
export class PagedColumn<Page extends Numbers> {
  readonly #pages: Page[] = [];

  /** `make`: a page of so many rows, in which every number is 0. */
  constructor(private readonly make: (rows: number) => Page) {}

  /** The row's number; 0 where none was set. */
  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.[row & (PAGE_ROWS - 1)] ?? 0;
  }

  set(row: number, value: number): void {
    const at = row >>> PAGE_BITS;
    let page = this.#pages[at];
    if (!page) {
      if (value === 0) return;
      page = this.make(PAGE_ROWS);
      this.#pages[at] = page;
    }
    page[row & (PAGE_ROWS - 1)] = value;
  }

  /** The rows whose number is not 0, in ascending order. */
  *rows(): Generator<number> {
    // Only the pages that are there, also where the first of them stands far back.
    for (const at of Object.keys(this.#pages)) {
      const first = Number(at) << PAGE_BITS;
      const page = this.#pages[Number(at)] as Page;
      for (let offset = 0; offset < PAGE_ROWS; offset += 1) if (page[offset] !== 0) yield first + offset;
    }
  }
}
