import { afterAll, beforeAll, expect, test } from "bun:test";
import { isNotNull } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { withOrigin } from "../../../lib/http/request.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { registerUser } from "./register.ts";

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole();
});
afterAll(() => app.close());

let made = 0;
/** The code of the refusal, or null for a new account. */
const register = async (ip: string): Promise<string | null> => {
  made += 1;
  const account = { username: `new${made}`, password: "long enough" };
  try {
    await withOrigin({ ip, requestId: "" }, () => registerUser(app, account));
    return null;
  } catch (error) {
    if (error instanceof OperationError) return error.code;
    throw error;
  }
};
const counted = () => app.db.select({ from: users.registeredFrom }).from(users).where(isNotNull(users.registeredFrom));

test("nobody is counted while the site has no limit", async () => {
  expect(await register("203.0.113.1")).toBeNull();
  expect(await counted()).toEqual([]);
});

test("of many at a time so many come about, and of those refused nothing stays", async () => {
  await app.settings.set("RegistrationsPerAddress", "2");
  const answers = await Promise.all(Array.from({ length: 8 }, () => register("203.0.113.2")));
  expect(answers.filter((code) => code === null)).toHaveLength(2);
  expect(new Set(answers)).toEqual(new Set([null, "registrations_from_address"]));
  expect(await counted()).toHaveLength(2);
  expect(await register("203.0.113.3")).toBeNull();
});

test("an IPv6 network counts as one address", async () => {
  expect([await register("2001:db8::1"), await register("2001:db8::2"), await register("2001:db8::3")]).toEqual([
    null,
    null,
    "registrations_from_address",
  ]);
  expect(await register("2001:db8:0:1::1")).toBeNull();
});

test("after a day the address may register again, and is forgotten", async () => {
  await app.db.update(users).set({ createdAt: nowSeconds() - 86_401 });
  expect(await register("203.0.113.2")).toBeNull();
  expect((await counted()).filter(({ from }) => from === "203.0.113.2")).toHaveLength(1);
});
