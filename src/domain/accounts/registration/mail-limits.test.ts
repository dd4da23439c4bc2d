import { expect, test } from "bun:test";
import { createMailLimits } from "./mail-limits.ts";

const start = (MailsPerUser: number, MailsPerRecipient: number) => {
  const options: Record<string, number> = { MailsPerUser, MailsPerRecipient };
  // Only the two options are read.
  const settings = { get: (key: string) => options[key] } as never;
  const limits = createMailLimits({ settings, sharedLimits: null });
  const codeOf = (work: Promise<void>) =>
    work.then(
      () => "sent",
      (error) => error.code,
    );
  return { options, limits, send: (to: string, by: number | null) => codeOf(limits.countMail(to, by)), codeOf };
};

test("mails are limited by user, whoever gets them", async () => {
  const { send } = start(3, 10);
  const sent = await Promise.all(["a", "b", "c", "d"].map((name) => send(`${name}@example.org`, 7)));
  expect(sent).toEqual(["sent", "sent", "sent", "mails_sent_too_often"]);
  expect(await send("a@example.org", 8)).toBe("sent");
  expect(await send("b@example.org", null)).toBe("sent");
});

test("mails are limited by recipient, whoever has them sent and however the address is written", async () => {
  const { send } = start(100, 2);
  expect(await send("ann@example.org", 1)).toBe("sent");
  expect(await send("Ann@Example.org", null)).toBe("sent");
  expect(await send("ann@example.org", 2)).toBe("mail_too_often");
  expect(await send("bob@example.org", 2)).toBe("sent");
});

test("the options count at once, and 0 is without limit", async () => {
  const { send, options } = start(1, 1);
  expect(await send("ann@example.org", 1)).toBe("sent");
  expect(await send("bob@example.org", 1)).toBe("mails_sent_too_often");
  options.MailsPerUser = 0;
  expect(await send("bob@example.org", 1)).toBe("sent");
  expect(await send("bob@example.org", 1)).toBe("mail_too_often");
  options.MailsPerRecipient = 0;
  for (let times = 0; times < 50; times += 1) expect(await send("bob@example.org", 1)).toBe("sent");
});

test("invitations use up no resets of a password", async () => {
  const { send, limits, codeOf } = start(100, 1);
  await send("ann@example.org", 1);
  expect(await send("ann@example.org", 1)).toBe("mail_too_often");
  for (let times = 0; times < 10; times += 1) expect(await codeOf(limits.countReset("ann@example.org"))).toBe("sent");
  expect(await codeOf(limits.countReset("ann@example.org"))).toBe("mail_too_often");
});
