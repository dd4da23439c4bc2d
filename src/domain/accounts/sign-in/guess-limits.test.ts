import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { REDIS, startRedis } from "../../../../test/support/lib/redis/start-redis.ts";
import { createSharedLimits, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import type { RoleName } from "../access/roles.ts";
import { createGuessLimits, type GuessLimits } from "./guess-limits.ts";
import { signInWithPassword } from "./sign-in.ts";
import { rememberOrigin, type SignInOrigin } from "./sign-in-origins.ts";

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole();
});
afterAll(() => app.close());

const ADDRESS_LIMIT = { count: 20, windowMs: 1_200_000 };
const from = (address: string, device: string | null = null): SignInOrigin => ({ address, deviceOf: () => device });

/** `in`, or why not. */
async function signIn(limits: GuessLimits, username: string, password: string, origin: SignInOrigin): Promise<string> {
  return signInWithPassword({ ...app, limits }, { username, password }, origin).then(
    () => "in",
    (error) => error.code,
  );
}

const attack = (limits: readonly GuessLimits[], username: string, addresses: readonly string[], tries: number) =>
  Promise.all(
    addresses.flatMap((address) =>
      Array.from({ length: tries }, (_, index) =>
        signIn(limits[index % limits.length] as GuessLimits, username, "wrong password", from(address)),
      ),
    ),
  );

/** Several processes that count together, or one alone. */
function examine(processes: () => readonly GuessLimits[]) {
  test.each(["user", "root"] as const)(
    "two addresses with 20 guesses each do not keep out a %s",
    async (role: RoleName) => {
      const name = `${role}-${crypto.randomUUID().slice(0, 6)}`;
      const id = await app.addUser(name, role);
      const device = await rememberOrigin(app.db, id, from("192.0.2.80"));
      const limits = processes();
      const outcomes = await attack(limits, name, ["192.0.2.1", "192.0.2.2"], 20);
      expect(outcomes.filter((outcome) => outcome === "login_failed")).toHaveLength(20);
      expect(outcomes.filter((outcome) => outcome === "login_throttled")).toHaveLength(20);
      for (const process of limits) {
        // From a new address, from the one of the last sign-in, and even from the attacker's by the device.
        expect(await signIn(process, name, TEST_PASSWORD, from("192.0.2.9"))).toBe("in");
        expect(await signIn(process, name, TEST_PASSWORD, from("192.0.2.80"))).toBe("in");
        expect(await signIn(process, name, TEST_PASSWORD, from("192.0.2.1", device))).toBe("in");
        expect(await signIn(process, name, TEST_PASSWORD, from("192.0.2.1"))).toBe("login_throttled");
        expect(await signIn(process, name, TEST_PASSWORD, from("192.0.2.1", "planted"))).toBe("login_throttled");
      }
    },
  );

  test("an address that signed in before passes although somebody guesses from there", async () => {
    const name = `nat-${crypto.randomUUID().slice(0, 6)}`;
    const id = await app.addUser(name);
    await rememberOrigin(app.db, id, from("198.51.100.7"));
    const [process] = processes();
    if (!process) throw new Error("no process");
    await attack([process], name, ["198.51.100.7"], 40);
    expect(await signIn(process, name, TEST_PASSWORD, from("198.51.100.7"))).toBe("in");
    // The one count there has an end too.
    await attack([process], name, ["198.51.100.7"], 110);
    expect(await signIn(process, name, TEST_PASSWORD, from("198.51.100.7"))).toBe("login_throttled");
    expect(await signIn(process, name, TEST_PASSWORD, from("198.51.100.8"))).toBe("in");
  });

  test("an address that tries many accounts waits; right passwords do not count", async () => {
    const [process] = processes();
    if (!process) throw new Error("no process");
    const address = `203.0.113.${Math.floor(Math.random() * 200)}`;
    const name = `off-${crypto.randomUUID().slice(0, 6)}`;
    await app.addUser(name);
    for (let times = 0; times < 30; times += 1) {
      expect(await signIn(process, name, TEST_PASSWORD, from(address))).toBe("in");
    }
    const names = Array.from({ length: 25 }, (_, index) => `nobody-${index}`);
    const outcomes = await Promise.all(names.map((other) => signIn(process, other, "wrong", from(address))));
    expect(outcomes.filter((outcome) => outcome === "login_failed")).toHaveLength(20);
    expect(await signIn(process, name, TEST_PASSWORD, from(address))).toBe("login_throttled");
  });
}

describe("guesses at passwords", () => {
  examine(() => [createGuessLimits(null, ADDRESS_LIMIT)]);

  test("from an unknown address are counted by account alone, apart from known devices", async () => {
    const id = await app.addUser("socket");
    const device = await rememberOrigin(app.db, id, from(""));
    const limits = createGuessLimits(null, ADDRESS_LIMIT);
    await attack([limits], "socket", [""], 12);
    expect(await signIn(limits, "socket", TEST_PASSWORD, from(""))).toBe("login_throttled");
    expect(await signIn(limits, "socket", TEST_PASSWORD, from("", device))).toBe("in");
  });
});

describe.if(REDIS !== undefined)("guesses at passwords, counted by several processes in Redis", () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const shared: SharedLimits[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    const log = createLogger({ logLevel: "silent", logFormat: "json" });
    for (let count = 0; count < 2; count += 1) shared.push(createSharedLimits(redis.url, log, { timeoutMs: 10_000 }));
  }, 240_000);
  afterAll(async () => {
    for (const limits of shared) limits.close();
    await redis.end();
  });
  examine(() => shared.map((limits) => createGuessLimits(limits, ADDRESS_LIMIT)));
});
