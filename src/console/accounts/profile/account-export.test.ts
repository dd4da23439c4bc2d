import { afterAll, beforeAll, expect, test } from "bun:test";
import { playgroundChats } from "../../../../db/schema/accounts/playground-chats.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { drawingTasks, mediaTasks } from "../../../../db/schema/tasks.ts";
import { redemptionCodes, redemptionUses } from "../../../../db/schema/wallet/codes.ts";
import { checkIns, rebates, topUpOrders, withdrawals } from "../../../../db/schema/wallet/wallet.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { newKey } from "../../../domain/api-keys/create-api-key.ts";
import { nowSeconds } from "../../../lib/clock.ts";

let app: TestConsole;
let userId = 0;
let otherId = 0;
let user: Record<string, string>;
const LOG_ROWS = 1203;
const TASK_ROWS = 501;
beforeAll(async () => {
  app = await startTestConsole();
  userId = await app.addUser("ann");
  otherId = await app.addUser("other");
  user = await app.login("ann");
  const { db } = app;
  const now = nowSeconds();
  for (const id of [userId, otherId]) {
    const mine = id === userId;
    await db
      .insert(tokens)
      .values({ userId: id, name: mine ? "mine" : "theirs", ...newKey(app.vault), createdTime: now });
    await db
      .insert(topUpOrders)
      .values({ userId: id, tradeNo: `T${id}`, method: "zfb", quota: 5, money: "1.00", createdTime: now });
    const [code] = await db
      .insert(redemptionCodes)
      .values({ name: `code ${id}`, key: `secret-code-${id}`, quota: 7, createdTime: now })
      .returning({ id: redemptionCodes.id });
    await db.insert(redemptionUses).values({ codeId: code?.id ?? 0, userId: id, quota: 7, usedTime: now });
    await db.insert(checkIns).values({ userId: id, day: "2026-03-01", quota: 9, createdTime: now });
    await db.insert(rebates).values({ userId: id, fromUserId: otherId, rechargeQuota: 10, quota: 1, createdTime: now });
    await db.insert(withdrawals).values({ userId: id, quota: 3, account: "bank", createdTime: now });
    await db.insert(playgroundChats).values(
      ["a", "b"].map((title) => ({
        ...{ id: crypto.randomUUID(), userId: id, title, words: "", bytes: 2, updatedAt: now },
        body: `{"owner":${id}}`,
      })),
    );
    const task = { userId: id, channelId: 9, createdAt: now };
    await db
      .insert(drawingTasks)
      .values({ ...task, action: "IMAGINE", prompt: `a cat of ${id}`, submitTime: now * 1000 });
    await db.insert(mediaTasks).values(
      Array.from({ length: mine ? TASK_ROWS : 1 }, (_, at) => ({
        ...task,
        updatedAt: now,
        platform: "suno",
        taskId: `song ${at} of ${id}`,
        submitTime: now - at,
      })),
    );
  }
  const other = JSON.stringify({ admin_info: { use_channel: ["secret supplier"] }, receipt: { total: 5 } });
  const row = (id: number) => ({ createdAt: now, type: 2, userId: id, modelName: `of ${id}`, channelId: 9, other });
  await db.insert(logs).values([...Array.from({ length: LOG_ROWS }, () => row(userId)), row(otherId)]);
});
afterAll(() => app.close());

const ask = (body: object, headers = user) => app.ask("POST", "/api/user/self/export", body, headers);
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string } & Record<string, unknown>);

test("all of one's own data, line by line, and nothing of others or of operators", async () => {
  const { headers, text } = await ask({});
  expect(headers.get("content-type")).toContain("ndjson");
  const lines = linesOf(text);
  const counts = Object.fromEntries(
    Map.groupBy(lines, ({ kind }) => kind)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  );
  // The export itself is in the log as well.
  expect(counts).toEqual({
    account: 1,
    key: 1,
    order: 1,
    chat: 2,
    redemption: 1,
    check_in: 1,
    rebate: 1,
    withdrawal: 1,
    drawing: 1,
    task: TASK_ROWS,
    log: LOG_ROWS + 1,
  });
  const of = (kind: string) => lines.find((line) => line.kind === kind);
  expect(of("account")).toMatchObject({ id: userId, username: "ann", password: "" });
  expect(of("key")).toMatchObject({ name: "mine", key: expect.stringMatching(/^sk-.{4}….{4}$/) });
  expect(of("order")).toMatchObject({ trade_no: `T${userId}` });
  expect(of("drawing")).toMatchObject({ action: "IMAGINE", prompt: `a cat of ${userId}` });
  expect(of("task")).toMatchObject({ platform: "suno", task_id: `song 0 of ${userId}` });
  expect(of("check_in")).toMatchObject({ day: "2026-03-01", quota: 9 });
  expect(lines.findLast(({ kind }) => kind === "log")).toMatchObject({ other: { receipt: { total: 5 } } });
  for (const secret of [
    "theirs",
    "secret supplier",
    "secret-code",
    "from_user",
    "use_channel",
    "channel_id",
    `of ${otherId}`,
  ]) {
    expect(text).not.toContain(secret);
  }
});

test("API keys in clear only for whoever knows the password", async () => {
  expect((await ask({ with_keys: true })).body.code).toBe("owner_password_required");
  expect((await ask({ with_keys: true, password: "wrong password" })).body.code).toBe("owner_password_wrong");
  const key = linesOf((await ask({ with_keys: true, password: TEST_PASSWORD })).text).find(
    ({ kind }) => kind === "key",
  );
  expect(key?.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
});

test("needs a login", async () => expect((await ask({}, {})).status).toBe(401));
