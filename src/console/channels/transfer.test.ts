import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import type { ChannelFileEntry } from "../../domain/channels/manage/transfer.ts";

const KEY = "sk-key-to-keep-secret";
const MAIN = {
  name: "main",
  key: KEY,
  models: "a,b",
  group: "default,vip",
  priority: 3,
  setting: '{"proxy":"http://me:word@proxy.example:1","force_format":true}',
  balance_warn_below: 2.5,
};

let app: TestOperations;
beforeAll(async () => {
  app = await startTestOperations();
  await call("POST", "/api/channel/", MAIN);
  await call("POST", "/api/channel/", { name: "other", key: "sk-other-key-00001", models: "c", type: 14, status: 2 });
});
afterAll(() => app.close());

type Answer = { success: boolean; code?: string; data: never };
const call = async (method: string, path: string, body?: unknown, headers = app.as.root) =>
  (await app.ask(method, path, body, headers)).body as Answer;
const leave = async (body: object, headers?: Record<string, string>) =>
  (await call("POST", "/api/channel/export", body, headers)).data as {
    has_secrets: boolean;
    channels: ChannelFileEntry[];
  };
type Plan = { name: string; action: string; id: number | null; fields: string[]; message: string };
const plan = async (channels: object[]) =>
  (await call("POST", "/api/channel/import/preview", { channels })).data as Plan[];
const named = (name: string) => [...app.channels.all()].find((channel) => channel.name === name);
const lastLog = async () => (await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id)).at(-1)?.content;

test.each([
  ["POST", "/api/channel/export"],
  ["POST", "/api/channel/import/preview"],
  ["POST", "/api/channel/import"],
])("%s %s: administrators only", async (method, path) => {
  expect((await call(method, path, {}, app.as.user)).code).toBe("permission_denied");
  expect((await app.ask(method, path, {}, {})).status).toBe(401);
});

test("a file holds what was entered, keys and passwords only where the super admin asks", async () => {
  const { channels, has_secrets } = await leave({}, app.as.admin);
  expect(has_secrets).toBe(false);
  const { key: _, ...entered } = MAIN;
  expect(channels).toMatchObject([
    { ...entered, type: 1, setting: '{"force_format":true}' },
    { name: "other", type: 14, status: 2 },
  ]);
  expect(JSON.stringify(channels)).not.toContain(KEY);
  expect(await lastLog()).toBe("Exported 2 channels without their keys");
  expect((await call("POST", "/api/channel/export", { secrets: true }, app.as.admin)).code).toBe("permission_denied");
  expect((await leave({ secrets: true })).channels[0]).toMatchObject(MAIN);
  expect(await lastLog()).toBe("Exported 2 channels with their keys");
  const chosen = await leave({ ids: [named("other")?.id] });
  expect(chosen.channels).toMatchObject([{ name: "other" }]);
});

test("a preview says what is new, changed, the same or refused, and changes nothing", async () => {
  const { channels } = await leave({ secrets: true });
  const [main, other] = channels;
  const plans = await plan([
    { ...main, priority: 9, key: `${KEY},sk-second-00000002` },
    { ...other, key: "" },
    { name: "third", type: 1, key: "sk-third-key-0001", models: "x" },
    { name: "keyless", type: 1, models: "x" },
    { ...main, model_mapping: "{" },
  ]);
  expect(plans.map(({ action }) => action)).toEqual(["changed", "same", "new", "refused", "refused"]);
  expect(plans[0]?.fields).toEqual(["priority", "key"]);
  expect(plans[3]?.message).toBe("Enter the channel's name and key.");
  expect([...app.channels.all()]).toHaveLength(2);
});

test("an import does as planned, and the log says how much", async () => {
  const { channels } = await leave({});
  const answer = await call("POST", "/api/channel/import", {
    channels: [
      { ...channels[0], weight: 7, tag: "moved" },
      channels[1],
      { name: "third", type: 1, key: "sk-third-key-0001", models: "x", status: 2 },
      { name: "keyless", type: 1, models: "x" },
    ],
  });
  expect(answer.data as object).toMatchObject({ created: 1, changed: 1, refused: [{ name: "keyless" }] });
  expect(named("main")).toMatchObject({ weight: 7, tag: "moved", keys: [KEY] });
  expect(named("third")).toMatchObject({ name: "third", status: 2, keys: ["sk-third-key-0001"] });
  expect(await lastLog()).toBe("Imported channels: 1 new, 1 changed");
});

test("two channels of one name are met one after the other", async () => {
  for (const key of ["sk-twin-000000001", "sk-twin-000000002"]) {
    await call("POST", "/api/channel/", { name: "twin", key, models: "t" });
  }
  const twins = (await leave({})).channels.filter(({ name }) => name === "twin");
  const plans = await plan([...twins, { ...twins[0], key: "sk-twin-000000003" }]);
  expect(plans.map(({ action }) => action)).toEqual(["same", "same", "new"]);
  expect(new Set(plans.map(({ id }) => id)).size).toBe(3);
});
