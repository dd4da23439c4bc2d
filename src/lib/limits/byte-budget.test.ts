import { describe, expect, test } from "bun:test";
import { ByteBudget } from "./byte-budget.ts";

describe("a budget of bytes", () => {
  test("is shared: one owner may take its share, another one the rest", () => {
    const budget = new ByteBudget(100, 50);
    expect(budget.take({}, 1, 30)).toBe(true);
    expect(budget.take({}, 1, 21)).toBe(false);
    expect(budget.take({}, 1, 20)).toBe(true);
    expect(budget.take({}, 2, 50)).toBe(true);
    expect(budget.take({}, 3, 1)).toBe(false);
    expect(budget.usedBytes).toBe(100);
  });

  test("serves one alone that takes more than there is, and nobody next to it", () => {
    const budget = new ByteBudget(100, 50);
    const first = {};
    expect(budget.take(first, 1, 90)).toBe(true);
    expect(budget.take(first, 1, 90)).toBe(true);
    expect(budget.take({}, 1, 1)).toBe(false);
    expect(budget.take({}, 2, 1)).toBe(false);
    budget.release(first);
    expect(budget.take({}, 2, 1)).toBe(true);
  });

  test("knows nobody who takes nothing", () => {
    const budget = new ByteBudget(100, 50);
    const holder = {};
    expect(budget.take(holder, 1, 0)).toBe(true);
    expect(budget.take(holder, 2, 50)).toBe(true);
    expect(budget.take({}, 1, 50)).toBe(true);
  });

  test("is exact after any order of takes, keeps and releases", () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const budget = new ByteBudget(1000, 400);
    const holders = Array.from({ length: 12 }, (_, at) => ({ owner: at % 3, bytes: 0, users: 0 }));
    const sum = (of: typeof holders) => of.reduce((total, { bytes }) => total + bytes, 0);
    let refused = 0;
    for (let step = 0; step < 20_000; step += 1) {
      const holder = holders[random(holders.length)];
      if (!holder) continue;
      const action = random(5);
      if (action < 2) {
        const bytes = 1 + random(150);
        const used = sum(holders);
        const owned = sum(holders.filter(({ owner }) => owner === holder.owner));
        const fits =
          (used === holder.bytes || used + bytes <= 1000) && (owned === holder.bytes || owned + bytes <= 400);
        expect(budget.take(holder, holder.owner, bytes)).toBe(fits);
        if (!fits) refused += 1;
        else {
          holder.bytes += bytes;
          holder.users = Math.max(1, holder.users);
        }
      } else if (action === 2) {
        budget.keep(holder);
        if (holder.users > 0) holder.users += 1;
      } else {
        budget.release(holder);
        holder.users = Math.max(0, holder.users - 1);
        if (holder.users === 0) holder.bytes = 0;
      }
      expect(budget.usedBytes).toBe(sum(holders));
    }
    expect(refused).toBeGreaterThan(100);
    for (const holder of holders) while (holder.users-- > 0) budget.release(holder);
    expect(budget.usedBytes).toBe(0);
    for (const { owner } of holders) expect(budget.take({}, owner, 83)).toBe(true);
  });
});
