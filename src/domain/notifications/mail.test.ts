import { afterEach, describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { startMailServer } from "../../../test/support/notifications.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createMailer, writeMail } from "./mail.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const stop: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of stop.splice(0)) await end();
});

const LETTER = { subject: "你好 <b>", paragraphs: ["Amount <script>x</script> & more"], code: "012345" };

async function mailerTo(
  server: Awaited<ReturnType<typeof startMailServer>>,
  options: Record<string, string> = {},
  allowPrivate = true,
) {
  stop.push(server.stop);
  const settings = fixedSettings({
    SMTPServer: "127.0.0.1",
    SMTPPort: String(server.port),
    SMTPFrom: "gate@example.com",
    SystemName: "Gate, Ltd.",
    ...options,
  });
  return createMailer({ settings, policy: createAddressPolicy(allowPrivate), log });
}

describe("mail", () => {
  test("goes out with the site's name, to every receiver, nothing of it being markup", async () => {
    const server = await startMailServer();
    const mailer = await mailerTo(server);
    await mailer.send(writeMail("a@example.com; b@example.com", LETTER));
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: "gate@example.com", to: ["a@example.com", "b@example.com"], user: null });
    expect(mail?.text).toContain("&lt;script&gt;");
    expect(mail?.text).toContain("012345");
    expect(mail?.text).not.toMatch(/^Bcc:/m);
  });

  test("line breaks in a subject or an address add no header and no receiver, and templates are text", async () => {
    const server = await startMailServer();
    const mailer = await mailerTo(server, { SystemName: 'Gate" <c@example.com>, "' });
    const template = `{{7*7}} \${7*7} <%= 7*7 %> %s`;
    const letter = { subject: "Hi\r\nBcc: d@example.com\r\n\r\nnew body", paragraphs: [template] };
    await mailer.send(writeMail("a@example.com", letter));
    await mailer.send(writeMail("b@example.com\r\nRCPT TO:<e@example.com>", letter)).catch(() => {});
    expect(server.received[0]?.text).not.toMatch(/^(?:Bcc:|new body)/m);
    expect(server.received[0]?.text).toContain("{{7*7}}");
    const receivers = server.received.flatMap(({ to }) => to);
    expect(receivers.filter((address) => /^[cde]@/.test(address))).toEqual([]);
    expect(receivers).toContain("a@example.com");
  });

  test("signs in with account and password", async () => {
    const server = await startMailServer({ allowInsecureAuth: true });
    const mailer = await mailerTo(server, { SMTPAccount: "post", SMTPToken: "secret" });
    await mailer.send(writeMail("a@example.com", LETTER));
    expect(server.received[0]?.user).toBe("post");
  });

  test("does not trust a certificate that nobody vouches for, with either way to TLS", async () => {
    const secure = await startMailServer({ secure: true });
    const starttls = await startMailServer({ disabledCommands: [] });
    for (const mailer of [await mailerTo(secure, { SMTPSSLEnabled: "true" }), await mailerTo(starttls)]) {
      await expect(mailer.send(writeMail("a@example.com", LETTER))).rejects.toThrow("mail_failed");
    }
    expect([...secure.received, ...starttls.received]).toEqual([]);
  });

  test("does not reach a private address where these are refused", async () => {
    const server = await startMailServer();
    const mailer = await mailerTo(server, {}, false);
    await expect(mailer.send(writeMail("a@example.com", LETTER))).rejects.toThrow("mail_failed");
    expect(server.received).toEqual([]);
  });

  test("says that there is no server", async () => {
    const mailer = await mailerTo(await startMailServer(), { SMTPServer: "" });
    expect(mailer.isConfigured()).toBe(false);
    await expect(mailer.send(writeMail("a@example.com", LETTER))).rejects.toThrow("mail_not_configured");
  });
});
