import { InsufficientQuota, LedgerUnavailable } from "../../../src/billing/ledger/errors.ts";
import type { UsageRecord } from "../../../src/billing/types.ts";
import type { Hold, Services } from "../../../src/gateway/call/services.ts";
import { until } from "../lib/until.ts";

type FakeHold = Hold & { state: "held" | "settled" | "refunded" };

/** Billing in memory, for tests of the relay: one balance for everybody, every hold and record retained. */
export class FakeBilling {
  readonly holds: FakeHold[] = [];
  readonly records: UsageRecord[] = [];
  /** What outlives processes: name → quota units. */
  readonly retained = new Map<string, number>();
  available = 1_000_000_000;
  /** The database is away, and the share of the outage is spent. */
  isUnavailable = false;

  get openHolds(): number {
    return this.holds.filter(({ state }) => state === "held").length;
  }

  /** The record of the call that ends next, or has ended already. */
  async nextRecord(count = 1): Promise<UsageRecord> {
    await until(() => this.records.length >= count);
    return this.records[count - 1] as UsageRecord;
  }

  get service(): Services["billing"] {
    return {
      reserve: async ({ amount, token }) => {
        if (this.isUnavailable) throw new LedgerUnavailable("the database does not answer");
        if (amount > this.available) throw new InsufficientQuota(token?.limited ? "token" : "user", this.available);
        const hold: FakeHold = { amount, state: "held" };
        this.holds.push(hold);
        return hold;
      },
      settle: async (hold, record) => {
        this.#end(hold, "settled");
        this.records.push(record);
      },
      refund: (hold) => this.#end(hold, "refunded"),
      keepHold: async (hold, name) => {
        this.#end(hold, "refunded");
        this.retained.set(name, hold.amount);
      },
      settleStored: async ({ name }, records) => {
        const known = new Set(this.records.map(({ requestId }) => requestId));
        this.records.push(...records.filter(({ requestId }) => !known.has(requestId)));
        this.retained.delete(name);
      },
      record: async (record) => void this.records.push(record),
    };
  }

  #end(hold: Hold, state: "settled" | "refunded"): void {
    const known = this.holds.find((candidate) => candidate === hold);
    if (known?.state !== "held") throw new Error(`a hold ended twice: ${known?.state} → ${state}`);
    known.state = state;
  }
}
