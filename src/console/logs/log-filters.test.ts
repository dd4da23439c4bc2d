import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import type { LogView } from "../../domain/logs/log-view.ts";
import type { Bucket } from "../../domain/logs/usage/read-histogram.ts";
import { nowSeconds } from "../../lib/clock.ts";

/**
 * Every filter of every call that reads the log. Each row of the log costs another power of two: the sum that a call answers
 * says which rows it looked at.
 */
const [MINE_1, MINE_2, MINE_4, THEIRS_8, THEIRS_16] = [1, 2, 4, 8, 16];
const MINE = MINE_1 + MINE_2 + MINE_4;
const ALL = MINE + THEIRS_8 + THEIRS_16;
const NOW = nowSeconds();
const SPAN = { start_timestamp: NOW - 7000, end_timestamp: NOW };

let app: TestOperations;
beforeAll(async () => {
  app = await startTestOperations();
  await app.db.update(users).set({ quota: 1_000_000 });
  const mine = { userId: app.ids.user, username: "user" };
  const theirs = { userId: app.ids.other, username: "other" };
  const ide = { tokenId: 501, tokenName: "ide", modelName: "gpt-4o", group: "default", channelId: 71 };
  const cli = { tokenId: 502, tokenName: "cli", modelName: "o1", group: "vip", channelId: 72 };
  const record = (quota: number, ago: number, values: Parameters<typeof callRecord>[0]) =>
    callRecord({ quota, createdAt: NOW - ago, requestId: `request-${quota}`, content: `row ${quota}`, ...values });
  await writeCalls(app.database, [
    record(MINE_1, 100, { ...mine, ...ide }),
    record(MINE_2, 200, { ...mine, ...cli, failed: true, ip: "203.0.113.9" }),
    record(MINE_4, 4000, { ...mine, ...ide, modelName: "gpt-4o-mini", group: "vip" }),
    record(THEIRS_8, 150, { ...theirs, ...ide, tokenId: 601 }),
    record(THEIRS_16, 5000, { ...theirs, ...cli, tokenId: 602, tokenName: "theirs", modelName: "theirs" }),
  ]);
});
afterAll(() => app.close());

const addressOf = (path: string, query: object) =>
  `/api/log/${path}?${new URLSearchParams(Object.entries({ ...SPAN, ...query }).map(([key, value]) => [key, String(value)]))}`;
const ask = (path: string, query: object, headers = app.as.admin) =>
  app.ask("GET", addressOf(path, query), undefined, headers);

/** What each call says its rows cost together. */
const SUMS: Readonly<
  Record<string, (path: string, query: object, headers?: Record<string, string>) => Promise<number>>
> = {
  "": async (path, query, headers) => {
    const { items, total } = (await ask(path, { ...query, type: 2, page_size: 100 }, headers)).body.data as {
      items: LogView[];
      total: number;
    };
    expect(total).toBe(items.length);
    return sum(items.map(({ quota }) => quota));
  },
  stat: async (path, query, headers) => ((await ask(path, query, headers)).body.data as { quota: number }).quota,
  histogram: async (path, query, headers) =>
    sum(((await ask(path, query, headers)).body.data as { buckets: Bucket[] }).buckets.map(({ quota }) => quota)),
  export: async (path, query, headers) => {
    const [, ...rows] = (await ask(path, { ...query, type: 2 }, headers)).text.trim().split("\r\n");
    return sum(rows.map((row) => Number(/row (\d+)/.exec(row)?.[1])));
  },
};
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe.each(Object.keys(SUMS))("GET /api/log/%s", (path) => {
  test.each([
    [{}, ALL, MINE],
    [{ token_name: "ide" }, MINE_1 + MINE_4 + THEIRS_8, MINE_1 + MINE_4],
    [{ token_name: "theirs" }, THEIRS_16, 0],
    [{ token_id: 501 }, MINE_1 + MINE_4, MINE_1 + MINE_4],
    [{ token_id: 601 }, THEIRS_8, 0],
    [{ model_name: "gpt-4o" }, MINE_1 + THEIRS_8, MINE_1],
    [{ model_name: "gpt-4o%" }, MINE_1 + MINE_4 + THEIRS_8, MINE_1 + MINE_4],
    [{ model_name: "%mini" }, MINE_4, MINE_4],
    [{ model_name: "theirs" }, THEIRS_16, 0],
    [{ model_name: "' or 1=1 --" }, 0, 0],
    [{ group: "vip" }, MINE_2 + MINE_4 + THEIRS_16, MINE_2 + MINE_4],
    [{ group: "vi" }, 0, 0],
    [{ failed: "true" }, MINE_2, MINE_2],
    [{ failed: "false" }, ALL - MINE_2, MINE - MINE_2],
    [{ request_id: "request-1" }, MINE_1, MINE_1],
    [{ request_id: "request-8" }, THEIRS_8, 0],
    [{ ip: "203.0.113.9" }, MINE_2, MINE_2],
    [{ ip: "203.0.113" }, 0, 0],
    [{ username: "other" }, THEIRS_8 + THEIRS_16, MINE],
    [{ username: "nobody" }, 0, MINE],
    [{ channel: 71 }, MINE_1 + MINE_4 + THEIRS_8, MINE],
    [{ channel: 72, username: "other" }, THEIRS_16, MINE],
    [{ start_timestamp: NOW - 150 }, MINE_1 + THEIRS_8, MINE_1],
    [{ end_timestamp: NOW - 200 }, MINE_2 + MINE_4 + THEIRS_16, MINE_2 + MINE_4],
    [{ start_timestamp: NOW - 4000, end_timestamp: NOW - 150 }, MINE_2 + MINE_4 + THEIRS_8, MINE_2 + MINE_4],
    [{ start_timestamp: NOW - 99 }, 0, 0],
    [{ token_name: "ide", group: "vip", model_name: "gpt%" }, MINE_4, MINE_4],
    [{ token_name: "", model_name: "", group: "", channel: "", username: "", token_id: "" }, ALL, MINE],
  ])("with %j", async (query, everybodys, own) => {
    const read = SUMS[path];
    if (!read) throw new Error(path);
    expect(await read(path, query)).toBe(everybodys);
    expect(await read(path, query, app.as.root)).toBe(everybodys);
    expect(await read(`self/${path}`, query, app.as.user)).toBe(own);
    // Administrators have no rows of their own here.
    expect(await read(`self/${path}`, query, app.as.admin)).toBe(0);
  });

  test("users see nothing of others by any parameter", async () => {
    const others = { user_id: app.ids.other, userId: app.ids.other, id: app.ids.other, before: `${NOW}-9999999` };
    const tricks: object[] = Object.entries({ ...others, "user_id[]": app.ids.other, filter: "1=1", role: 100 }).map(
      ([name, value]) => ({ [name]: value }),
    );
    tricks.push(Object.assign({}, ...tricks), { username: "other", token_id: 601, request_id: "request-8", type: 0 });
    for (const query of tricks) {
      const { text } = await ask(`self/${path}`, query, app.as.user);
      expect([query, text.includes("theirs"), /row (8|16)\b/.test(text)]).toEqual([query, false, false]);
    }
  });
});

test("repeated parameters name nobody else", async () => {
  const path = `/api/log/self?user_id=${app.ids.user}&user_id=${app.ids.other}&page_size=100`;
  const { data } = (await app.ask("GET", path, undefined, app.as.user)).body;
  const { items } = data as { items: LogView[] };
  expect(new Set(items.map(({ user_id: owner }) => owner))).toEqual(new Set([app.ids.user]));
});

test("requests and tokens of the last minute, whatever the range; those of the filter", async () => {
  const mine = { userId: app.ids.user, username: "user", tokenName: "now" };
  const fresh = () => callRecord({ ...mine, createdAt: nowSeconds(), promptTokens: 11, completionTokens: 22 });
  await writeCalls(app.database, [fresh(), fresh(), callRecord({ ...mine, createdAt: nowSeconds() - 90 })]);
  const range = { start_timestamp: NOW - 7000, end_timestamp: NOW - 6000 };
  const rates = async (path: string, query: object, headers?: Record<string, string>) =>
    (await ask(path, { ...range, ...query }, headers)).body.data;
  expect(await rates("stat", {})).toMatchObject({ quota: 0, rpm: 2, tpm: 66 });
  expect(await rates("self/stat", {}, app.as.user)).toMatchObject({ quota: 0, rpm: 2, tpm: 66 });
  expect(await rates("self/stat", {}, app.as.other)).toMatchObject({ rpm: 0, tpm: 0 });
  expect(await rates("stat", { token_name: "ide" })).toMatchObject({ rpm: 0, tpm: 0 });
  expect(await rates("stat", { username: "user", token_name: "now" })).toMatchObject({ rpm: 2, tpm: 66 });
});

describe("who may call", () => {
  test.each(["", "stat", "histogram", "export", "search"])("GET /api/log/%s", async (path) => {
    for (const [name, status, code] of [
      ["user", 200, "permission_denied"],
      ["admin", 200, undefined],
      ["root", 200, undefined],
    ] as const) {
      const answer = await ask(path, {}, app.as[name]);
      expect([name, answer.status, answer.body.code]).toEqual([name, status, code]);
    }
    for (const base of [path, `self/${path}`]) {
      const anonymous = await ask(base, {}, {});
      expect([base, anonymous.status, anonymous.body.success]).toEqual([base, 401, false]);
      expect(anonymous.text).not.toContain("row ");
    }
  });
});
