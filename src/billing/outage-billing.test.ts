import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { silentLog, temporaryDirectory, usageRecord } from "../../test/support/billing/start-billing.ts";
import type { Billing } from "./billing.ts";
import { recordText } from "./journal/apply/record-text.ts";
import { Journal, type WrittenUpTo } from "./journal/journal.ts";
import { segmentPaths } from "./journal/segments/segment.ts";
import { InsufficientQuota, LedgerUnavailable } from "./ledger/errors.ts";
import { OutageBilling } from "./outage-billing.ts";
import type { UsageRecord } from "./types.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

const USER = 1;
const BUDGET = 3;
const KEY = { id: 7, limited: true };
const balances = (quota: number, held = 0, own = 0, keyQuota = 1_000_000) => ({
  user: new Map([[USER, { quota, held, own }]]),
  token: new Map([[KEY.id, { quota: keyQuota, held: 0, own: 0 }]]),
  budget: new Map([[BUDGET, { quota: 20, held: 0, own: 0 }]]),
});
const NOTHING_WRITTEN: WrittenUpTo = { process: "", segment: "", offset: 0 };
const open = (known: ReturnType<typeof balances>, liveProcesses = 1, spendRatio = 1, writtenUpTo = NOTHING_WRITTEN) =>
  OutageBilling.open({
    ...{ dataDir: directory.path, balances: known, liveProcesses, spendRatio, writtenUpTo },
    log: silentLog,
  });
const request = (amount: number, token: typeof KEY | null = null) => ({ userId: USER, token, amount });
const record = (quota: number, tokenLimited = false): UsageRecord =>
  usageRecord({ userId: USER, tokenId: KEY.id, tokenLimited, quota });

test("the only process spends all of a balance, with what its predecessor had set aside", async () => {
  const billing = await open(balances(100, 60, 50));
  // Ten outlive processes.
  await expect(billing.reserve(request(91))).rejects.toBeInstanceOf(LedgerUnavailable);
  const hold = await billing.reserve(request(90));
  await expect(billing.reserve(request(11))).rejects.toBeInstanceOf(InsufficientQuota);
  billing.refund(hold);
  await billing.settle(await billing.reserve(request(90)), record(40));
  await expect(billing.reserve(request(51))).rejects.toBeInstanceOf(LedgerUnavailable);
  await billing.reserve(request(50));
  billing.close();
});

test("of several processes each spends its share of what is free, scaled by the ratio", async () => {
  const billing = await open(balances(1000, 200, 100), 2, 0.5);
  await expect(billing.reserve(request(201))).rejects.toBeInstanceOf(LedgerUnavailable);
  await billing.reserve(request(200));
  await expect(billing.reserve(request(1001))).rejects.toBeInstanceOf(InsufficientQuota);
  billing.close();
});

test("a limited key must cover a call too, and accounts that the snapshot lacks are unavailable", async () => {
  const billing = await open(balances(1000, 0, 0, 50));
  await expect(billing.reserve(request(51, KEY))).rejects.toBeInstanceOf(InsufficientQuota);
  await billing.reserve(request(50, KEY));
  await billing.reserve(request(950));
  await expect(billing.reserve({ userId: 2, token: null, amount: 1 })).rejects.toBeInstanceOf(LedgerUnavailable);
  billing.close();
});

test("what is left of a plan pays instead of the balance, also for what its journal holds", async () => {
  const byPlan = (amount: number) => ({ ...request(amount), plan: BUDGET });
  const first = await open(balances(0));
  await expect(first.reserve(byPlan(21))).rejects.toMatchObject({ who: "budget", id: BUDGET });
  await first.settle(await first.reserve(byPlan(15)), { ...record(15), plan: BUDGET });
  await expect(first.reserve(request(1))).rejects.toMatchObject({ who: "user" });
  first.close();
  const second = await open(balances(0));
  await expect(second.reserve(byPlan(6))).rejects.toBeInstanceOf(InsufficientQuota);
  await second.reserve(byPlan(5));
  second.close();
});

test("calls that a plan includes are those that were left, also after a restart", async () => {
  const call = { ...request(1), plan: BUDGET };
  const first = await open(balances(0));
  const under = [];
  for (let n = 0; n < 20; n++) under.push(await first.reserve(call));
  await expect(first.reserve(call)).rejects.toMatchObject({ who: "budget", id: BUDGET });
  for (const hold of under.splice(0, 15)) await first.settle(hold, { ...record(0), included: BUDGET });
  for (const hold of under) first.refund(hold);
  first.close();
  const second = await open(balances(0));
  for (let n = 0; n < 5; n++) await second.reserve(call);
  await expect(second.reserve(call)).rejects.toBeInstanceOf(InsufficientQuota);
  second.close();
});

test("of several processes each serves its share of included calls", async () => {
  const call = { ...request(1), plan: BUDGET };
  const billing = await open(balances(0), 3);
  // A third of twenty.
  for (let n = 0; n < 6; n++) await billing.reserve(call);
  await expect(billing.reserve(call)).rejects.toBeInstanceOf(LedgerUnavailable);
  billing.close();
});

test("what journals of earlier processes hold is spent already", async () => {
  const first = await open(balances(100));
  await first.settle(await first.reserve(request(60, KEY)), record(60, true));
  first.close();
  const second = await open(balances(100));
  expect(second.pendingRecords).toBe(1);
  await expect(second.reserve(request(41))).rejects.toBeInstanceOf(InsufficientQuota);
  await second.settle(await second.reserve(request(40)), record(40));
  second.close();
  const third = await open(balances(100));
  expect(third.pendingRecords).toBe(2);
  await expect(third.reserve(request(1))).rejects.toBeInstanceOf(InsufficientQuota);
  third.close();
});

test("charges that the known balance is without already are not spent once more", async () => {
  const folder = join(directory.path, "journal", "first");
  await mkdir(folder, { recursive: true });
  const journal = new Journal(folder, silentLog);
  // As a release wrote it that knew no bounds.
  const long = "x".repeat(3 * 1024 * 1024);
  // Of four charges in two segments one more is in the database each time.
  for (const quota of [1, 2, 4, 8]) {
    journal.append(recordText({ ...record(quota), content: "short" }).replace("short", long));
    journal.write();
  }
  expect(await segmentPaths(folder)).toHaveLength(2);
  for (const left of [15, 14, 12, 8, 0]) {
    const { segment, offset } = journal.writtenUpTo;
    const billing = await open(balances(100), 1, 1, { process: "first", segment, offset });
    await expect(billing.reserve(request(101 - left))).rejects.toBeInstanceOf(InsufficientQuota);
    await billing.reserve(request(100 - left));
    billing.close();
    if (left > 0) journal.commit(journal.read(1, Number.MAX_SAFE_INTEGER));
  }
  journal.close();
});

test("when the database is back its billing takes over, with the calls that are open", async () => {
  const done: string[] = [];
  const following: Pick<Billing, "reserve" | "settle" | "refund" | "record" | "searchLostProcesses"> = {
    async reserve({ amount }) {
      if (amount > 30) throw new InsufficientQuota("user", 30);
      done.push(`reserve ${amount}`);
      return { state: "held", amount } as Awaited<ReturnType<Billing["reserve"]>>;
    },
    async settle(hold, { quota }) {
      done.push(`settle ${quota} of ${hold.amount}`);
    },
    refund: ({ amount }) => void done.push(`refund ${amount}`),
    async record({ quota }) {
      done.push(`record ${quota}`);
    },
    searchLostProcesses: async () => void done.push("search"),
  };
  const billing = await open(balances(1000));
  const [small, large, refunded] = [10, 40, 20].map((amount) => billing.reserve(request(amount)));
  billing.pause();
  const waiting = billing.reserve(request(5));
  billing.handOver(following as Billing);
  expect(done).toEqual(["reserve 10", "reserve 20", "search"]);
  await billing.settle(await small!, record(9));
  // The balance no longer covers its hold: it is charged all the same.
  await billing.settle(await large!, record(39));
  billing.refund(await refunded!);
  await billing.settle(await waiting, record(4));
  expect(done.slice(3)).toEqual(["reserve 5", "settle 9 of 10", "record 39", "refund 20", "settle 4 of 5"]);
});

test("calls go on from the snapshot when the database goes away again before its billing is open", async () => {
  const billing = await open(balances(100));
  billing.pause();
  const waiting = billing.reserve(request(60));
  await billing.record(record(30));
  billing.resume();
  await waiting;
  await expect(billing.reserve(request(11))).rejects.toBeInstanceOf(InsufficientQuota);
  billing.close();
});

test("a hard budget limits what is spent, and journals of earlier processes count in it", async () => {
  const billing = await open(balances(1000));
  const inBudget = (amount: number) => billing.reserve({ ...request(amount), budgets: [BUDGET] });
  await billing.settle(await inBudget(15), { ...record(15), budgets: [BUDGET] });
  await expect(inBudget(6)).rejects.toMatchObject({ who: "budget", availableUnits: 5 });
  billing.close();
  const next = await open(balances(1000));
  await expect(next.reserve({ ...request(6), budgets: [BUDGET] })).rejects.toBeInstanceOf(InsufficientQuota);
  await next.reserve({ ...request(5), budgets: [BUDGET] });
  next.close();
});
