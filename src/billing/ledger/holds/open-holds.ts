import type { Hold } from "./hold.ts";

/** Counts the holds of calls that are under way, for monitors. */
export class OpenHolds {
  count = 0;
  /** Quota units that they set aside. */
  units = 0;

  /** Counts a reservation once it has become a hold. */
  watch(reserved: Hold | Promise<Hold>): Hold | Promise<Hold> {
    return reserved instanceof Promise ? reserved.then((hold) => this.#begin(hold)) : this.#begin(reserved);
  }

  #begin(hold: Hold): Hold {
    this.count += 1;
    this.units += hold.amount;
    return hold;
  }

  /** To be called once when a hold ends. */
  end({ amount }: Hold): void {
    this.count -= 1;
    this.units -= amount;
  }
}
