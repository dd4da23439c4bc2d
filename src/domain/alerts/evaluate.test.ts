import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { budgets } from "../../../db/schema/accounts/organizations/budgets.ts";
import { policies } from "../../../db/schema/accounts/organizations/policies.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { alertRules } from "../../../db/schema/alerts.ts";
import { tokens } from "../../../db/schema/api-keys.ts";
import { channels } from "../../../db/schema/channels/channels.ts";
import { logs, usageRollups } from "../../../db/schema/logs/logs.ts";
import { priceChanges } from "../../../db/schema/models/pricing.ts";
import { lostJournals } from "../../../db/schema/wallet/ledger.ts";
import { addChannel, addToken, addUser } from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { updateToken } from "../api-keys/update-api-key.ts";
import { decideFailure } from "../logs/failures/read-failures.ts";
import { sayNotice } from "../notifications/message.ts";
import type { Alert } from "./alert.ts";
import type { Alerter } from "./alerter.ts";
import type { AlertOwner } from "./destinations.ts";
import { evaluateRules } from "./evaluate.ts";
import type { AlertEvent } from "./event-rules.ts";
import { saveRule } from "./rules.ts";

/** One for all that is done here: an hour or a month may turn meanwhile. */
const NOW = Math.floor(Date.now() / 1000);
const HOUR = NOW - (NOW % 3600);
const DOLLAR = 500_000;

let database: TestDatabase;
let userId = 0;
const sent: { owner: AlertOwner; alert: Alert; destinationIds: readonly number[] }[] = [];

const alerter: Pick<Alerter, "dispatch"> = {
  async dispatch(owner, alert, { destinationIds = [], claim } = {}) {
    if (!claim || (await claim(database.db))) sent.push({ owner, alert, destinationIds });
  },
};
const evaluate = async (now = NOW) => {
  sent.length = 0;
  await evaluateRules({ db: database.db, settings: fixedSettings(), alerter }, now);
  return sent.map(({ alert }) => `${alert.state} ${sayNotice(alert.notice, "en", "").content}`);
};
const addRule = (owner: AlertOwner, event: AlertEvent, threshold = 0, windowMinutes = 0) =>
  saveRule(database.db, owner, {
    ...{ event, threshold, window_minutes: windowMinutes, destination_ids: [], enabled: true },
  });

beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 5 * DOLLAR);
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const table of [alertRules, logs, usageRollups, channels, lostJournals, tokens]) await database.db.delete(table);
});

async function addCalls(count: number, values: Partial<typeof logs.$inferInsert> = {}) {
  const call = { type: 2, userId, createdAt: NOW - 60, elapsedMs: 1000, ...values };
  await database.db.insert(logs).values(Array.from({ length: count }, () => call));
}
async function addHour(hour: number, quota: number) {
  const row = { username: "", tokenId: 1, tokenName: "", channelId: 1, modelName: "m", group: "default" };
  await database.db.insert(usageRollups).values({ ...row, hour, userId, quota, count: 1 });
}

describe("an incident", () => {
  const disable = (status: number) => database.db.update(channels).set({ status, otherInfo: { status_reason: "401" } });

  test("is sent once when it begins and once when it ends, with one key, and again when it comes back", async () => {
    await addChannel(database.sql);
    await addRule("site", "channel_disabled");
    expect(await evaluate()).toEqual([]);
    await disable(3);
    expect(await evaluate()).toEqual([expect.stringMatching(/^firing Channel .* was disabled: 401$/)]);
    const [first] = sent;
    expect(await evaluate(NOW + 60)).toEqual([]);
    await disable(1);
    expect(await evaluate(NOW + 120)).toEqual([expect.stringMatching(/^resolved Channel/)]);
    expect(sent[0]?.alert.key).toBe(first?.alert.key ?? "");
    expect(await evaluate(NOW + 180)).toEqual([]);
    await disable(3);
    expect(await evaluate(NOW + 240)).toHaveLength(1);
    expect(sent[0]?.alert.key).not.toBe(first?.alert.key ?? "");
  });

  test("is sent once when two processes evaluate at a time", async () => {
    await addChannel(database.sql);
    await addRule("site", "channel_disabled");
    await disable(3);
    sent.length = 0;
    const deps = { db: database.db, settings: fixedSettings(), alerter };
    await Promise.all([evaluateRules(deps, NOW), evaluateRules(deps, NOW)]);
    expect(sent).toHaveLength(1);
  });

  test("of a rule that was disabled is sent again when the rule is enabled again", async () => {
    await addChannel(database.sql);
    const rule = await addRule("site", "channel_disabled");
    await disable(3);
    expect(await evaluate()).toHaveLength(1);
    await saveRule(database.db, "site", { ...rule, enabled: false }, rule.id);
    await disable(1);
    expect(await evaluate(NOW + 60)).toEqual([]);
    await saveRule(database.db, "site", { ...rule, enabled: true }, rule.id);
    expect(await evaluate(NOW + 120)).toEqual([]);
  });
});

describe("the site's rules", () => {
  test("a low balance of a channel", async () => {
    const id = await addChannel(database.sql);
    await addRule("site", "channel_balance_low");
    await database.db
      .update(channels)
      .set({ balance: "3", balanceCurrency: "USD", balanceWarnBelow: "5", balanceWarnedTime: NOW })
      .where(eq(channels.id, id));
    expect(await evaluate()).toEqual([expect.stringContaining("has 3 USD left, less than 5 USD")]);
  });

  test("a payment that needs a decision", async () => {
    await addRule("site", "payment_report");
    await database.sql`insert into payment_cases (kind, reference, money, currency, created_at)
      values ('dispute', 'dp_1', 13.09, 'EUR', ${NOW})`;
    expect(await evaluate()).toEqual([
      "firing The payment service reported dp_1 over 13.09 EUR. Decide under Plans, Payment reports.",
    ]);
    await database.sql`update payment_cases set closed_at = ${NOW}`;
    expect(await evaluate(NOW + 60)).toEqual([expect.stringMatching(/^resolved/)]);
  });

  test("a lost journal is critical", async () => {
    await addRule("site", "journal_lost");
    await database.db
      .insert(lostJournals)
      .values({ processId: "p", location: "host", lastSeenAt: NOW, unwritten: 3, journalCopy: "" });
    expect(await evaluate()).toHaveLength(1);
    expect(sent[0]).toMatchObject({ owner: "site", alert: { severity: "critical" } });
  });

  test("an error rate, measured over its window and from twenty calls on", async () => {
    await addRule("site", "error_rate", 25, 10);
    await addCalls(14);
    await addCalls(5, { failed: true });
    await addCalls(30, { failed: true, createdAt: NOW - 11 * 60 });
    expect(await evaluate()).toEqual([]);
    await addCalls(1);
    expect(await evaluate()).toEqual(["firing 25% of 20 calls failed in the last 10 min; the threshold is 25%."]);
    await addCalls(1);
    expect(await evaluate()).toEqual([expect.stringMatching(/^resolved/)]);
  });

  test("the 95th percentile of response times, without calls that failed", async () => {
    await addRule("site", "latency_p95", 5, 10);
    await addCalls(38);
    await addCalls(10, { elapsedMs: 90_000, failed: true });
    expect(await evaluate()).toEqual([]);
    await addCalls(4, { elapsedMs: 8000 });
    expect(await evaluate()).toEqual([expect.stringContaining("response times is 8 s; the threshold is 5 s")]);
  });
});

test("prices that changed since there is the rule, together, once and without an end", async () => {
  const rule = await addRule("site", "price_change");
  await database.db
    .update(alertRules)
    .set({ createdAt: NOW - 600 })
    .where(eq(alertRules.id, rule.id));
  const [before, after] = [{ usdPerCall: "1" }, { usdPerCall: "2" }];
  const change = (model: string, changedAt: number) => ({ model, changedAt, before, after });
  await database.db
    .insert(priceChanges)
    .values([
      change("old", NOW - 700),
      change("a", NOW - 60),
      change("b", NOW - 60),
      { ...change("new", NOW - 60), before: null },
    ]);
  expect(await evaluate()).toEqual(["firing 2 prices have changed: a, b"]);
  expect(await evaluate(NOW + 60)).toEqual([]);
  expect(await evaluate(NOW + 7200)).toEqual([]);
});

describe("a user's rules", () => {
  test("watch nothing that is somebody else's", async () => {
    await addRule(userId, "error_rate", 25, 10);
    await addCalls(40, { userId: userId + 1, failed: true });
    expect(await evaluate()).toEqual([]);
    await addCalls(40, { failed: true });
    await evaluate();
    expect(sent).toMatchObject([{ owner: userId }]);
  });

  test("spending beyond that of the same hour of weeks before", async () => {
    await addRule(userId, "spend_anomaly", 3);
    const week = 7 * 24 * 3600;
    await addHour(HOUR, 6 * DOLLAR);
    await addHour(HOUR - week, 3 * DOLLAR);
    await addHour(HOUR - week - 3600, DOLLAR / 10);
    expect(await evaluate()).toEqual([]);
    await addHour(HOUR - 3 * week, DOLLAR);
    expect(await evaluate()).toEqual([expect.stringContaining("$6.00 were spent this hour.")]);
  });

  describe("spending above an amount", () => {
    const [MONDAY, SUNDAY] = [Date.UTC(2026, 5, 1) / 1000, Date.UTC(2026, 5, 7, 23) / 1000];
    const spend = (hour: number, dollars: number, of: Partial<typeof usageRollups.$inferInsert> = {}) =>
      database.db.insert(usageRollups).values({
        ...{
          hour,
          userId,
          username: "",
          tokenId: 1,
          tokenName: "ferry",
          channelId: 1,
          modelName: "m",
          group: "default",
        },
        ...{ quota: dollars * DOLLAR, count: 1 },
        ...of,
      });
    const watch = (owner: AlertOwner, per: string, period = "day", subject = "") =>
      saveRule(database.db, owner, {
        ...{ event: "spending", threshold: 50 * DOLLAR, window_minutes: 0, destination_ids: [], enabled: true },
        ...{ per, period, subject },
      });

    test.each([
      ["day", "today", 3 * 3600, 24 * 3600],
      ["week", "this week", 5 * 86_400, 7 * 86_400],
      ["month", "this month", 20 * 86_400, 30 * 86_400],
    ])("a %s: fires at the amount, once, and is over when the next begins", async (period, words, later, next) => {
      await watch("site", "total", period);
      await spend(MONDAY - 3600, 500);
      await spend(MONDAY, 49);
      expect(await evaluate(MONDAY + later)).toEqual([]);
      await spend(MONDAY + 3600, 1);
      const message = `firing $50.00 were spent ${words}; the threshold is $50.00.`;
      expect(await evaluate(MONDAY + later)).toEqual([message]);
      expect(await evaluate(MONDAY + later + 60)).toEqual([]);
      expect(await evaluate(MONDAY + next)).toEqual([expect.stringMatching(/^resolved/)]);
    });

    test("each of a kind by itself, by its name, or one alone", async () => {
      const other = await addUser(database.sql, 0);
      const harbor = await addUser(database.sql, 0);
      await database.db
        .update(users)
        .set({ username: "harbor", kind: "organization", passwordHash: null })
        .where(eq(users.id, harbor));
      const name = (id: number) =>
        database.db
          .select()
          .from(users)
          .where(eq(users.id, id))
          .then(([row]) => row?.username);
      await addChannel(database.sql);
      const [channel] = await database.db.select().from(channels);
      await spend(SUNDAY, 60, { modelName: "m-1", channelId: channel?.id ?? 0 });
      await spend(SUNDAY, 30, { userId: other, group: "vip", tokenId: 2 });
      await spend(SUNDAY, 30, { userId: other, group: "vip", tokenId: 2, tokenName: "renamed", modelName: "m-2" });
      await spend(SUNDAY, 70, { userId: harbor, group: "vip", tokenId: 3, tokenName: "barge", modelName: "m-2" });
      const found = async (per: string, subject?: string) => {
        await database.db.delete(alertRules);
        await watch("site", per, "day", subject);
        return (await evaluate(SUNDAY + 60)).map((text) => text.replace(/^firing (.*) spent (.*) today.*$/, "$1 $2"));
      };
      expect({
        group: await found("group"),
        user: await found("user"),
        key: await found("key"),
        model: await found("model"),
        channel: await found("channel"),
        organization: await found("organization"),
        one: await found("model", "m-1"),
        none: await found("model", "m-3"),
      }).toEqual({
        group: ["vip $130.00", "default $60.00"],
        user: [`${await name(userId)} $60.00`, `${await name(other)} $60.00`],
        key: ["barge $70.00", "ferry $60.00", "renamed $60.00"],
        model: ["m-2 $100.00", "m-1 $60.00"],
        channel: ["#1 $130.00", `${channel?.name} $60.00`],
        organization: ["harbor $70.00"],
        one: ["m-1 $60.00"],
        none: [],
      });
    });

    test("an account's own is that of its own calls alone", async () => {
      const other = await addUser(database.sql, 0);
      await spend(SUNDAY, 40);
      await spend(SUNDAY, 500, { userId: other });
      await watch(userId, "total");
      await watch(userId, "key");
      expect(await evaluate(SUNDAY + 60)).toEqual([]);
      for (const [per, period] of [
        ["user", "day"],
        ["total", "year"],
      ] as const) {
        await expect(watch(userId, per, period)).rejects.toThrow(
          expect.objectContaining({ code: "alert_spending_invalid" }),
        );
      }
    });

    test("a day begins in the time zone of the site", async () => {
      const settings = fixedSettings({ CheckInTimeZone: "Asia/Shanghai" });
      await watch("site", "total");
      await spend(MONDAY - 9 * 3600, 60);
      sent.length = 0;
      await evaluateRules({ db: database.db, settings, alerter }, MONDAY);
      expect(sent).toEqual([]);
      await spend(MONDAY - 8 * 3600, 60);
      await evaluateRules({ db: database.db, settings, alerter }, MONDAY);
      expect(sent.map(({ alert }) => alert.notice.values[0])).toEqual(["$60.00"]);
    });
  });

  test("calls that fail alike: each cause, or the one that the rule names, unless it is muted", async () => {
    const failed = (code: string) => ({
      failed: true,
      modelName: "gpt",
      other: JSON.stringify({ status: 500, error: "No.", error_reason: { code } }),
    });
    await addCalls(2, failed("gateway_internal"));
    await addCalls(1, failed("gateway_no_price"));
    const cause = "gateway/0/gateway_internal/gpt";
    const rule = { event: "failures", threshold: 1, window_minutes: 10, destination_ids: [], enabled: true };
    await saveRule(database.db, "site", { ...rule, subject: cause });
    expect(await evaluate()).toEqual(["firing 2 requests to gpt failed in the last 10 min: No."]);
    expect(sent[0]?.alert.notice.path).toBe(`/failures?cause=${encodeURIComponent(cause)}`);
    await decideFailure(database.db, 0, cause, { state: "muted", by: userId, now: NOW });
    expect(await evaluate()).toEqual(["resolved 2 requests to gpt failed in the last 10 min: No."]);
    await saveRule(database.db, userId, { ...rule, threshold: 2 });
    expect(await evaluate()).toEqual(["firing 2 requests to gpt failed in the last 10 min: No."]);
    await decideFailure(database.db, 0, cause, { state: "open", by: userId, now: NOW });
  });

  test("what guardrails find: each of them, or the one that the rule names, of one account or of all", async () => {
    await addCalls(2, { tags: ["guardrail:block", "guardrail:pii", "mine"] });
    await addCalls(1, { tags: ["guardrail:shadow", "guardrail:cards"], failed: true });
    await addCalls(3, { tags: ["mine"] });
    await addCalls(5, { tags: ["guardrail:block", "guardrail:pii"], createdAt: NOW - 3600 });
    await addCalls(5, { tags: ["guardrail:block", "guardrail:pii"], userId: userId + 1000 });
    const rule = { event: "guardrails", threshold: 1, window_minutes: 10, destination_ids: [], enabled: true };
    const found = (name: string, calls: number) =>
      `firing The guardrail “${name}” found something in ${calls} requests in the last 10 min; the threshold is 1.`;
    await saveRule(database.db, userId, rule);
    expect(await evaluate()).toEqual([found("pii", 2), found("cards", 1)]);
    expect(sent[0]?.alert.notice.path).toBe("/log?tag=guardrail%3Apii");
    await saveRule(database.db, "site", { ...rule, subject: "pii" });
    expect(await evaluate()).toEqual([found("pii", 7)]);
    await saveRule(database.db, "site", { ...rule, subject: "block", threshold: 7 });
    expect(await evaluate()).toEqual([
      "firing The outcome “block” of guardrails stands in 7 requests of the last 10 min; the threshold is 7.",
    ]);
    await saveRule(database.db, "site", { ...rule, subject: "mask" });
    expect(await evaluate()).toEqual([]);
    expect(await evaluate(NOW + 3600)).toEqual(Array(4).fill(expect.stringMatching(/^resolved/)));
  });

  test("a low balance", async () => {
    await addRule(userId, "balance_low", 6 * DOLLAR);
    expect(await evaluate()).toEqual(["firing Your balance is $5.00, less than $6.00."]);
    await database.db.update(users).set({ quota: 6 * DOLLAR });
    expect(await evaluate()).toEqual([expect.stringMatching(/^resolved/)]);
  });

  test("a budget by levels, of which the highest that was passed is sent", async () => {
    const id = await addToken(database.sql, userId, 100 * DOLLAR);
    const spend = (percent: number) =>
      database.db
        .update(tokens)
        .set({ budgetPeriod: "day", budgetQuota: 100 * DOLLAR, remainQuota: (100 - percent) * DOLLAR })
        .where(eq(tokens.id, id));
    await addRule(userId, "key_budget", 50);
    await spend(49);
    expect(await evaluate()).toEqual([]);
    await spend(83);
    expect(await evaluate()).toEqual([expect.stringContaining("has used 83% of its budget: $83.00 of $100.00")]);
    expect(await evaluate(NOW + 60)).toEqual([]);
    await spend(100);
    expect(await evaluate(NOW + 120)).toEqual([expect.stringContaining("has used 100%")]);
    expect(sent[0]?.alert.severity).toBe("error");
    await spend(0);
    expect(await evaluate(NOW + 180)).toEqual([
      expect.stringMatching(/^resolved.*83%/),
      expect.stringMatching(/^resolved.*100%/),
    ]);
  });

  test("the quota that a key was given once, by levels, from when it was last set", async () => {
    const id = await addToken(database.sql, userId, 100 * DOLLAR);
    const untouched = await addToken(database.sql, userId, 0);
    await addToken(database.sql, userId, null);
    const spend = (dollars: number) =>
      database.sql`update tokens set used_quota = used_quota + ${dollars * DOLLAR},
        remain_quota = remain_quota - ${dollars * DOLLAR} where id = ${id}`;
    await addRule(userId, "key_budget", 80);
    await spend(79);
    expect(await evaluate()).toEqual([]);
    await spend(11);
    expect(await evaluate()).toEqual([expect.stringContaining("has used 90% of its quota: $90.00 of $100.00")]);
    expect(await evaluate(NOW + 60)).toEqual([]);
    await spend(10);
    expect(await evaluate(NOW + 120)).toEqual([expect.stringContaining("has used 100%")]);
    const owner = { id: userId, group: "default" };
    const keys = {
      db: database.db,
      changes: database.changes,
      vault: createVault({ encryptionKey: "of these tests" }),
      settings: fixedSettings(),
    };
    await updateToken(keys, owner, id, { remain_quota: 20 * DOLLAR });
    expect(await evaluate(NOW + 180)).toEqual([
      expect.stringMatching(/^resolved.*90%/),
      expect.stringMatching(/^resolved.*100%/),
    ]);
    // A name says nothing of quota: the use goes on counting from where it did.
    await spend(16);
    await updateToken(keys, owner, id, { name: "Renamed" });
    expect(await evaluate(NOW + 240)).toEqual([expect.stringContaining("has used 80% of its quota: $16.00 of $20.00")]);
    await database.sql`delete from tokens where id in (${id}, ${untouched})`;
  });

  test("a plan that ends soon, or whose renewal was not paid", async () => {
    const [plan] = await database.sql<{ id: number }[]>`
      insert into plans (name, price, period, window_quota, "window", created_at)
      values ('Pro', 1, 'month', 1, 'month', ${NOW}) returning id`;
    const [subscription] = await database.sql<{ id: number }[]>`
      insert into subscriptions (user_id, plan_id, status, paid, started_at, period_start, period_end, window_start,
        window_end, remaining, cancel_at_end)
      values (${userId}, ${plan?.id ?? 0}, 'active', 1, ${NOW}, ${NOW}, ${NOW + 4 * 86_400}, ${NOW}, ${NOW}, 0, true)
      returning id`;
    const id = subscription?.id ?? 0;
    await addRule(userId, "plan_ending", 3);
    expect(await evaluate()).toEqual([]);
    expect(await evaluate(NOW + 86_400)).toEqual(["firing The plan “Pro” ends in 3 days and is not renewed."]);
    await database.sql`update subscriptions set cancel_at_end = false where id = ${id}`;
    expect(await evaluate(NOW + 86_460)).toEqual([expect.stringMatching(/^resolved/)]);
    await database.sql`update subscriptions set status = 'past_due', period_end = ${NOW} where id = ${id}`;
    expect(await evaluate(NOW + 86_520)).toEqual([
      "firing The renewal of the plan “Pro” was not paid. It ends 3 days after its period.",
    ]);
    await database.sql`delete from subscriptions`;
  });

  test("a key that a policy demands to be rotated, again at each day that is named", async () => {
    const organization = await addUser(database.sql, 5 * DOLLAR);
    await database.db
      .update(users)
      .set({ kind: "organization", displayName: "Rotating" })
      .where(eq(users.id, organization));
    const id = await addToken(database.sql, organization, null);
    await database.db.update(tokens).set({ name: "ci", createdTime: NOW - 75 * 86_400, createdBy: userId });
    const rules = {
      ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "" },
      ...{ no_content_log: false, max_key_days: 0, max_call_quota: 0 },
    };
    const policy = { organizationId: organization, createdAt: NOW };
    await database.db.insert(policies).values([
      { ...policy, name: "Free", rules },
      { ...policy, name: "Yearly", rules: { ...rules, rotation_days: 365 } },
      { ...policy, name: "Quarterly", rules: { ...rules, rotation_days: 90 } },
    ]);
    await addRule(organization, "key_rotation", 14);
    const after = (days: number) => evaluate(NOW + days * 86_400);
    expect(await after(0)).toEqual([]);
    expect(await after(1)).toEqual([
      "firing API key “ci” must be rotated within 14 days, as policy “Quarterly” demands. Then its secret is refused.",
    ]);
    expect(await after(11)).toEqual([]);
    expect(await after(12)).toEqual([expect.stringContaining("within 3 days")]);
    expect(await after(14.5)).toEqual([expect.stringContaining("within 0.5 days")]);
    expect(await after(15)).toEqual([
      "firing Calls with API key “ci” are refused: its secret is older than the 90 days that policy “Quarterly” allows. Rotate it.",
    ]);
    expect(sent.map(({ owner, alert }) => [owner, alert.severity])).toEqual([[organization, "error"]]);
    // Who made it is warned by a rule of their own, once, of what is so now.
    await addRule(userId, "key_rotation", 14);
    expect(await after(15.1)).toEqual([expect.stringMatching(/^firing Calls with API key/)]);
    await database.db
      .update(tokens)
      .set({ secretSince: NOW + 15 * 86_400 })
      .where(eq(tokens.id, id));
    const ends = await after(15.2);
    expect(ends).toHaveLength(5);
    for (const end of ends) expect(end).toStartWith("resolved");
    await database.db.delete(policies);
  });

  test("a key that nobody used", async () => {
    const id = await addToken(database.sql, userId, null);
    await addRule(userId, "key_unused", 30);
    await database.db.update(tokens).set({ createdTime: NOW - 40 * 86_400, accessedTime: NOW - 29 * 86_400 });
    expect(await evaluate()).toEqual([]);
    await database.db.update(tokens).set({ accessedTime: NOW - 31 * 86_400 });
    expect(await evaluate()).toEqual([expect.stringContaining("has not been used for 30 days")]);
    await database.db.update(tokens).set({ status: 2 }).where(eq(tokens.id, id));
    expect(await evaluate()).toEqual([expect.stringMatching(/^resolved/)]);
  });

  test("end with the account", async () => {
    await addRule(userId, "balance_low", 60 * DOLLAR);
    await database.db.update(users).set({ status: 2 });
    expect(await evaluate()).toEqual([]);
    await database.db.update(users).set({ status: 1 });
    expect(await evaluate()).toHaveLength(1);
  });
});

test.each([
  ["site", "balance_low", 1, 0, "alert_event_invalid"],
  ["own", "channel_disabled", 0, 0, "alert_event_invalid"],
  ["site", "error_rate", 0, 10, "alert_threshold_invalid"],
  ["site", "error_rate", 101, 10, "alert_threshold_invalid"],
  ["site", "error_rate", 20, 0, "alert_window_invalid"],
  ["site", "error_rate", 20, 1.5, "alert_window_invalid"],
  ["site", "pigeon", 20, 10, "alert_event_invalid"],
] as const)("a rule of %s: %s, %p, %p is refused: %s", async (scope, event, threshold, minutes, code) => {
  const input = { event, threshold, window_minutes: minutes, destination_ids: [], enabled: true };
  await expect(saveRule(database.db, scope === "own" ? userId : "site", input)).rejects.toMatchObject({ code });
});

test("a rule leads to no destination of somebody else", async () => {
  const input = { event: "channel_disabled", threshold: 0, window_minutes: 0, destination_ids: [12345], enabled: true };
  await expect(saveRule(database.db, "site", input)).rejects.toMatchObject({ code: "alert_destination_not_found" });
});

describe("rules of an organization", () => {
  test("are about its own calls and budgets, and carry its name", async () => {
    const organization = await addUser(database.sql, 5 * DOLLAR);
    await database.db
      .update(users)
      .set({ kind: "organization", displayName: "Acme" })
      .where(eq(users.id, organization));
    await addRule(organization, "error_rate", 20, 10);
    await addRule(organization, "organization_budget", 50);
    await addCalls(30, { failed: true });
    expect(await evaluate()).toEqual([]);
    await addCalls(30, { failed: true, userId: organization });
    const budget = { organizationId: organization, scope: "organization", scopeId: 0, period: "month" } as const;
    const amounts = { limit: 10 * DOLLAR, remaining: 4 * DOLLAR, spent: 6 * DOLLAR, periodStart: NOW - 60 };
    const times = { renewsAt: NOW + 86_400, createdAt: NOW - 60 };
    await database.db.insert(budgets).values({ ...budget, ...amounts, ...times, isHard: true });
    expect(await evaluate()).toEqual([
      "firing 100% of 30 calls failed in the last 10 min; the threshold is 20%.",
      "firing Acme has used 60% of its budget: $6.00 of $10.00.",
    ]);
    expect(sent.map(({ owner, alert }) => [owner, sayNotice(alert.notice, "en", "").title])).toEqual([
      [organization, "Acme: Many calls fail"],
      [organization, "Acme: A budget of your organization is running out"],
    ]);
    expect(await evaluate(NOW + 60)).toEqual([]);
  });
});
