import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { startMailServer } from "../../../test/support/notifications.ts";
import { createMailer } from "../../domain/notifications/mail.ts";
import { CHECKS } from "../../domain/system/diagnostics/run-checks.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { doctorRoutes } from "./diagnostics.ts";

let app: TestConsole;
let root: Record<string, string>;
beforeAll(async () => {
  const policy = createAddressPolicy(true);
  app = await startTestConsole(undefined, async (services, guarded) =>
    doctorRoutes(
      {
        ...services,
        config: { dataDir: services.database.dataDir, encryptionKey: null, trustedProxies: [] },
        reads: { replica: () => null },
        channels: { all: () => [] },
        fetch: createSafeFetch(policy),
        ownFetch: createSafeFetch(policy),
        mailer: createMailer({ ...services, policy }),
        sharedLimits: null,
        benchmark: async () => ({ calls: 200, p50Ms: 1, p99Ms: 2, perSecond: 2000 }),
        running: null,
      },
      guarded,
    ),
  );
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

test("each check reports in the reader's language", async () => {
  const { checks } = (await app.ask("GET", "/api/doctor/", undefined, root)).body.data as { checks: object[] };
  expect(checks).toHaveLength(CHECKS.length);
  for (const check of CHECKS) {
    const { body } = await app.ask("GET", `/api/doctor/${check}`, undefined, { ...root, "accept-language": "zh" });
    const report = body.data as { check: string; state: string; findings: { found: string; fix: string | null }[] };
    expect(report).toMatchObject({ check, state: expect.stringMatching(/^(ok|warn|fail|skip)$/) });
    for (const { found } of report.findings) expect(found).not.toMatch(/\{\w+\}/);
  }
  const { body } = await app.ask("GET", "/api/doctor/channels", undefined, { ...root, "accept-language": "zh" });
  expect(body.data).toMatchObject({
    state: "warn",
    findings: [{ state: "warn", found: "没有已启用的渠道。", fix: "请在渠道页面添加或启用渠道。" }],
  });
});

test("the stream opens with the ticket only", async () => {
  const { stream } = (await app.ask("GET", "/api/doctor/", undefined, root)).body.data as {
    stream: { ticket: string };
  };
  const answer = await app.ask("GET", `/api/doctor/stream?ticket=${stream.ticket}`);
  expect(answer.text).toBe([0, 1, 2, 3, 4, 5].map((count) => `data: ${count}\n\n`).join(""));
  expect((await app.ask("GET", "/api/doctor/stream?ticket=1.a")).status).toBe(403);
});

test("a test mail goes where it should", async () => {
  const server = await startMailServer();
  await app.settings.set("SMTPServer", "127.0.0.1");
  await app.settings.set("SMTPPort", String(server.port));
  await app.settings.set("SMTPFrom", "gate@example.com");
  expect((await app.ask("POST", "/api/doctor/mail", { to: "a@example.com" }, root)).body.success).toBe(true);
  expect(server.received[0]?.to).toEqual(["a@example.com"]);
  expect((await app.ask("POST", "/api/doctor/mail", { to: "a@b.c;d@e.f" }, root)).status).toBe(400);
  await server.stop();
});

test("is for super admins", async () => {
  await app.addUser("admin", "admin");
  const admin = await app.login("admin");
  expect((await app.ask("GET", "/api/doctor/secrets", undefined, admin)).body.code).toBe("permission_denied");
  expect((await app.ask("GET", "/api/doctor/secrets")).status).toBe(401);
});
