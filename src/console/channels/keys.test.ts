import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import {
  idle,
  startFakeUpstream,
  startTestOperations,
  type TestOperations,
} from "../../../test/support/console/operations.ts";
import { disableChannelKey } from "../../domain/channels/keys/key-status.ts";
import type { KeyView } from "../../domain/channels/keys/manage-keys.ts";
import type { LiveView } from "../../domain/channels/manage/channel-view.ts";

const FIRST = "sk-first-key-000001";
const SECOND = "sk-second-key-00002";

let app: TestOperations;
let upstream: ReturnType<typeof startFakeUpstream>;
beforeAll(async () => {
  app = await startTestOperations();
  upstream = startFakeUpstream();
});
afterAll(async () => {
  upstream.stop();
  await app.close();
});

const call = async (method: string, path: string, body?: unknown, headers = app.as.admin) =>
  (await app.ask(method, path, body, headers)).body as {
    success: boolean;
    message: string;
    code?: string;
    data: never;
  };
const create = async () => {
  const channel = { name: "two keys", key: `${FIRST},${SECOND}`, models: "m", base_url: upstream.url };
  return ((await call("POST", "/api/channel/", channel)).data as { id: number }).id;
};
const healthOf = async (id: number, language = "en") => {
  const headers = { ...app.as.admin, "accept-language": language };
  return (await call("GET", `/api/channel/${id}/health`, undefined, headers)).data as LiveView & { keys: KeyView[] };
};
const keysOf = async (id: number, language = "en") => (await healthOf(id, language)).keys;
const idOf = (key: string) => app.vault.keyedHash(key);
const switchTo = (id: number, key: string, enabled: boolean) =>
  call("POST", `/api/channel/${id}/keys/status`, { key: idOf(key), enabled });

test.each([
  ["GET", "/api/channel/1/health"],
  ["POST", "/api/channel/1/keys/status"],
  ["POST", "/api/channel/1/keys/test"],
])("%s %s: administrators only", async (method, path) => {
  const body = method === "GET" ? undefined : {};
  expect((await call(method, path, body, app.as.user)).code).toBe("permission_denied");
  expect((await app.ask(method, path, body, {})).status).toBe(401);
});

test("each key is shown masked, with its state and its last hour", async () => {
  const id = await create();
  await disableChannelKey(app, id, SECOND, "401: no");
  const busy = { inFlight: 2, calls: 9, failed: 3, latencyMs: 120 };
  const [one, two] = idle(2).keys;
  if (!one || !two) throw new Error("two keys were asked for");
  const keys = [{ ...one, ...busy, isCooling: true, coolingUntil: 99, failures: 3 }, two];
  app.lives.set(id, { ...idle(2), ...busy, keys });
  const { keys: shown, ...channel } = await healthOf(id);
  expect(channel).toMatchObject({ health: "cooling", in_flight: 2, calls: 9, failed: 3, latency_ms: 120 });
  expect(channel.slots).toHaveLength(12);
  expect(shown).toMatchObject([
    {
      id: idOf(FIRST),
      index: 0,
      masked: "sk-f••••0001",
      status: 1,
      cooling_until: 99,
      failures: 3,
      in_flight: 2,
      calls: 9,
      failed: 3,
      latency_ms: 120,
    },
    { index: 1, masked: "sk-s••••0002", status: 3, reason: "401: no", in_flight: 0, latency_ms: null },
  ]);
  expect(JSON.stringify(shown)).not.toContain(FIRST);
});

test("one key is switched by hand; the last takes the channel with it, and brings it back", async () => {
  const id = await create();
  expect((await switchTo(id, FIRST, false)).data as boolean).toBe(true);
  expect(await keysOf(id)).toMatchObject([{ status: 2, reason: "Disabled by admin" }, { status: 1 }]);
  expect(await keysOf(id, "zh")).toMatchObject([{ reason: "由 admin 手动禁用" }, {}]);
  expect(app.channels.get(id)).toMatchObject({ status: 1, disabledKeys: new Set([FIRST]) });
  await switchTo(id, SECOND, false);
  expect(app.channels.get(id)?.status).toBe(2);
  await switchTo(id, SECOND, true);
  expect(app.channels.get(id)).toMatchObject({ status: 1, disabledKeys: new Set([FIRST]) });
  const rows = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);
  expect(rows.at(-1)?.content).toBe(`Enabled key sk-s••••0002 of channel two keys (#${id})`);
});

test("the key that is named is the one that is tested", async () => {
  const id = await create();
  upstream.answerWith(({ headers }) =>
    headers.authorization === `Bearer ${SECOND}`
      ? Response.json({
          id: "1",
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: "hi" } }],
        })
      : Response.json({ error: { message: `bad key ${FIRST}` } }, { status: 401 }),
  );
  const ask = (key: string) => call("POST", `/api/channel/${id}/keys/test`, { key: idOf(key) });
  expect(await ask(SECOND)).toMatchObject({ success: true, data: { model: "m" }, time: expect.any(Number) });
  const refused = await ask(FIRST);
  expect(refused).toMatchObject({ success: false, message: "The test failed: HTTP 401: bad key ***" });
  expect((await call("GET", `/api/channel/${id}`)).data).toMatchObject({ test_time: 0 });
});

test("missing keys and channels are reported", async () => {
  const id = await create();
  expect((await switchTo(id, "sk-another-key-9999", false)).code).toBe("channel_key_unknown");
  expect((await call("GET", "/api/channel/999999/health")).code).toBe("channel_not_found");
});
