import type { Hold } from "./hold.ts";

/** Counts the holds of calls that are under way, for monitors. */
export class OpenHolds {
  count = 0;
  /** Quota units that they set aside. */
  units = 0;

  /** Counts a reservation once it has become a hold. */
  async watch(reserved: Promise<Hold>): Promise<Hold> {
    const hold = await reserved;
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
