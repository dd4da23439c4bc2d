import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { createCallFeed, type LiveCall } from "../../domain/logs/live/call-feed.ts";
import type { LiveCalls } from "../../domain/logs/live/stream-calls.ts";
import { readEvents } from "../../lib/http/sse.ts";
import { liveRoutes } from "./logs.ts";

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
  error_reason: null,
  elapsed_ms: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  quota: 0,
  ip: "",
});

/** What a stream has sent so far, and its end. */
function follow(stream: ReadableStream<Uint8Array> | null) {
  const events: LiveCalls[] = [];
  const read = async () => {
    for await (const chunk of stream ?? []) {
      for (const { data } of readEvents(Buffer.from(chunk).toString())) events.push(JSON.parse(data) as LiveCalls);
    }
  };
  return { events, calls: () => events.flatMap(({ calls }) => calls), end: read() };
}

test("only administrators watch", async () => {
  expect((await app.ask("GET", "/api/live/calls")).status).toBe(401);
  const user = await app.login("user");
  expect((await app.ask("GET", "/api/live/calls", undefined, user)).body.code).toBe("permission_denied");
});

test("calls come as they begin and end, those of other replicas from the log, none twice, and the end is reported", async () => {
  const admin = await app.login("admin");
  await write("before");
  expect(feed.isWatched).toBe(false);
  feed.publish(call("unseen", false));
  const { headers, body } = await app.send("GET", "/api/live/calls", undefined, admin);
  expect(headers.get("content-type")).toStartWith("text/event-stream");
  const { events, calls, end } = follow(body);
  expect(feed.isWatched).toBe(true);
  feed.publish(call("mine", false));
  const fromLog = () => calls().filter(({ request_id }) => request_id.startsWith("theirs"));
  // Rows are reported after the first read of the log, which only finds where it ends.
  let rows = 0;
  await until(async () => {
    rows += 1;
    await write(`theirs-${rows}`);
    return fromLog().length > 0;
  });
  const reason = { code: "gateway_empty" } as const;
  feed.publish({ ...call("mine", true), error: "The upstream's response was empty.", error_reason: reason });
  await write("mine");
  await write("theirs-last");
  await until(() => fromLog().some(({ request_id }) => request_id === "theirs-last"));
  for (let index = 0; index < 150; index += 1) feed.publish(call(`many-${index}`, false));
  const skipped = () => events.reduce((sum, { skipped }) => sum + skipped, 0);
  const many = () => calls().filter(({ request_id }) => request_id.startsWith("many"));
  await until(() => many().length + skipped() >= 150);
  feed.close();
  await end;
  // A process on its way out sends away who comes back over a connection that is still open.
  expect((await app.ask("GET", "/api/live/calls", undefined, admin)).status).toBe(200);
  const ids = calls().map(({ request_id }) => request_id);
  expect(
    calls()
      .filter(({ request_id }) => request_id === "mine")
      .map(({ is_over, error, error_reason }) => [is_over, error, error_reason]),
  ).toEqual([
    [false, "", null],
    [true, "The upstream's response was empty.", reason],
  ]);
  expect(fromLog().at(-1)).toMatchObject({ is_over: true, model_name: "gpt-4o" });
  expect(new Set(fromLog().map(({ request_id }) => request_id)).size).toBe(fromLog().length);
  expect(ids).not.toContain("before");
  expect(ids).not.toContain("unseen");
  expect(many().length + skipped()).toBe(150);
  expect(events.every(({ calls: some }) => some.length <= 100)).toBe(true);
});
