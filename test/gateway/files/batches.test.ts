import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { upstreamObjects } from "../../../db/schema/channels/objects.ts";
import { STORED_HOLD_NAMES } from "../../../db/schema/wallet/ledger.ts";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { createBudgetIndex } from "../../../src/domain/accounts/organizations/budgets/directory.ts";
import { createObjectStore, type ObjectStore } from "../../../src/gateway/state/objects/store.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import {
  addBudget,
  addChannel,
  addToken,
  addUser,
  booksOf,
  budgetBooks,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { answer, line, startKeeper } from "../../support/gateway/files/fake-file-provider.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

/** What batches cost, from the hold to the charge, on a real ledger. */

const BALANCE = 1_000_000;
/** Tokens at most: 1,000 out at 4 × and few in, at ratio 2 and half price. */
const CALL = line("a", { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 1_000 });

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let billing: Billing;
const upstream = startKeeper("h");
const begin = async () => {
  const { changes } = database;
  const processId = Bun.randomUUIDv7();
  billing = await createBilling({ database, changes, dataDir: directory.path, processId, log: silentLog });
};
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  await addChannel(database.sql);
  await begin();
});
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});
afterAll(async () => {
  upstream.stop();
  await billing.close();
  await database.close();
  await directory.remove();
});

/** A gateway with one new user, whose key is limited. */
async function start(options: Partial<Record<OptionKey, string>> = {}, balance = BALANCE) {
  const { sql } = database;
  const userId = await addUser(sql, balance);
  const tokenId = await addToken(sql, userId, balance);
  const budget = await addBudget(sql, userId, balance);
  const entry = { id: budget, organizationId: userId, scope: "organization", scopeId: 0, name: "" } as const;
  const relayOn = (objects: ObjectStore) => {
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, keys: ["key-1"], models: ["gpt-4o", "gpt-4o-mini", "fixed"] }],
      objects,
      budgets: createBudgetIndex([{ ...entry, period: "month", isHard: true, renewsAt: 0 }]),
      user: { id: userId },
      tokens: { test: { id: tokenId, userId, unlimitedQuota: false } },
      billing: {
        ...billing,
        settle: (hold, record) => billing.settle(hold as Parameters<Billing["settle"]>[0], record),
        refund: (hold) => billing.refund(hold as Parameters<Billing["refund"]>[0]),
        keepHold: (hold, name) => billing.keepHold(hold as Parameters<Billing["refund"]>[0], name),
      },
      options: {
        ModelRatio: '{"gpt-4o": 2, "gpt-4o-mini": 1}',
        CompletionRatio: '{"gpt-4o": 4, "gpt-4o-mini": 4}',
        ModelPrice: '{"fixed": 0.01}',
        CacheRatio: "{}",
        ...options,
      },
    });
    stops.push(relay.stop);
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    return Object.assign(client, { sweep: relay.settleForgotten });
  };
  const store = createObjectStore(database.db);
  /** What is held besides what this process has set aside for calls to come. */
  const storedQuota = async (subject: string, id: number) => {
    const [row] = await sql<{ amount: string }[]>`
      select coalesce(sum(amount), 0) as amount from holds
      where subject = ${subject} and subject_id = ${id} and process_id like ${STORED_HOLD_NAMES}`;
    return Number(row?.amount);
  };
  const standing = async () => {
    const user = await booksOf(sql, userId);
    const key = await tokenBooks(sql, tokenId);
    const held = await storedQuota("user", userId);
    expect([await storedQuota("token", tokenId), balance - key.remain]).toEqual([held, balance - user.quota]);
    const { spent } = await budgetBooks(sql, budget);
    expect([await storedQuota("budget", budget), spent]).toEqual([held, balance - user.quota]);
    expect((await checkBooks(database.db, "spending", budget - 1, NOW)).wrong).toEqual([]);
    return { held, spent: balance - user.quota, logged: user.logged, rows: user.rows };
  };
  return { client: relayOn(store), relayOn, store, standing, userId };
}

async function order(client: OpenAI, ...lines: string[]) {
  const file = await toFile(Buffer.from(lines.join("\n")), "calls.jsonl");
  const { id } = await client.files.create({ file, purpose: "batch" });
  return client.batches.create({ input_file_id: id, endpoint: "/v1/chat/completions", completion_window: "24h" });
}
const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("a batch", () => {
  test("holds what it can cost while it runs; what it did not cost goes back", async () => {
    const { client, standing } = await start();
    const batch = await order(client, CALL, CALL);
    const { held, spent } = await standing();
    // Two answers of 1,000 tokens at least: 2 × 1,000 × 4 × ratio 2 ÷ 2.
    expect([held >= 8_000, held < 10_000, spent]).toEqual([true, true, 0]);
    upstream.finish(batch.id, [answer("a", "gpt-4o", 100, 10), answer("b", "gpt-4o", 50, 5)].join("\n"));
    expect((await client.batches.retrieve(batch.id)).status).toBe("completed");
    expect(await standing()).toEqual({ held: 0, spent: 210, logged: 210, rows: 1 });
  });

  test("that the balance does not cover, together with others that run, does not begin", async () => {
    const { client, standing } = await start({}, 12_000);
    const first = await order(client, CALL, CALL);
    const { held } = await standing();
    expect(await failureOf(order(client, CALL))).toMatchObject({ status: 429, code: "insufficient_quota" });
    expect((await standing()).held).toBe(held);
    upstream.finish(first.id, null, "cancelled");
    await client.batches.retrieve(first.id);
    expect((await standing()).held).toBe(0);
    await order(client, CALL);
  });

  test("that its upstream does not take holds nothing", async () => {
    const { client, standing } = await start();
    upstream.refuse(true);
    expect(await failureOf(order(client, CALL))).toMatchObject({ status: 400 });
    upstream.refuse(false);
    expect(await standing()).toEqual({ held: 0, spent: 0, logged: 0, rows: 0 });
  });

  const FAILED = JSON.stringify({ custom_id: "b", response: { status_code: 400, body: { error: { message: "no" } } } });
  test.each([
    ["that failed as a whole", "failed", null, 0],
    ["that was cancelled before anything was done", "cancelled", null, 0],
    ["that was cancelled half way", "cancelled", answer("a", "gpt-4o", 100, 10), 140],
    ["that expired half way", "expired", answer("a", "gpt-4o", 100, 10), 140],
    ["of which some calls failed", "completed", `${answer("a", "gpt-4o", 100, 10)}\n${FAILED}\nnonsense`, 140],
  ])("%s costs what was done, and holds nothing", async (_, status, output, cost) => {
    const { client, standing } = await start();
    const batch = await order(client, CALL, CALL);
    upstream.finish(batch.id, output, status);
    await client.batches.retrieve(batch.id);
    expect(await standing()).toMatchObject({ held: 0, spent: cost, logged: cost });
  });

  test("whose model has a fixed price costs that for each answer", async () => {
    const { client, standing } = await start();
    const call = (id: string) => line(id, { model: "fixed", messages: [] });
    const batch = await order(client, call("a"), call("b"), call("c"));
    expect((await standing()).held).toBe(7_500);
    upstream.finish(batch.id, ["a", "b", "c"].map((id) => answer(id, "fixed", 10, 10)).join("\n"));
    await client.batches.retrieve(batch.id);
    // 3 × $0.01 ÷ 2 at 500,000 units a dollar.
    expect(await standing()).toMatchObject({ held: 0, spent: 7_500 });
  });

  test("charges each answer on the step of its own prompt", async () => {
    const tiers = { ContextTiers: '{"gpt-4o": [{"over": 1000, "input": 2, "output": 3}]}' };
    const { client, standing } = await start(tiers);
    const batch = await order(client, CALL, CALL, CALL);
    const outputs = [answer("a", "gpt-4o", 900, 10), answer("b", "gpt-4o", 900, 10), answer("c", "gpt-4o", 1_100, 10)];
    upstream.finish(batch.id, outputs.join("\n"));
    await client.batches.retrieve(batch.id);
    // Ratio 2 at half price: two on the first step, one on the second.
    expect(await standing()).toMatchObject({ spent: 1_800 + 80 + (2_200 + 120), rows: 2 });
  });

  test("outlives the gateway: what it holds stays held, and is charged by the next", async () => {
    const { client, standing, relayOn, store } = await start();
    const batch = await order(client, CALL);
    const { held } = await standing();
    await billing.close();
    expect((await standing()).held).toBe(held);
    await begin();
    upstream.finish(batch.id, answer("a", "gpt-4o", 100, 10));
    await relayOn(store).batches.retrieve(batch.id);
    expect(await standing()).toEqual({ held: 0, spent: 140, logged: 140, rows: 1 });
  });

  for (const dies of ["before the charge", "after it"] as const) {
    test(`is charged once by a gateway that fails ${dies}`, async () => {
      const { client, standing, relayOn, store } = await start();
      const batch = await order(client, CALL);
      upstream.finish(batch.id, answer("a", "gpt-4o", 100, 10));
      const broken = async () => Promise.reject(new Error("the database is gone"));
      const failing =
        dies === "after it" ? relayOn({ ...store, settled: broken }) : relayOn({ ...store, keep: broken });
      expect(await failureOf(failing.batches.retrieve(batch.id))).toMatchObject({ status: 500 });
      expect((await standing()).spent).toBe(dies === "after it" ? 140 : 0);
      // Several gateways look at once, each for the first time.
      await Promise.all([1, 2, 3].map(() => relayOn(createObjectStore(database.db)).batches.retrieve(batch.id)));
      expect(await standing()).toEqual({ held: 0, spent: 140, logged: 140, rows: 1 });
    });
  }

  describe("that nobody asks for", () => {
    test("is found and charged once, by however many look; others wait their turn", async () => {
      const { client, standing, relayOn, store } = await start();
      const [done, running] = [await order(client, CALL), await order(client, CALL)];
      const { held } = await standing();
      upstream.finish(done.id, answer("a", "gpt-4o", 100, 10));
      await Promise.all([client.sweep(), relayOn(store).sweep(), relayOn(createObjectStore(database.db)).sweep()]);
      expect(await standing()).toEqual({ held: held / 2, spent: 140, logged: 140, rows: 1 });
      upstream.finish(running.id, null, "expired");
      await client.sweep();
      expect(await standing()).toEqual({ held: 0, spent: 140, logged: 140, rows: 1 });
    });

    test("is looked for again where the sweep fails at any step", async () => {
      const { client, standing, relayOn, store } = await start();
      const batch = await order(client, CALL);
      upstream.finish(batch.id, answer("a", "gpt-4o", 100, 10));
      const broken = async () => Promise.reject(new Error("the database is gone"));
      await relayOn({ ...store, keep: broken }).sweep();
      expect((await standing()).spent).toBe(0);
      await relayOn({ ...store, settled: broken }).sweep();
      expect((await standing()).spent).toBe(140);
      await relayOn(store).sweep();
      expect(await standing()).toEqual({ held: 0, spent: 140, logged: 140, rows: 1 });
      expect((await store.unsettled(1_000, null)).map(({ id }) => id)).not.toContain(batch.id);
    });

    test("and that its upstream has forgotten holds nothing any more", async () => {
      const { client, standing } = await start();
      const batch = await order(client, CALL);
      upstream.forget(batch.id);
      await client.sweep();
      expect(await standing()).toEqual({ held: 0, spent: 0, logged: 0, rows: 0 });
    });

    test("is found behind however many that still run", async () => {
      const { client, standing, userId, store } = await start();
      const payer = { username: "u", tokenName: "k", tokenLimited: true, group: "default" };
      const others = Array.from({ length: 201 }, (_, at) => ({
        ...{
          id: `batch_old_${userId}_${at}`,
          kind: "batch" as const,
          userId,
          tokenId: 0,
          channelId: 999,
          keyHash: "x",
        },
        ...{ body: { status: "in_progress" }, payer, createdAt: NOW - 1_000, settledAt: null },
      }));
      for (const other of others) await store.keep(other);
      const batch = await order(client, CALL);
      upstream.finish(batch.id, answer("a", "gpt-4o", 100, 10));
      await client.sweep();
      expect(await standing()).toMatchObject({ held: 0, spent: 140 });
      for (const { id } of others) await store.remove(id);
    });
  });
});

describe("a fine-tuning job", () => {
  const EXAMPLE = JSON.stringify({ messages: [{ role: "user", content: "hi" }] });
  /** Two bytes a token at least. */
  const TOKENS = Math.ceil(EXAMPLE.length / 2);
  const PRICES = { ModelRatio: '{"gpt-4o-mini-training": 3}' };
  const train = async (client: OpenAI, examples: number, wishes: object = {}) => {
    const file = await toFile(Buffer.from(`${EXAMPLE}\n`.repeat(examples)), "train.jsonl");
    const { id } = await client.files.create({ file, purpose: "fine-tune" });
    return client.fineTuning.jobs.create({ model: "gpt-4o-mini", training_file: id, ...wishes });
  };

  test.each<[string, number, object, number]>([
    ["as often as the client says", 10, { hyperparameters: { n_epochs: 2 } }, 2 * 10],
    ["as the method says", 10, { method: { type: "dpo", dpo: { hyperparameters: { n_epochs: 4 } } } }, 4 * 10],
    ["a few examples until a hundred are seen", 10, { hyperparameters: { n_epochs: "auto" } }, 10 * 10],
    ["at most 25 times", 2, {}, 25 * 2],
    ["three times otherwise", 40, {}, 3 * 40],
  ])("holds all tokens of its examples, %s", async (_, examples, wishes, seen) => {
    const { client, standing } = await start(PRICES);
    await train(client, examples, wishes);
    expect(await standing()).toMatchObject({ held: seen * TOKENS * 3, spent: 0 });
  });

  test("is charged by the trained tokens when it is over, once, and holds nothing any more", async () => {
    const { client, standing } = await start(PRICES);
    const job = await train(client, 40);
    expect((await client.fineTuning.jobs.retrieve(job.id)).status).toBe("succeeded");
    await client.fineTuning.jobs.retrieve(job.id);
    await client.sweep();
    // 5,000 tokens at the ratio 3.
    expect(await standing()).toEqual({ held: 0, spent: 15_000, logged: 15_000, rows: 1 });
  });

  test("is charged under the requested name, whatever the upstream calls it", async () => {
    const { client, standing } = await start({
      ModelRatio: '{"gpt-4o-mini-training": 3, "gpt-4o-mini-2024-07-18-training": 90}',
    });
    const job = await train(client, 40);
    upstream.endJob(job.id, { model: "gpt-4o-mini-2024-07-18" });
    await client.fineTuning.jobs.retrieve(job.id);
    expect(await standing()).toMatchObject({ held: 0, spent: 15_000, rows: 1 });
  });

  test("that failed, or that its upstream does not take, costs nothing", async () => {
    const { client, standing } = await start(PRICES);
    const job = await train(client, 40);
    upstream.endJob(job.id, { status: "failed", trained_tokens: null });
    await client.fineTuning.jobs.retrieve(job.id);
    expect(await standing()).toMatchObject({ held: 0, spent: 0 });
    upstream.refuse(true);
    expect(await failureOf(train(client, 40))).toMatchObject({ status: 400 });
    upstream.refuse(false);
    expect(await standing()).toMatchObject({ held: 0, spent: 0 });
  });

  test("that the balance does not cover, that has no examples, or is billed by the hour, does not begin", async () => {
    const { client, standing } = await start(PRICES, 40 * TOKENS * 3 * 4);
    await train(client, 40);
    expect(await failureOf(train(client, 40))).toMatchObject({ status: 429, code: "insufficient_quota" });
    expect(await failureOf(train(client, 0))).toMatchObject({ status: 400, param: "training_file" });
    const hourly = { method: { type: "reinforcement" } };
    expect(await failureOf(train(client, 1, hourly))).toMatchObject({ status: 400, param: "method" });
    expect(await standing()).toMatchObject({ held: 40 * TOKENS * 3 * 3, spent: 0 });
  });

  test("the books are right after all that", async () => {
    for (const book of ["holds", "users", "tokens", "hours"] as const) {
      expect((await checkBooks(database.db, book, 0, NOW)).wrong).toEqual([]);
    }
    expect((await database.db.select().from(upstreamObjects)).length).toBeGreaterThan(10);
  });
});
