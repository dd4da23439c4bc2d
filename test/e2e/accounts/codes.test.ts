/** An administrator makes, hands out, looks up and removes redemption codes in a real browser. */
import { describe, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startConsoleFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, startOn } from "../../support/e2e/fixture.ts";

const PASSWORD = "lock-keeper-9";
const DOLLAR = 500_000;
const words = WORDS.en.codes;

type Code = { id: number; name: string; key: string; status: number; valid_from: number; valid_until: number };

const codesNamed = async (name: string): Promise<Code[]> =>
  (await root.get(`/api/redemption/search?keyword=${encodeURIComponent(name)}&page_size=100`)).items;
const redeem = async (username: string, key: string) => {
  const session = await login(gateway, username, PASSWORD);
  const reply = await session.send("POST", "/api/user/topup", { key });
  return ((await reply.json()) as { success: boolean }).success;
};

const { browser, gateway, root } = await startConsoleFixture(() => startOn(CHEAPEST_ENGINE));
for (const username of ["ferry", "mate"]) await root.post("/api/user/", { username, password: PASSWORD });
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

describe("redemption codes", () => {
  test("a hundred are made at once and saved as a text file, one a line", async () => {
    const { dialog, button, download: downloaded } = consolePage;
    await consolePage.open("/redemption");
    await button(words.add).first().click();
    const drawer = dialog(words.form.createTitle);
    await drawer.getByLabel(words.columns.name, { exact: true }).fill("a name that is too long");
    await drawer.getByLabel(words.form.count).fill("101");
    await button(/./, drawer).last().click();
    await drawer.getByText(words.form.errors.code_name_length.replace("{{name}}", "20")).waitFor();
    await drawer.getByText(words.form.errors.code_count_invalid.replace("{{count}}", "100")).waitFor();
    await drawer.getByLabel(words.columns.name, { exact: true }).fill("spring");
    await drawer.getByText("$10", { exact: true }).click();
    await drawer.getByLabel(words.form.count).fill("100");
    await button(fillPlaceholders(words.form.create_other, { count: 100 }), drawer).click();
    const made = dialog(fillPlaceholders(words.created.title_other, { count: 100 }));
    const { name, text } = await downloaded(() => button(words.created.download, made).click());
    expect(name).toBe("spring.txt");
    const keys = text.trim().split("\n");
    expect(new Set(keys).size).toBe(100);
    const saved = await codesNamed("spring");
    expect(saved.map(({ key }) => key).sort()).toEqual(keys.sort());
    expect(saved[0]).toMatchObject({ quota: 10 * DOLLAR, status: 1, is_gift: false });
    await button(WORDS.en.components.close, made).click();
    await consolePage.page.getByText(/1–\d+ of 100/).waitFor();
    await consolePage.expectAccessible();
  }, 90_000);

  test("a gift code has a key of one's own, so many uses and a window that must be right", async () => {
    const { page, dialog, button, row } = consolePage;
    await consolePage.open("/redemption");
    await button(words.add).first().click();
    const drawer = dialog(words.form.createTitle);
    const type = async (label: string, digits: string) => {
      const field = drawer.getByRole("group", { name: label });
      await field.getByRole("spinbutton").first().click();
      await page.keyboard.type(digits);
    };
    await drawer.getByLabel(words.columns.name, { exact: true }).fill("welcome");
    await drawer.getByLabel(words.gift).click();
    await drawer.getByLabel(words.form.maxUses).fill("0");
    await drawer.getByLabel(words.form.key).fill("WELCOME");
    await drawer.getByRole("switch", { name: words.form.validAtOnce }).click();
    await drawer.getByRole("switch", { name: WORDS.en.components.neverExpires }).click();
    await type(words.form.validFrom, "209901010000");
    await type(words.form.validUntil, "2098");
    await button(words.form.create_one, drawer).click();
    await drawer.getByText(words.form.errors.date).waitFor();
    await type(words.form.validUntil, "209801010000");
    await button(words.form.create_one, drawer).click();
    await drawer.getByText(words.form.errors.code_max_uses_invalid).waitFor();
    await drawer.getByText(words.form.errors.code_window_invalid).first().waitFor();
    await drawer.getByLabel(words.form.maxUses).fill("1");
    await type(words.form.validFrom, "202001010000");
    await consolePage.expectAccessible();
    await button(words.form.create_one, drawer).click();
    await button(WORDS.en.components.close, dialog(words.created.title_one)).click();
    await row("welcome").getByText("0 / 1", { exact: true }).waitFor();
    const [code] = await codesNamed("welcome");
    expect(code).toMatchObject({ key: "WELCOME", is_gift: true, max_uses: 1, used_count: 0 });
    expect(code?.valid_from).toBeLessThan(code?.valid_until ?? 0);
    expect([await redeem("ferry", "WELCOME"), await redeem("mate", "WELCOME")]).toEqual([true, false]);
  }, 90_000);

  test("it is seen who used a code and when; one that was used is not edited", async () => {
    const { dialog, button, row, chooseRowAction: act } = consolePage;
    const [code] = await codesNamed("spring");
    expect(await redeem("mate", code?.key ?? "")).toBe(true);
    await consolePage.open("/redemption?status=3");
    await row("spring").getByText(/mate/).waitFor();
    const menu = await consolePage.listRowActions("spring");
    expect(menu).toContain(words.enable);
    await act("spring", words.uses.open);
    const uses = dialog(fillPlaceholders(words.uses.title, { name: "spring" }));
    await uses.getByText(/mate \(#\d+\)/).waitFor();
    await uses.getByText("$10.00").waitFor();
    await button(WORDS.en.components.close, uses).click();
    await button(fillPlaceholders(WORDS.en.components.table.actionsFor, { name: "spring" })).click();
    for (const name of [words.edit, words.enable]) {
      const item = consolePage.page.getByRole("menuitem", { name, exact: true });
      expect(await item.getAttribute("aria-disabled")).toBe("true");
    }
    await consolePage.open("/redemption?search=welcome");
    await row(words.status.usedUp).getByText("1 / 1", { exact: true }).waitFor();
  }, 90_000);

  test("one is edited, disabled and enabled", async () => {
    const { dialog, button, chooseRowAction: act, waitForNotice } = consolePage;
    await root.post("/api/redemption/", { name: "single", quota: DOLLAR, count: 1 });
    await consolePage.open("/redemption?search=single");
    await act("single", words.edit);
    const drawer = dialog(fillPlaceholders(words.form.editTitle, { name: "single" }));
    await drawer.getByText("$50", { exact: true }).click();
    await button(words.form.save, drawer).click();
    await waitForNotice(fillPlaceholders(words.saved, { name: "single" }));
    expect((await codesNamed("single"))[0]).toMatchObject({ quota: 50 * DOLLAR });
    await act("single", words.disable);
    await waitForNotice(fillPlaceholders(words.disabledToast, { name: "single" }));
    const [code] = await codesNamed("single");
    expect(code?.status).toBe(2);
    expect(await redeem("ferry", code?.key ?? "")).toBe(false);
    await act("single", words.enable);
    await waitForNotice(fillPlaceholders(words.enabledToast, { name: "single" }));
    expect((await codesNamed("single"))[0]?.status).toBe(1);
  }, 90_000);

  test("several are ticked and disabled, then what is disabled is deleted", async () => {
    const { page, dialog, button, waitForNotice } = consolePage;
    await root.post("/api/redemption/", { name: "autumn", quota: DOLLAR, count: 3 });
    await consolePage.open("/redemption?search=autumn");
    await page.getByText(/1–3 of 3/).waitFor();
    await page.getByRole("checkbox", { name: WORDS.en.components.table.selectPage }).check();
    await button(fillPlaceholders(words.batch.disable_other, { count: 3 })).click();
    await button(fillPlaceholders(words.batch.disable_other, { count: 3 }), dialog()).click();
    await waitForNotice(fillPlaceholders(words.disabledCount_other, { count: 3 }));
    expect((await codesNamed("autumn")).map(({ status }) => status)).toEqual([2, 2, 2]);
    await button(words.deleteDisabled).click();
    const question = dialog(fillPlaceholders(words.deleteDisabledTitle_other, { count: 3 }));
    await button(fillPlaceholders(words.batch.delete_other, { count: 3 }), question).click();
    await waitForNotice(fillPlaceholders(words.deletedCount_other, { count: 3 }));
    expect(await codesNamed("autumn")).toEqual([]);
    await button(words.deleteDisabled).click();
    await waitForNotice(words.noneDisabled);
  }, 90_000);

  test("all of a name are counted before they are deleted", async () => {
    const { dialog, button, waitForNotice } = consolePage;
    await consolePage.open("/redemption");
    await button(words.byName.open).click();
    const form = dialog(words.byName.title);
    await form.getByLabel(words.byName.name).fill("spr");
    await button(words.byName.count, form).click();
    await form.getByText(fillPlaceholders(words.byName.found_other, { count: 0 })).waitFor();
    await form.getByLabel(words.byName.name).fill("spring");
    await button(words.byName.count, form).click();
    await form.getByText(fillPlaceholders(words.byName.found_other, { count: 100 })).waitFor();
    expect(await codesNamed("spring")).toHaveLength(100);
    await button(fillPlaceholders(words.batch.delete_other, { count: 100 }), form).click();
    await waitForNotice(fillPlaceholders(words.deletedCount_other, { count: 100 }));
    expect(await codesNamed("spring")).toEqual([]);
  }, 90_000);

  test("they leave as a file", async () => {
    await consolePage.open("/redemption");
    const { name, text } = await consolePage.download(() => consolePage.button(WORDS.en.components.exportCsv).click());
    expect(name).toMatch(/^codes-[\d-]+\.csv$/);
    expect(text).toContain("id,name,key,status,");
  }, 90_000);

  test("nothing complained", () => expect(consolePage.complaints).toEqual([]));
});

describe("redemption codes in Chinese on a phone", () => {
  const chinese = WORDS.zh.codes;

  test("the list and the drawer are readable and clean", async () => {
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    await phone.open("/redemption");
    await phone.row("welcome").getByText(chinese.status.usedUp).waitFor();
    await phone.expectAccessible();
    await phone.button(chinese.addShort).first().click();
    await phone.dialog(chinese.form.createTitle).getByText(chinese.form.window, { exact: true }).waitFor();
    await phone.expectAccessible();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 90_000);
});
