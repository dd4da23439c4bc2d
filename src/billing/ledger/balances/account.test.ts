import { describe, expect, jest, test } from "bun:test";
import { CHUNK_DIVISOR } from "../holds.ts";
import { Outage } from "../outage.ts";
import { Account } from "./account.ts";

/** An account of several processes as the database has it: `held` by all, of which `own` by this one. */
function account(quota: number, held = 0, own = held): Account {
  const made = new Account("user", 7, false);
  made.absorb({ quota, held, own }, 1);
  return made;
}
/** An account of a process that is alone. */
function soleAccount(quota: number, held = 0): Account {
  const made = new Account("user", 7, true);
  made.absorb({ quota, held, own: 0 }, 1);
  return made;
}
const outageOf = (spendRatio: number, liveProcesses = 1) => {
  const outage = new Outage({ spendRatio, liveProcesses: () => liveProcesses });
  outage.begin(0);
  return outage;
};
const NO_OUTAGE = new Outage({ spendRatio: 1, liveProcesses: () => 1 });
const answer = (of: Account, hasOthers = false, now = performance.now()) =>
  of.answer({ outage: NO_OUTAGE, hasOthers, now });

describe("what an account covers", () => {
  test("is its allotment, less calls under way and charges that are not written yet", () => {
    const own = account(1000, 600, 400);
    expect([own.covers(400), own.covers(401)]).toEqual([true, false]);
    own.hold(100);
    own.expect(50);
    expect([own.covers(250), own.covers(251), own.available]).toEqual([true, false, 650]);
    own.release(100);
    own.settled(50);
    expect([own.covers(400), own.covers(401)]).toEqual([true, false]);
  });

  test("is all but the holds that outlive processes, for a process that is alone", () => {
    const sole = soleAccount(1000, 300);
    expect([sole.covers(700), sole.covers(701), sole.own, sole.unused]).toEqual([true, false, 0, 0]);
    expect(sole.lastKnown).toEqual({ quota: 1000, held: 300 });
  });

  test("is nothing of an account that the database does not have, or that was never read", () => {
    const unknown = new Account("user", 7, false);
    expect([unknown.covers(0), unknown.covers(1), unknown.isRead, unknown.lastKnown]).toEqual([
      true,
      false,
      false,
      null,
    ]);
    expect([unknown.isBeyond(1), unknown.coversInOutage(1, outageOf(1))]).toEqual([false, false]);
    unknown.absorb(undefined, 5);
    expect([unknown.covers(1), unknown.isRead, unknown.readAt, unknown.isBeyond(1)]).toEqual([false, true, 5, true]);
  });

  test("costs nothing where the call does, however little there is", () => {
    const spent = account(0);
    spent.expect(10);
    expect([spent.covers(0), spent.available, spent.coversInOutage(0, outageOf(0))]).toEqual([true, 0, true]);
  });
});

describe("before the database was asked", () => {
  test("no more than a 64th of what is free is lent beyond the allotment", () => {
    const own = account(6_400_100, 100, 100);
    expect([own.canLend(100_100), own.canLend(100_101), own.canLend(0)]).toEqual([true, false, false]);
    own.hold(50_000);
    expect([own.canLend(50_100), own.canLend(50_101)]).toEqual([true, false]);
  });

  test("an account is ample from 10 USD of free balance on", () => {
    expect([account(5_000_000).isAmple, account(4_999_999).isAmple, account(5_000_001, 2).isAmple]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("what exceeds all that the balance could still be is beyond it", () => {
    const own = account(1000, 900, 100);
    expect([own.isBeyond(1000), own.isBeyond(1001)]).toEqual([false, true]);
    own.hold(30);
    own.expect(20);
    expect([own.isBeyond(950), own.isBeyond(951)]).toEqual([false, true]);
    expect([own.canCollect(950, 0), own.canCollect(951, 0), own.canCollect(0, 0)]).toEqual([true, false, false]);
  });
});

describe("what it asks the database for", () => {
  test("nothing with enough at hand, a chunk ahead when little is left", () => {
    const chunk = 32_000 / CHUNK_DIVISOR;
    const ample = account(32_000 + chunk / 2, chunk / 2);
    expect(ample.ask(false)).toEqual({ id: 7, need: 0, least: 1, owed: 0, inChunks: true });
    const low = account(32_000 + chunk / 2 - 1, chunk / 2 - 1);
    expect(low.ask(false)).toEqual({ id: 7, need: 1, least: 1, owed: 0, inChunks: true });
    expect([low.isLow(chunk / 2), low.isLow(chunk / 2 - 1), ample.isLow(0)]).toEqual([false, true, false]);
    // Of a chunk of a single unit, too.
    expect(account(CHUNK_DIVISOR).ask(false).need).toBe(1);
  });

  test("what calls wait for, of which the smallest is of use", () => {
    const own = account(10_000, 100, 100);
    void own.wait(150);
    void own.wait(400);
    expect(own.shortage).toBe(450);
    expect(own.ask(false)).toMatchObject({ need: 450, least: 50, owed: 0 });
  });

  test("what it has spent beyond its allotment, and after an outage only that", () => {
    const own = account(10_000, 100, 100);
    own.hold(250);
    void own.wait(300);
    expect(own.ask(false)).toMatchObject({ need: 450, least: 450, owed: 150, inChunks: true });
    expect(own.ask(true)).toEqual({ id: 7, need: 150, least: 150, owed: 150, inChunks: false });
    expect(account(10_000, 100, 100).ask(true)).toMatchObject({ need: 0, least: 0, owed: 0 });
  });

  test("what a call needs next that waits for another account, once", () => {
    const own = account(100_000, 3000, 3000);
    own.expectCall(3500);
    own.expectCall(3200);
    expect(own.ask(false)).toMatchObject({ need: 500, least: 500 });
    expect(own.ask(false)).toMatchObject({ need: 0 });
    own.expectCall(2000);
    expect(own.ask(false)).toMatchObject({ need: 0, least: 1 });
    own.markScarce(0);
    own.expectCall(3500);
    expect(own.ask(false)).toMatchObject({ need: 0, inChunks: false });
  });
});

describe("what it gives back", () => {
  test("beyond two chunks all but one; all of it when idle; nothing of a process that is alone", () => {
    const own = account(32_000, 0, 0);
    own.absorb({ quota: 32_000, held: 2100, own: 2100 }, 1);
    const chunk = Math.floor((own.available - 0) / CHUNK_DIVISOR);
    expect(own.surplus(false)).toBe(2100 - chunk);
    expect([own.surplus(true), own.unused]).toEqual([2100, 2100]);
    const less = account(32_000, 2 * chunk, 2 * chunk);
    expect([less.surplus(false), less.surplus(true)]).toEqual([0, 2 * chunk]);
    expect([soleAccount(32_000).surplus(true), soleAccount(32_000).unused]).toEqual([0, 0]);
  });

  test("after a call beyond two chunks, or while scarce, but not because it would be idle", () => {
    const [ample, usual, sole] = [account(32_000, 2001, 2001), account(32_000, 2000, 2000), soleAccount(32_000)];
    for (const each of [ample, usual, sole]) each.hold(100);
    expect([ample, usual, sole].map((each) => each.release(100))).toEqual([true, false, false]);
    usual.markScarce(1000);
    usual.hold(100);
    expect(usual.release(100)).toBe(true);
    usual.giveBack(2000);
    expect([usual.own, usual.unused, usual.lastKnown]).toEqual([0, 0, { quota: 32_000, held: 0 }]);
    expect([usual.available, usual.canLend(500), usual.canLend(501)]).toEqual([32_000, true, false]);
    usual.hold(1);
    expect(usual.release(1)).toBe(false);
  });

  test("all of it while scarce, unless a call waits for more", () => {
    const own = account(32_000, 500, 500);
    own.markScarce(1000);
    expect([own.surplus(false), own.isLow(0)]).toEqual([500, false]);
    void own.wait(600);
    expect([own.surplus(false), own.unused]).toEqual([0, 500]);
    own.endScarcity(6000);
    expect(own.ask(false).inChunks).toBe(false);
    own.endScarcity(6001);
    expect(own.ask(false).inChunks).toBe(true);
  });

  test("leaves nothing when more is in use than it has", () => {
    const own = account(1000, 100, 100);
    own.hold(150);
    expect([own.surplus(true), own.unused, own.covers(1)]).toEqual([0, 0, false]);
    own.release(150);
    own.giveBack(60);
    expect([own.own, own.unused, own.lastKnown]).toEqual([40, 40, { quota: 1000, held: 40 }]);
  });

  test("is asked for ahead when a held call leaves little, or others wait", () => {
    const own = account(32_000, 1000, 1000);
    expect(own.hold(100)).toBe(false);
    expect(own.hold(700)).toBe(false);
    own.release(700);
    expect(own.hold(450)).toBe(true);
    own.release(450);
    void own.wait(901);
    expect(own.hold(0)).toBe(true);
  });
});

describe("during an outage", () => {
  test("it spends its allotment and its share of what was free, less what was written since", () => {
    const own = account(1000, 200, 100);
    const outage = outageOf(0.5);
    expect([own.coversInOutage(500, outage), own.coversInOutage(501, outage)]).toEqual([true, false]);
    own.hold(300);
    expect([own.coversInOutage(200, outage), own.coversInOutage(201, outage)]).toEqual([true, false]);
    own.release(300);
    own.expect(300);
    expect([own.coversInOutage(200, outage), own.coversInOutage(201, outage)]).toEqual([true, false]);
    own.settled(300);
    expect([own.coversInOutage(200, outage), own.coversInOutage(201, outage)]).toEqual([true, false]);
  });

  test("the share is fixed once in each outage, and shared by the processes", () => {
    const own = account(1000, 200, 100);
    const outage = outageOf(1, 4);
    expect([own.coversInOutage(300, outage), own.coversInOutage(301, outage)]).toEqual([true, false]);
    own.learn(10_000, 200);
    expect(own.coversInOutage(301, outage)).toBe(false);
    outage.end(10);
    outage.begin(100_000);
    expect([own.coversInOutage(2550, outage), own.coversInOutage(2551, outage)]).toEqual([true, false]);
  });

  test("those who wait are answered from the share, refused beyond the balance, else rejected with the reason", async () => {
    const own = account(1000, 100, 100);
    const waiting = [100, 400, 450, 1001].map((amount) => own.wait(amount).catch((error: Error) => error.message));
    own.answerAlone(new Error("away"), outageOf(0.5));
    expect(await Promise.all(waiting)).toEqual([true, true, "away", false]);
    const [covered, more] = [200, 300].map((amount) => {
      const other = account(1000, 200, 200);
      const result = other.wait(amount).catch((error: Error) => error.message);
      other.answerAlone(new Error("away"), null);
      return result;
    });
    expect([await covered, await more]).toEqual([true, "away"]);
  });
});

describe("those who wait", () => {
  test("get what there is, first come first served; who can't be covered is refused", async () => {
    const own = account(300, 300, 300);
    const waiting = [200, 200, 100].map((amount) => own.wait(amount));
    expect([own.isIdle, answer(own), own.isIdle]).toEqual([false, "nothing", false]);
    expect(await Promise.all(waiting)).toEqual([true, false, true]);
    expect([own.covers(1), own.available]).toEqual([false, 0]);
  });

  test("wait on where the database has what they need", async () => {
    const own = account(1000, 100, 100);
    const waiting = own.wait(500);
    expect(answer(own, true)).toBe("again");
    own.absorb({ quota: 1000, held: 600, own: 600 }, 2);
    expect(answer(own)).toBe("nothing");
    expect(await waiting).toBe(true);
  });

  test("wait for other processes that may hold it, but only once, and not beyond the balance", async () => {
    const own = account(1000, 1000, 0);
    const waiting = own.wait(500);
    const beyond = own.wait(1001);
    expect(answer(own, true)).toBe("others");
    expect(await beyond).toBe(false);
    const since = performance.now() + 1;
    own.collected(since);
    expect(answer(own, true, since)).toBe("nothing");
    expect(await waiting).toBe(false);
    // Asked in vain, they are not asked again for a moment.
    expect([own.canCollect(500, since + 499), own.canCollect(500, since + 500)]).toEqual([false, true]);
    const alone = account(1000, 1000, 0);
    void alone.wait(500);
    expect(answer(alone, false)).toBe("nothing");
  });

  test("wait for the end of a recovery where the share does not cover them", async () => {
    const own = account(1000, 100, 100);
    const outage = outageOf(0.1, 2);
    outage.end(performance.now());
    const waiting = [100, 46, 500, 1001].map((amount) => own.wait(amount));
    expect(own.answer({ outage, hasOthers: true, now: performance.now() })).toBe("recovery");
    expect(await Promise.all([waiting[0], waiting[3]])).toEqual([true, false]);
    expect(own.waitedFor(performance.now() + 1000)).toBeGreaterThanOrEqual(1000);
    expect(own.shortage).toBe(546);
  });
});

test("an account can be forgotten when nothing of it is in use, set aside or unknown", () => {
  const own = account(1000, 100, 0);
  expect([own.isForgettable, account(1000, 100, 1).isForgettable, soleAccount(10).isForgettable]).toEqual([
    true,
    false,
    true,
  ]);
  expect(new Account("user", 7, true).isForgettable).toBe(false);
  own.hold(1);
  expect([own.isIdle, own.isForgettable]).toEqual([false, false]);
  own.release(1);
  own.expect(1);
  expect([own.isIdle, own.isForgettable]).toEqual([false, false]);
  own.settled(1);
  void own.wait(5);
  expect([own.isIdle, own.isForgettable]).toEqual([false, false]);
});

test("what another process knows of a balance is taken over, but not its allotment", () => {
  const own = account(1000, 100, 60);
  own.learn(500, 300);
  expect([own.lastKnown, own.own, own.covers(60), own.available]).toEqual([{ quota: 500, held: 300 }, 60, true, 260]);
});

describe("at the limits", () => {
  test("a single unit is lent, collected, given back and waited for like any amount", async () => {
    expect([account(6_400, 0, 0).canLend(1), account(10, 10, 0).canCollect(1, 0)]).toEqual([true, true]);
    expect(account(1000, 1, 1).surplus(true)).toBe(1);
    const own = account(1000, 100, 0);
    void own.wait(1);
    expect(answer(own)).toBe("again");
  });

  test("an account that was never read has nothing, in an outage only until it is known", () => {
    const unknown = new Account("user", 7, false);
    const outage = outageOf(0.5);
    expect([unknown.available, unknown.coversInOutage(1, outage)]).toEqual([0, false]);
    unknown.learn(1000, 0);
    expect([unknown.coversInOutage(500, outage), unknown.coversInOutage(501, outage)]).toEqual([true, false]);
    const removed = account(5);
    removed.absorb(undefined, 2);
    expect(removed.lastKnown).toEqual({ quota: 0, held: 0 });
  });

  test("shares and chunks are rounded down", () => {
    const own = account(101, 0, 0);
    expect([own.coversInOutage(50, outageOf(0.5)), own.coversInOutage(51, outageOf(0.5))]).toEqual([true, false]);
    const ample = account(32_001 + 5000, 5000, 5000);
    expect(ample.available).toBe(37_001);
    expect(ample.surplus(false)).toBe(5000 - Math.floor(37_001 / CHUNK_DIVISOR));
  });

  test("the least that is of use is what comes next, where those who wait need more", () => {
    const own = account(100_000, 3000, 3000);
    void own.wait(4000);
    own.expectCall(3500);
    expect(own.ask(false)).toMatchObject({ need: 1000, least: 500 });
    const single = account(100_000, 3000, 3000);
    void single.wait(3050);
    single.expectCall(3001);
    expect(single.ask(false)).toMatchObject({ need: 50, least: 1 });
  });

  test("an account without anything left asks for nothing, however often", () => {
    const spent = account(100, 100, 100);
    spent.hold(100);
    expect([spent.ask(false).need, spent.ask(false).need]).toEqual([0, 0]);
  });

  test("nothing more is asked for where those who wait are just covered", () => {
    const own = account(32_000, 1000, 1000);
    void own.wait(900);
    expect(own.hold(100)).toBe(false);
    expect(own.hold(1)).toBe(true);
  });

  test("who needs all that is free waits for it, also for the end of a recovery", async () => {
    const own = account(1000, 500, 0);
    void own.wait(500);
    expect(answer(own)).toBe("again");
    const outage = outageOf(0, 2);
    outage.end(performance.now());
    const recovering = account(1000, 800, 100);
    const waiting = recovering.wait(500);
    expect(recovering.answer({ outage, hasOthers: false, now: performance.now() })).toBe("recovery");
    expect(await Promise.race([waiting, "waits"])).toBe("waits");
  });

  test("who comes as others are asked is one of those who they are asked for", () => {
    jest.useFakeTimers();
    const own = account(1000, 1000, 0);
    void own.wait(500);
    const now = performance.now();
    own.collected(now);
    expect(answer(own, true, now)).toBe("others");
    expect(answer(own, false, now)).toBe("nothing");
    expect(own.canCollect(500, now)).toBe(true);
    jest.useRealTimers();
  });

  test("others that were not asked may still be asked", async () => {
    const own = account(1000, 1000, 0);
    const refused = own.wait(500);
    const now = performance.now();
    expect(answer(own, false, now)).toBe("nothing");
    expect([await refused, own.canCollect(500, now)]).toEqual([false, true]);
  });
});
