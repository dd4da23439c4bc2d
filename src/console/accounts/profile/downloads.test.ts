import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";

let app: TestConsole;
let admin: Record<string, string>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("boss", "admin");
  await app.addUser("ann");
  admin = await app.login("boss");
  user = await app.login("ann");
});
afterAll(() => app.close());

/** What a browser sends when it fetches a file by itself. */
const cookieOf = ({ cookie = "" }: Record<string, string>) => ({ cookie });
const issue = async (address: string, headers: Record<string, string>) =>
  (await app.ask("POST", "/api/user/self/download", { address }, headers)).body;
const addressFor = async (address: string, headers: Record<string, string>) =>
  ((await issue(address, headers)).data as { address: string }).address;
const open = (address: string, headers: Record<string, string>) => app.ask("GET", address, undefined, headers);

describe("a file that the browser fetches by itself", () => {
  test("needs no header with its ticket, and comes once", async () => {
    const address = await addressFor("/api/user/export?keyword=ann%26&group=%E4%B8%AD", admin);
    const { status, headers, text } = await open(address, cookieOf(admin));
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="users-[\d-]+\.csv"$/);
    expect(text).toContain("username");
    const again = await open(address, cookieOf(admin));
    expect([again.status, again.body.code]).toEqual([401, "download_ticket_invalid"]);
  });

  test("is refused without ticket, with another session, and at another address", async () => {
    expect((await open("/api/user/export", cookieOf(admin))).body.code).toBe("user_header_missing");
    const address = await addressFor("/api/user/export?keyword=ann", admin);
    for (const [changed, headers] of [
      [address, cookieOf(user)],
      [address.replace("ann", "bob"), cookieOf(admin)],
      [address.replace("/export?", "/search?"), cookieOf(admin)],
      [`${address}&keyword=`, cookieOf(admin)],
    ] as const) {
      expect((await open(changed, headers)).status).toBe(401);
    }
    expect((await open(address, {})).body.code).toBe("not_logged_in");
  });

  test("asks for the role all the same, and a ticket is for files only", async () => {
    const address = await addressFor("/api/user/export", user);
    expect((await open(address, cookieOf(user))).body.code).toBe("permission_denied");
    for (const list of ["log", "log/self", "user", "redemption", "topup", "audit"])
      expect(await issue(`/api/${list}/export?keyword=x`, user)).toMatchObject({ success: true });
    for (const other of ["/api/user/self", "/api/user/self/export?with_keys=true", "https://evil.test/api/log/export"])
      expect((await issue(other, user)).code).toBe("download_unknown");
    expect((await app.ask("POST", "/api/user/self/download", { address: "/api/log/export" })).status).toBe(401);
  });
});

describe("the account's data", () => {
  const begin = async (body: object) => (await app.ask("POST", "/api/user/self/export/download", body, user)).body;

  test("with keys only after the password, which the ticket stands for", async () => {
    expect((await begin({ with_keys: true, password: "wrong password" })).code).toBe("owner_password_wrong");
    const { data } = await begin({ with_keys: true, password: TEST_PASSWORD });
    const { address } = data as { address: string };
    const { headers, text } = await open(address, cookieOf(user));
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="account-[\d-]+\.ndjson"$/);
    expect(text.split("\n")[0]).toContain('"username":"ann"');
  });

  test("a ticket without keys brings none, and without a ticket there is nothing", async () => {
    const { data } = await begin({});
    const { address } = data as { address: string };
    expect((await open(address.replace("with_keys=false", "with_keys=true"), cookieOf(user))).status).toBe(401);
    const forged = "/api/user/self/export?with_keys=true&download_ticket=abc";
    expect((await open(forged, user)).body.code).toBe("download_ticket_invalid");
    expect((await open("/api/user/self/export?with_keys=true", user)).body.success).toBe(false);
  });
});
