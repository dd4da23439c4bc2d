/** The agent programme in a real browser: granted, earned, asked for, approved, paid, rejected, paused. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { type Session, setOption } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "lock-keeper-9";
const DOLLAR = 500_000;

const { browser, gateway, root } = await startConsoleFixture();
await setOption(root, "RechargeCashbackRate", 5);

describe("the agent programme", () => {
  const words = WORDS.en.agents;
  const { rewards, wallet } = WORDS.en;
  const name = "agent";
  const guest = "guest";
  let office: ConsolePage;
  let consolePage: ConsolePage;
  let own: Session;
  let codes = 0;

  beforeAll(async () => {
    await root.post("/api/user/", { username: name, password: PASSWORD });
    own = await login(gateway, name, PASSWORD);
    const invitation = { aff_code: await own.get("/api/user/aff"), password2: PASSWORD };
    await root.send("POST", "/api/user/register", { username: guest, password: PASSWORD, ...invitation });
    office = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
    consolePage = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username: name, password: PASSWORD });
  });
  afterAll(async () => {
    await office.close();
    await consolePage.close();
  });

  /** Somebody whom the agent invited adds so much to their balance. */
  const recharge = async (dollars: number) => {
    codes += 1;
    const key = `recharge-${codes}`;
    await root.post("/api/redemption/", { name: "recharge", quota: dollars * DOLLAR, count: 1, key });
    await (await login(gateway, guest, PASSWORD)).post("/api/user/topup", { key });
  };
  const fact = (label: string, value: string) =>
    consolePage.page.getByText(label, { exact: true }).locator("..").getByText(value, { exact: true }).waitFor();
  const openWithdrawals = async () => {
    await consolePage.open("/topup/agent");
    await consolePage.page.getByRole("tab", { name: words.lists.withdrawals }).click();
  };
  const ask = async (dollars: number, account: string) => {
    await consolePage.button(words.withdraw.action).click();
    await consolePage.dialog().getByLabel(words.withdraw.quota).fill(String(dollars));
    await consolePage.dialog().getByLabel(words.withdraw.account).fill(account);
    await consolePage.button(words.withdraw.action, consolePage.dialog()).click();
    await consolePage.waitForNotice(words.withdraw.done);
    const { items } = await own.get("/api/agent/withdrawals?page_size=1");
    return items[0].id as number;
  };
  const decide = async (id: number, from: string, action: "approve" | "pay" | "reject", reply = "") => {
    await office.open(`/agent?tab=requests&status=${from}`);
    await office.chooseRowAction(`#${id}`, words.decide[action]);
    await office.dialog().getByLabel(words.decide.reply).fill(reply);
    await office.button(words.decide[action], office.dialog()).click();
    await office.waitForNotice(words.decide.done);
    await office.row(`#${id}`).waitFor({ state: "detached" });
  };

  test("nobody is an agent until an administrator grants it, at a rate of their own", async () => {
    await consolePage.open("/topup/agent");
    await consolePage.page.getByText(words.own.noneTitle).waitFor();
    await office.open("/agent");
    await office.button(words.form.add).click();
    await office.button(words.form.save, office.dialog()).click();
    await office.dialog().getByText(words.form.usernameMissing).waitFor();
    await office.dialog().getByLabel(words.form.username).fill("nobody-at-all");
    await office.dialog().getByLabel(words.rate).fill("101");
    await office.dialog().getByText(words.form.rateWrong).waitFor();
    await office.dialog().getByLabel(words.rate).fill("12.5");
    await office.button(words.form.save, office.dialog()).click();
    await office.dialog().getByRole("alert").waitFor();
    await office.expectAccessible();
    await office.dialog().getByLabel(words.form.username).fill(name);
    await office.dialog().getByLabel(words.note).fill("met at the lock");
    await office.button(words.form.save, office.dialog()).click();
    await office.waitForNotice(words.form.done);
    await office.row(name).getByText("12.5%").waitFor();
    await office.expectAccessible();
    const { items } = await root.get("/api/log/?type=3&page_size=20");
    expect(items.map((row: { content: string }) => row.content).join()).toContain(name);
  });

  test("what those recharge whom they invited brings dividends, listed with the rate", async () => {
    await recharge(40);
    await consolePage.open("/topup");
    await consolePage.page.getByRole("link", { name: words.own.title, exact: true }).click();
    await fact(words.balance, "$5.00");
    await fact(words.earned, "$5.00");
    await fact(words.rate, "12.5%");
    await fact(words.invited, "1");
    const dividend = consolePage.row("g***");
    await dividend.getByText(wallet.rebates.dividend).waitFor();
    await dividend.getByText("$40.00").waitFor();
    await consolePage.expectAccessible();
    expect((await own.get("/api/user/self")).quota).toBe(0);
  });

  test("a withdrawal is requested, approved, then paid; another is rejected and the money is back", async () => {
    await openWithdrawals();
    await consolePage.button(words.withdraw.action).click();
    const dialog = consolePage.dialog();
    await dialog.getByLabel(words.withdraw.quota).fill("0.002");
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel(words.withdraw.quota).fill("1");
    await consolePage.button(words.withdraw.action, dialog).click();
    await dialog.getByText(words.withdraw.accountMissing).waitFor();
    await consolePage.expectAccessible();
    await consolePage.page.keyboard.press("Escape");
    const paid = await ask(2, "account 7");
    const rejected = await ask(1, "account 8");
    await fact(words.balance, "$2.00");
    await fact(words.held, "$3.00");
    await consolePage.row(`#${paid}`).getByText(words.statuses.requested).waitFor();

    await office.open("/agent?tab=requests");
    await office.row(`#${paid}`).getByText("account 7").waitFor();
    await office.expectAccessible();
    await decide(paid, "requested", "approve");
    await openWithdrawals();
    await consolePage.row(`#${paid}`).getByText(words.statuses.approved).waitFor();
    await decide(paid, "approved", "pay", "sent on Monday");
    await decide(rejected, "requested", "reject", "no such account");
    await openWithdrawals();
    await consolePage.row(`#${paid}`).getByText(words.statuses.paid).waitFor();
    await consolePage.row(`#${rejected}`).getByText(words.statuses.rejected).waitFor();
    await consolePage.row(`#${rejected}`).getByText("no such account").waitFor();
    await fact(words.balance, "$3.00");
    await fact(words.held, "$0.00");
    await fact(words.paid, "$2.00");
    await consolePage.expectAccessible();
  });

  test("it reads as well in Chinese on a phone", async () => {
    const account = { username: name, password: PASSWORD };
    const { lists, withdraw, form } = WORDS.zh.agents;
    await expectChinesePages(browser, gateway, ["/topup/agent"], account, async (phone) => {
      await phone.page.getByRole("tab", { name: lists.withdrawals }).click();
      await phone.row("#").first().waitFor();
      await phone.expectAccessible();
      await phone.button(withdraw.action).click();
      await phone.dialog().getByLabel(withdraw.account).waitFor();
      await phone.expectAccessible();
    });
    await expectChinesePages(browser, gateway, ["/agent?tab=requests", "/agent"], undefined, async (phone) => {
      await phone.row(name).waitFor();
      await phone.button(form.add).click();
      await phone.dialog().getByLabel(form.username).waitFor();
      await phone.expectAccessible();
    });
  });

  test("earnings go to the balance instead, and a paused agent gets the site's cashback", async () => {
    await consolePage.button(rewards.invitation.transfer).click();
    await consolePage.button(rewards.transfer.action, consolePage.dialog()).click();
    await consolePage.waitForNotice(rewards.transfer.done);
    await fact(words.balance, "$0.00");
    expect((await own.get("/api/user/self")).quota).toBe(3 * DOLLAR);

    await office.open(`/agent?search=${name}`);
    await office.chooseRowAction(name, words.form.change);
    await office.dialog().getByLabel(words.active).uncheck();
    await office.button(words.form.save, office.dialog()).click();
    await office.row(name).getByText(words.paused).waitFor();
    await recharge(20);
    await until(
      async () => (await own.get("/api/user/self")).quota,
      (quota) => quota === 4 * DOLLAR,
    );
    await consolePage.open("/topup");
    await consolePage.page.getByRole("tab", { name: wallet.lists.rebates }).click();
    await consolePage.row(wallet.rebates.cashback).getByText("5%").waitFor();
    await consolePage.row(wallet.rebates.dividend).waitFor();
    await consolePage.expectAccessible();
    await consolePage.page.getByRole("link", { name: words.own.title, exact: true }).click();
    await consolePage.page.getByText(words.paused, { exact: true }).waitFor();
  });

  test("the browser complains of nothing", () => {
    // It notes the refused name as an answer that is no success.
    expect([...office.complaints, ...consolePage.complaints].filter((text) => !/status of 4\d\d/.test(text))).toEqual(
      [],
    );
  });
});
