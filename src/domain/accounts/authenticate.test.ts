import { describe, expect, test } from "bun:test";
import { sessionUser } from "./authenticate.ts";
import type { UserEntry } from "./directory.ts";

const user: UserEntry = {
  id: 5,
  username: "eve",
  displayName: "",
  role: 1,
  adminRoleId: null,
  status: 1,
  group: "default",
  deleted: false,
  kind: "person",
  acceptUnsetPrice: false,
  sessionVersion: 1,
  maxConcurrency: 0,
  requestsPerMinute: 0,
};
const services = (status: number) => ({
  users: {
    get: () => ({ ...user, status }),
    isComplete: () => true,
    rows: () => [],
    reread: async () => undefined,
    close() {},
  },
  sessions: {
    find: async (value: string) => (value === "known" ? { id: "", userId: 5, version: 1, expiresAt: 1 } : null),
    start: async () => "",
    end: async () => {},
    close() {},
  },
});
const call = (headers: Record<string, string>) => new Request("http://gateway.test/pg/chat/completions", { headers });

describe("the user of a session", () => {
  test("is known by cookie and id header together", async () => {
    const own = call({ cookie: "a=b; session=known; c=d", "veloera-user": "5" });
    expect(await sessionUser(services(1), own)).toMatchObject({ id: 5 });
    expect(await sessionUser(services(2), own)).toBeNull();
    expect(await sessionUser(services(1), call({ cookie: "session=other", "veloera-user": "5" }))).toBeNull();
    expect(await sessionUser(services(1), call({ authorization: "session=known" }))).toBeNull();
    expect(await sessionUser(services(1), call({ cookie: "session=known" }))).toBeNull();
    expect(await sessionUser(services(1), call({ cookie: "session=known", "user-id": "6" }))).toBeNull();
  });
});
