import { afterAll, beforeAll, expect, test } from "bun:test";
import { drawingTasks, mediaTasks } from "../../db/schema/tasks.ts";
import { taskRoutes } from "./tasks.ts";
import { startTestConsole, type TestConsole } from "./testing.ts";

let app: TestConsole;
let ann: Record<string, string>;
let admin: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => taskRoutes(services, guarded));
  const annId = await app.addUser("ann");
  const bobId = await app.addUser("bob");
  await app.addUser("admin", "admin");
  ann = await app.login("ann");
  admin = await app.login("admin");
  const drawing = { action: "IMAGINE", createdAt: 1 };
  await app.db.insert(drawingTasks).values([
    { ...drawing, userId: annId, mjId: "a", channelId: 7, submitTime: 1_700_000_000_000 },
    { ...drawing, userId: bobId, mjId: "b", channelId: 8, submitTime: 1_700_000_001_000 },
  ]);
  const media = { createdAt: 1, updatedAt: 1, action: "MUSIC" };
  await app.db.insert(mediaTasks).values([
    { ...media, userId: annId, taskId: "a", platform: "suno", channelId: 7, submitTime: 1_700_000_000 },
    { ...media, userId: bobId, taskId: "b", platform: "kling", channelId: 8, submitTime: 1_700_000_001 },
  ]);
});
afterAll(() => app.close());

type Listed = { items: Record<string, unknown>[]; total: number };
const list = async (path: string, headers: Record<string, string>) =>
  (await app.ask("GET", `/api/${path}`, undefined, headers)).body.data as Listed;
const idsOf = ({ items }: Listed) => items.map(({ mj_id, task_id }) => mj_id ?? task_id);

test.each(["mj", "task"])(
  "/api/%s: an administrator sees everybody's, newest first, with the channel",
  async (path) => {
    const all = await list(`${path}/`, admin);
    expect(idsOf(all)).toEqual(["b", "a"]);
    expect(all).toMatchObject({ total: 2, items: [{ channel_id: 8 }, { channel_id: 7 }] });
    expect(idsOf(await list(`${path}/?channel_id=7`, admin))).toEqual(["a"]);
    expect(idsOf(await list(`${path}/?page_size=1&p=2`, admin))).toEqual(["a"]);
  },
);

test.each(["mj", "task"])(
  "/api/%s/self: users see their own only, whatever they ask for, and no channel",
  async (path) => {
    for (const query of ["", "?user_id=2", "?channel_id=8"]) {
      const own = await list(`${path}/self${query}`, ann);
      expect(idsOf(own)).toEqual(["a"]);
      expect(own.items[0]).not.toHaveProperty("channel_id");
    }
    expect(idsOf(await list(`${path}/self?${path === "mj" ? "mj_id" : "task_id"}=b`, ann))).toEqual([]);
  },
);

test.each(["mj/", "task/"])("/api/%s is refused to users and visitors", async (path) => {
  expect((await app.ask("GET", `/api/${path}`, undefined, ann)).body).toMatchObject({ success: false });
  expect((await app.ask("GET", `/api/${path}self`)).status).toBe(401);
});

test("times narrow the lists, milliseconds for drawings and seconds for the rest", async () => {
  expect(idsOf(await list("mj/?start_timestamp=1700000000500", admin))).toEqual(["b"]);
  expect(idsOf(await list("mj/?end_timestamp=1700000000500", admin))).toEqual(["a"]);
  expect(idsOf(await list("task/?start_timestamp=1700000001", admin))).toEqual(["b"]);
  expect(idsOf(await list("task/?end_timestamp=1700000000", admin))).toEqual(["a"]);
});

test("platform, action and status narrow the other tasks", async () => {
  expect(idsOf(await list("task/?platform=kling&action=MUSIC&status=NOT_START", admin))).toEqual(["b"]);
  expect(idsOf(await list("task/?status=SUCCESS", admin))).toEqual([]);
});
