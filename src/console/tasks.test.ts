import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { drawingTasks, mediaTasks } from "../../db/schema/tasks.ts";
import { startTestConsole, type TestConsole } from "../../test/support/console/start-console.ts";
import { keepReason } from "../lib/reason.ts";
import { taskRoutes } from "./tasks.ts";

let app: TestConsole;
const as: Record<string, Record<string, string>> = {};
const ids: Record<string, number> = {};
const START_S = 1_700_000_000;
const LATE = keepReason({ code: "why_task_timeout" });

beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => taskRoutes(services, guarded));
  for (const [name, role] of [
    ["ann", "user"],
    ["bob", "user"],
    ["admin", "admin"],
    ["root", "root"],
  ] as const) {
    ids[name] = await app.addUser(name, role);
    as[name] = await app.login(name);
  }
  const [ann = 0, bob = 0] = [ids.ann, ids.bob];
  const drawing = { action: "IMAGINE", createdAt: 1 };
  await app.db.insert(drawingTasks).values([
    { ...drawing, userId: ann, mjId: "a", channelId: 7, submitTime: START_S * 1000, failReason: LATE },
    { ...drawing, userId: bob, mjId: "b", channelId: 8, submitTime: START_S * 1000 + 1000 },
    { ...drawing, userId: ann, mjId: "c", channelId: 8, submitTime: START_S * 1000 + 2000 },
  ]);
  const media = { createdAt: 1, updatedAt: 1, action: "MUSIC" };
  await app.db.insert(mediaTasks).values([
    { ...media, userId: ann, taskId: "a", platform: "suno", channelId: 7, submitTime: START_S, failReason: LATE },
    { ...media, userId: bob, taskId: "b", platform: "kling", channelId: 8, submitTime: START_S + 1, action: "VIDEO" },
    { ...media, userId: ann, taskId: "c", platform: "suno", channelId: 8, submitTime: START_S + 2, status: "SUCCESS" },
  ]);
});
afterAll(() => app.close());

const ask = async (path: string, who: string) => (await app.ask("GET", `/api/${path}`, undefined, as[who])).body;
const list = async (path: string, who: string) =>
  ((await ask(path, who)).data as Record<string, unknown>[]).map(({ mj_id, task_id }) => mj_id ?? task_id).join();

describe.each(["mj", "task"])("/api/%s", (path) => {
  test.each(["admin", "root"])("%s sees everybody's, newest first, with the channel", async (who) => {
    const all = await ask(`${path}/`, who);
    expect(all).toMatchObject({ success: true, total: 3, page: 0, page_size: 10 });
    expect(all.data).toMatchObject([{ channel_id: 8 }, { channel_id: 8 }, { channel_id: 7 }]);
    expect(await list(path, who)).toBe("c,b,a");
    expect(await list(`${path}/self`, who)).toBe("");
  });

  test("pages count from 0, the total is next to the rows", async () => {
    expect(await ask(`${path}/?p=0&page_size=2`, "admin")).toMatchObject({ total: 3, page: 0, page_size: 2 });
    expect(await list(`${path}/?p=0&page_size=2`, "admin")).toBe("c,b");
    expect(await list(`${path}/?p=1&page_size=2`, "admin")).toBe("a");
    expect(await list(`${path}/?p=2&page_size=2`, "admin")).toBe("");
    expect(await list(`${path}/self?p=1&page_size=1`, "ann")).toBe("a");
    expect(await ask(`${path}/?page_size=5000`, "admin")).toMatchObject({ page_size: 100 });
  });

  test("users see their own, whatever they ask for, and no channel", async () => {
    const own = await ask(`${path}/self`, "ann");
    expect(own.total).toBe(2);
    for (const row of own.data as object[]) expect(row).not.toHaveProperty("channel_id");
    for (const query of [`user_id=${ids.bob}`, `userId=${ids.bob}`, "username=bob", "channel_id=8", "channel_id=7"]) {
      expect(await list(`${path}/self?${query}`, "ann")).toBe("c,a");
    }
    const idName = path === "mj" ? "mj_id" : "task_id";
    expect(await list(`${path}/self?${idName}=b`, "ann")).toBe("");
    expect(await list(`${path}/self?${idName}=a`, "bob")).toBe("");
  });

  test("why a task failed is shown in the reader's language", async () => {
    const reasons = async (where: string, who: string, language: string) => {
      const headers = { ...as[who], "accept-language": language };
      const { data } = (await app.ask("GET", `/api/${path}/${where}`, undefined, headers)).body;
      return (data as { fail_reason: string }[]).map(({ fail_reason }) => fail_reason);
    };
    expect(await reasons("", "admin", "zh")).toEqual(["", "", "超时"]);
    expect(await reasons("self", "ann", "zh-CN")).toEqual(["", "超时"]);
    expect(await reasons("self", "ann", "en")).toEqual(["", "timeout"]);
  });

  test("users and visitors are refused what is everybody's, visitors all", async () => {
    expect(await ask(path, "ann")).toMatchObject({ success: false, code: "permission_denied" });
    expect((await app.ask("GET", `/api/${path}/`)).status).toBe(401);
    expect((await app.ask("GET", `/api/${path}/self`)).status).toBe(401);
  });

  test.each(["p=x", "channel_id=1.5", "start_timestamp=1e300", "end_timestamp=-1e300"])(
    "%s is refused",
    async (query) => {
      expect((await app.ask("GET", `/api/${path}/?${query}`, undefined, as.admin)).status).toBe(400);
    },
  );
});

test.each([
  ["channel_id=7", "a", "c,a"],
  ["channel_id=8", "c,b", "c,a"],
  ["channel_id=9", "", "c,a"],
  ["channel_id=", "c,b,a", "c,a"],
  ["mj_id=b", "b", ""],
  ["mj_id=c", "c", "c"],
  ["mj_id=", "c,b,a", "c,a"],
  [`start_timestamp=${START_S * 1000 + 500}`, "c,b", "c"],
  [`start_timestamp=${START_S * 1000 + 2000}`, "c", "c"],
  [`end_timestamp=${START_S * 1000 + 500}`, "a", "a"],
  [`end_timestamp=${START_S * 1000 + 1000}`, "b,a", "a"],
  [`start_timestamp=${START_S * 1000 + 1}&end_timestamp=${START_S * 1000 + 1999}`, "b", ""],
  ["start_timestamp=&end_timestamp=", "c,b,a", "c,a"],
])("drawings with %s (milliseconds)", async (query, everybodys, own) => {
  expect([await list(`mj/?${query}`, "admin"), await list(`mj/self?${query}`, "ann")]).toEqual([everybodys, own]);
});

test.each([
  ["channel_id=7", "a", "c,a"],
  ["task_id=b", "b", ""],
  ["task_id=a", "a", "a"],
  ["platform=kling", "b", ""],
  ["platform=suno", "c,a", "c,a"],
  ["action=MUSIC", "c,a", "c,a"],
  ["action=VIDEO", "b", ""],
  ["status=SUCCESS", "c", "c"],
  ["status=NOT_START", "b,a", "a"],
  ["platform=suno&status=NOT_START&action=MUSIC&channel_id=7", "a", "a"],
  [`start_timestamp=${START_S + 1}`, "c,b", "c"],
  [`end_timestamp=${START_S}`, "a", "a"],
  ["platform=&action=&status=&task_id=&channel_id=&start_timestamp=&end_timestamp=", "c,b,a", "c,a"],
])("other tasks with %s (seconds)", async (query, everybodys, own) => {
  expect([await list(`task/?${query}`, "admin"), await list(`task/self?${query}`, "ann")]).toEqual([everybodys, own]);
});
