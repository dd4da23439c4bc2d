import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { Elysia } from "elysia";
import { startTestConsole } from "../../../test/support/console/start-console.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { deviceRoutes } from "./device.ts";

let app: Awaited<ReturnType<typeof startTestConsole>>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) =>
    new Elysia().use(apiKeyRoutes(services, guarded)).use(deviceRoutes(services, guarded)),
  );
  await app.addUser("mina", "user");
  user = await app.login("mina");
});
afterEach(() => void setSystemTime());
afterAll(() => app.close());

type Codes = { device_code: string; user_code: string; verification_uri_complete: string; interval: number };
const begin = async () =>
  (await app.ask("POST", "/api/device/code", { client: "Claude Code", machine: "laptop" })).body as unknown as Codes;
const poll = async ({ device_code }: Codes) => {
  const { status, body } = await app.ask("POST", "/api/device/token", { device_code });
  return status === 200 ? body : body.error;
};
const ask = async (method: string, path: string, body?: object, headers = user) =>
  (await app.ask(method, path, body, headers)).body;
const keysNow = async () => ((await ask("GET", "/api/token/")) as { data: { name: string }[] }).data;
const later = (seconds: number) => setSystemTime(Date.now() + seconds * 1000);

test("a program gets a key with a name and a limit once its user has confirmed its code, and only once", async () => {
  const codes = await begin();
  expect(codes.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(codes.verification_uri_complete).toBe(`http://gateway.test/device?code=${codes.user_code}`);
  expect(await poll(codes)).toBe("authorization_pending");
  expect(await poll(codes)).toBe("slow_down");
  const request = await ask("GET", `/api/device/request?code=${codes.user_code.toLowerCase()}`);
  expect(request.data).toMatchObject({ client: "Claude Code", machine: "laptop" });
  expect(
    await ask("POST", "/api/device/approve", { code: codes.user_code, name: "agent", daily_quota: 500 }),
  ).toMatchObject({ success: true });
  expect((await ask("POST", "/api/device/approve", { code: codes.user_code, name: "again" })).code).toBe(
    "device_code_invalid",
  );
  const got = (await poll(codes)) as Record<string, unknown>;
  expect(got).toMatchObject({ token_type: "Bearer", key_name: "agent" });
  expect(got.access_token).toMatch(/^sk-\w{48}$/);
  expect(await keysNow()).toMatchObject([
    { name: "agent", budget_period: "day", budget_quota: 500, unlimited_quota: false },
  ]);
  expect(await poll(codes)).toBe("invalid_grant");
  // The program gives it back; nobody else's key goes that way.
  await ask("POST", "/api/token/", { name: "own", unlimited_quota: true });
  const own = (await keysNow()).find(({ name }) => name === "own") as unknown as { key: string };
  for (const token of [String(got.access_token), `sk-${own.key}`, "sk-nothing"]) {
    expect((await app.ask("POST", "/api/device/revoke", { token })).status).toBe(200);
  }
  expect((await keysNow()).map(({ name }) => name)).toEqual(["own"]);
});

test("a code that was denied, or that has expired, gives no key", async () => {
  const denied = await begin();
  expect(await ask("POST", "/api/device/deny", { code: denied.user_code })).toMatchObject({ success: true });
  expect(await poll(denied)).toBe("access_denied");
  const expired = await begin();
  later(601);
  expect((await ask("POST", "/api/device/approve", { code: expired.user_code, name: "late" })).code).toBe(
    "device_code_invalid",
  );
  expect(await poll(expired)).toBe("expired_token");
});

test("a key that no program fetched in time is deleted", async () => {
  const codes = await begin();
  await ask("POST", "/api/device/approve", { code: codes.user_code, name: "unclaimed" });
  expect((await keysNow()).map(({ name }) => name)).toContain("unclaimed");
  later(601);
  await begin();
  expect((await keysNow()).map(({ name }) => name)).not.toContain("unclaimed");
});

test("a refused key leaves the code open", async () => {
  const codes = await begin();
  expect(await ask("POST", "/api/device/approve", { code: codes.user_code, name: "x".repeat(200) })).toMatchObject({
    success: false,
  });
  expect(await poll(codes)).toBe("authorization_pending");
});

test("codes can't be guessed, and addresses can't ask for many", async () => {
  await app.addUser("jonas", "user");
  const other = await app.login("jonas");
  const guess = async () => (await app.ask("GET", "/api/device/request?code=BBBB-BBBB", undefined, other)).status;
  for (let tries = 0; tries < 10; tries += 1) expect(await guess()).toBe(200);
  expect(await guess()).toBe(429);
  const statuses: number[] = [];
  for (let tries = 0; tries < 25; tries += 1)
    statuses.push((await app.ask("POST", "/api/device/code", { client: "x" })).status);
  expect(statuses.at(-1)).toBe(429);
});
