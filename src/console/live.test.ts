import { afterAll, beforeAll, expect, test } from "bun:test";
import { createCallFeed, type LiveCall } from "../logs/call-feed.ts";
import type { LiveCalls } from "../logs/stream-calls.ts";
import { callRecord, writeCalls } from "../logs/testing.ts";
import { liveRoutes } from "./live.ts";
import { startTestConsole, type TestConsole } from "./testing.ts";

const feed = createCallFeed();
let app: TestConsole;
let write: (requestId: string) => Promise<void>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => {
    write = (requestId) => writeCalls(services.database, [callRecord({ requestId })]);
    // As on a server, where other replicas write into the log too.
    return liveRoutes({ ...services, database: { ...services.database, kind: "server" }, feed }, guarded);
  });
  await app.addUser("user");
  await app.addUser("admin", "admin");
});
afterAll(() => app.close());

const call = (request_id: string, is_over: boolean): LiveCall => ({
  request_id,
  is_over,
  created_at: 1,
  user_id: 1,
  username: "ann",
  token_name: "ide",
  model_name: "gpt-4o",
  channel: 0,
  channel_name: "",
  group: "default",
  is_stream: false,
  failed: false,
  status: 0,
  error: "",
  elapsed_ms: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  quota: 0,
  ip: "",
});

const eventsIn = (text: string): LiveCalls[] =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as LiveCalls] : []));

test("only administrators watch", async () => {
  expect((await app.ask("GET", "/api/live/calls")).status).toBe(401);
  const user = await app.login("user");
  expect((await app.ask("GET", "/api/live/calls", undefined, user)).body.code).toBe("permission_denied");
});

test("calls come as they begin and end, those of other replicas from the log, none twice, and the end is told", async () => {
  const admin = await app.login("admin");
  await write("before");
  let told = 0;
  feed.tell(() => {
    told += 1;
    return call("unseen", false);
  });
  expect(told).toBe(0);
  const watched = app.ask("GET", "/api/live/calls", undefined, admin);
  await Bun.sleep(100);
  feed.tell(() => call("mine", false));
  // The first look at the log finds where it ends.
  await Bun.sleep(2000);
  feed.tell(() => call("mine", true));
  await write("mine");
  await write("theirs");
  for (let index = 0; index < 150; index += 1) feed.tell(() => call(`many-${index}`, false));
  await Bun.sleep(2500);
  feed.close();
  const { headers, text } = await watched;
  // A process on its way out sends away who comes back over a connection that is still open.
  expect((await app.ask("GET", "/api/live/calls", undefined, admin)).status).toBe(200);
  expect(headers.get("content-type")).toStartWith("text/event-stream");
  const events = eventsIn(text);
  const calls = events.flatMap((event) => event.calls);
  expect(calls.filter(({ request_id }) => request_id === "mine").map(({ is_over }) => is_over)).toEqual([false, true]);
  expect(calls.filter(({ request_id }) => request_id === "theirs")).toMatchObject([
    { is_over: true, model_name: "gpt-4o" },
  ]);
  expect(calls.some(({ request_id }) => request_id === "before" || request_id === "unseen")).toBe(false);
  expect(calls.length + events.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(153);
  expect(events.every(({ calls: some }) => some.length <= 100)).toBe(true);
});
