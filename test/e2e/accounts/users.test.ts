/** Administrators look after users in a real browser, and see only what they may do to whom. */
import { describe, expect } from "bun:test";
import { TOTP } from "otpauth";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startConsoleFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, startOn } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "lock-keeper-9";
const words = WORDS.en.users;
const DOLLAR = 500_000;

const userOf = async (name: string) => {
  const { items } = await root.get(`/api/user/search?keyword=${name}`);
  return items.find((user: { username: string }) => user.username === name);
};

const { browser, gateway, root } = await startConsoleFixture(() => startOn(CHEAPEST_ENGINE));
await root.put("/api/option/", { key: "GroupRatio", value: '{"default":1,"vip":0.5}' });
for (const username of ["ferry", "mate"]) await root.post("/api/user/", { username, password: PASSWORD });
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

describe("users", () => {
  test("are added, and errors of the form are shown at its fields", async () => {
    const { page, button, dialog, row, waitForNotice } = consolePage;
    await consolePage.open("/user");
    await button(words.form.add).click();
    const drawer = dialog(words.form.addTitle);
    await button(words.form.add, drawer).click();
    await drawer.getByText(words.form.errors.username_required).waitFor();
    await drawer
      .getByText(words.form.errors.password_length.replace("{{passwordMin}}", "8").replace("{{passwordMax}}", "20"))
      .waitFor();
    await drawer.getByLabel(words.columns.username, { exact: true }).fill("a-name-that-is-long");
    await drawer.getByText(words.form.errors.username_too_long.replace("{{username}}", "12")).waitFor();
    await drawer.getByLabel(words.columns.username, { exact: true }).fill("barge");
    await drawer.getByLabel(words.columns.displayName).fill("The Barge");
    await drawer.getByLabel(words.form.password, { exact: true }).fill(PASSWORD);
    await button(words.form.add, drawer).click();
    await waitForNotice(fillPlaceholders(words.added, { name: "barge" }));
    await row("The Barge").waitFor();
    await page.getByRole("searchbox", { name: words.filters.search }).fill("barge");
    await row("mate").waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("search")).toBe("barge");
    await consolePage.expectAccessible();
  }, 90_000);

  test("get another group, limits, a note and a name in the drawer; what was not touched stays", async () => {
    const { page, button, dialog, waitForNotice } = consolePage;
    const { id } = await userOf("barge");
    await consolePage.open("/user/edit");
    await page.waitForURL("**/personal");
    await consolePage.open(`/user/edit/${id}`);
    const drawer = dialog(fillPlaceholders(words.form.editTitle, { name: "barge" }));
    await drawer.getByLabel(words.form.maxConcurrency).fill("many");
    await drawer.getByRole("combobox", { name: words.columns.group }).click();
    await page.getByRole("option", { name: "vip" }).click();
    await button(words.form.save, drawer).click();
    await drawer.getByText(words.form.errors.user_limit_invalid).waitFor();
    await drawer.getByLabel(words.form.maxConcurrency).fill("3");
    await drawer.getByLabel(words.form.perMinute).fill("60");
    await drawer.getByLabel(words.form.note, { exact: true }).fill("pays in **coal**");
    await consolePage.expectAccessible();
    await button(words.form.save, drawer).click();
    await waitForNotice(fillPlaceholders(words.saved, { name: "barge" }));
    expect(await userOf("barge")).toMatchObject({
      group: "vip",
      max_concurrency: 3,
      requests_per_minute: 60,
      note: "pays in **coal**",
      display_name: "The Barge",
    });
    // Neither the password nor the sessions were touched.
    expect((await login(gateway, "barge", PASSWORD)).userId).toBe(id);
  }, 90_000);

  test("get a question before typed changes are lost", async () => {
    const { button, dialog } = consolePage;
    await consolePage.open(`/user/edit/${(await userOf("barge")).id}`);
    const drawer = dialog(fillPlaceholders(words.form.editTitle, { name: "barge" }));
    await drawer.getByLabel(words.form.perMinute).fill("61");
    await button(WORDS.en.components.cancel, drawer).click();
    await button(WORDS.en.components.drawer.discard).click();
    await drawer.waitFor({ state: "detached" });
    expect((await userOf("barge")).requests_per_minute).toBe(60);
  }, 90_000);

  test("get quota and lose it again: old + delta = new, never below 0", async () => {
    const { dialog, button, waitForNotice, chooseRowAction: act } = consolePage;
    await consolePage.open("/user?search=barge");
    const { quota } = await userOf("barge");
    await act("barge", words.quota.open);
    const form = dialog(fillPlaceholders(words.quota.title, { name: "barge" }));
    await form.getByText("$10", { exact: true }).click();
    await form.getByRole("status").filter({ hasText: "+ $10.00 =" }).waitFor();
    await button(words.quota.add, form).click();
    await form.waitFor({ state: "detached" });
    expect((await userOf("barge")).quota).toBe(quota + 10 * DOLLAR);
    await act("barge", words.quota.open);
    await form.getByLabel(words.quota.delta).fill(String(-quota / DOLLAR - 11));
    await form.getByText(words.quota.tooLow).waitFor();
    expect(await button(words.quota.take, form).isDisabled()).toBe(true);
    await form.getByLabel(words.quota.delta).fill("2 - 6");
    await button(words.quota.take, form).click();
    await waitForNotice(/barge now has/);
    expect((await userOf("barge")).quota).toBe(quota + 6 * DOLLAR);
  }, 90_000);

  test("get a custom role, which ends their sessions, and lose it again", async () => {
    const { page, button, dialog, waitForNotice, row, chooseRowAction: act } = consolePage;
    await root.post("/api/admin_role/", { name: "Harbor reader", rights: ["users:read"] });
    const before = await login(gateway, "barge", PASSWORD);
    await consolePage.open("/user?search=barge");
    const choose = async (role: string) => {
      await act("barge", words.customRole.open);
      const form = dialog(fillPlaceholders(words.customRole.title, { name: "barge" }));
      expect(await button(words.customRole.save, form).isDisabled()).toBe(true);
      await form.getByRole("combobox").click();
      await page.getByRole("option", { name: role, exact: true }).click();
      await consolePage.expectAccessible();
      await button(words.customRole.save, form).click();
      await waitForNotice(fillPlaceholders(words.customRole.done, { name: "barge" }));
      await form.waitFor({ state: "detached" });
    };
    await choose("Harbor reader");
    await row("barge").getByText("Harbor reader", { exact: true }).waitFor();
    expect((await before.send("GET", "/api/user/self")).status).toBe(401);
    const reader = await login(gateway, "barge", PASSWORD);
    expect((await reader.get("/api/user/self")).rights).toEqual(["users:read"]);
    await choose(words.role.user);
    await row("barge").getByText("Harbor reader", { exact: true }).waitFor({ state: "detached" });
    const plain = await login(gateway, "barge", PASSWORD);
    expect((await plain.get("/api/user/self")).rights ?? []).toEqual([]);
  }, 90_000);

  test("are shown whole, and leave as a file that holds what is filtered", async () => {
    const { chooseRowAction: act, dialog, button, download: downloaded } = consolePage;
    await consolePage.open("/user?search=barge");
    await act("barge", words.actions.info);
    const info = dialog("barge");
    for (const text of ["The Barge", "vip", "pays in **coal**", words.bindings.github]) {
      await info.getByText(text, { exact: true }).first().waitFor();
    }
    await button(WORDS.en.components.close, info).click();
    const { name, text } = await downloaded(() => button(WORDS.en.components.exportCsv).click());
    expect(name).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
    expect(text.trim().split("\n")).toHaveLength(2);
    expect(text).toContain("barge");
    expect(text).not.toContain(PASSWORD);
  }, 90_000);

  test("are sorted by a column's head, which the address keeps", async () => {
    const { page, row } = consolePage;
    await userOf("ferry").then(({ id }) => root.put("/api/user/", { id, quota_delta: 7 * DOLLAR }));
    const names = () => page.locator("[data-row]").allTextContents();
    const isFirst = (name: string) => until(names, ([first = ""]) => first.includes(name));
    // The super administrator has more than anybody.
    await consolePage.open("/user?role=1");
    await row("ferry").waitFor();
    expect(await row("root").count()).toBe(0);
    const head = page.getByRole("columnheader", { name: words.columns.quota });
    await head.getByRole("button", { name: words.columns.quota, exact: true }).click();
    await isFirst("ferry");
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    await head.getByRole("button", { name: words.columns.quota, exact: true }).click();
    await until(names, (all) => all.at(-1)?.includes("ferry") ?? false);
    const query = () => new URL(page.url()).searchParams;
    expect([query().get("sort"), query().get("order")]).toEqual(["quota", "asc"]);
    await page.reload();
    await row("ferry").waitFor();
    expect((await names()).at(-1)).toContain("ferry");
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
  }, 90_000);

  test("are promoted, disabled and enabled after a question, and the list shows it at once", async () => {
    const { chooseRowAction: act, dialog, button, row, listRowActions: actionsOf } = consolePage;
    await consolePage.open("/user");
    const manage = async (action: "promote" | "demote" | "disable") => {
      await act("mate", words.actions[action]);
      const question = dialog(fillPlaceholders(words.ask[action].title, { name: "mate" }));
      await button(words.actions[action], question).click();
      await question.waitFor({ state: "detached" });
    };
    await manage("disable");
    await row("mate").getByText(words.status.banned).waitFor();
    await expect(login(gateway, "mate", PASSWORD)).rejects.toThrow();
    await act("mate", words.actions.enable);
    await row("mate").getByText(words.status.active).waitFor();
    await manage("promote");
    await row("mate").getByText(words.role.admin, { exact: true }).waitFor();
    expect((await userOf("mate")).role).toBe(10);
    expect(await actionsOf("mate")).toContain(words.actions.demote);
    // The first account stays what it is.
    const own = await actionsOf("root");
    for (const action of ["promote", "demote", "disable", "delete"] as const) {
      expect(own).not.toContain(words.actions[action]);
    }
  }, 90_000);

  test("lose their second factor when they have lost the device", async () => {
    const { chooseRowAction: act, dialog, button, waitForNotice } = consolePage;
    const ferry = await login(gateway, "ferry", PASSWORD);
    const { secret } = await ferry.post("/api/user/totp/begin", { password: PASSWORD });
    await ferry.post("/api/user/totp/confirm", { code: new TOTP({ secret }).generate() });
    await expect(login(gateway, "ferry", PASSWORD).then(({ userId }) => userId)).resolves.toBeUndefined();
    await consolePage.open("/user?search=ferry");
    await act("ferry", words.secondFactor.reset);
    const question = dialog(fillPlaceholders(words.secondFactor.title, { name: "ferry" }));
    await button(words.secondFactor.reset, question).click();
    await waitForNotice(fillPlaceholders(words.secondFactor.done, { name: "ferry" }));
    expect((await login(gateway, "ferry", PASSWORD)).userId).toBe(ferry.userId);
  }, 90_000);

  test("an admin acts on those below only, and promotes nobody", async () => {
    const admin = await openConsolePage(browser, gateway, VIEWPORTS.en, { username: "mate", password: PASSWORD });
    await admin.open("/user");
    await admin.row("ferry").waitFor();
    expect(await admin.listRowActions("root")).toEqual([words.actions.info]);
    const onSelf = await admin.listRowActions("mate");
    expect(onSelf).toEqual([words.actions.info]);
    const below = await admin.listRowActions("ferry");
    expect(below).toContain(words.actions.delete);
    expect(below).not.toContain(words.actions.promote);
    const session = await login(gateway, "mate", PASSWORD);
    for (const [id, action] of [
      [root.userId, "disable"],
      [root.userId, "delete"],
      [session.userId, "demote"],
      [(await userOf("ferry")).id, "promote"],
    ] as const) {
      const reply = await session.send("POST", "/api/user/manage", { id, action });
      expect(`${id} ${action} ${((await reply.json()) as { success: boolean }).success}`).toBe(`${id} ${action} false`);
    }
    await admin.close();
  }, 90_000);

  test("are disabled, enabled and moved together; who is out of reach stays ticked", async () => {
    const { page, dialog, button, row, waitForNotice } = consolePage;
    const table = WORDS.en.components.table;
    const tick = (name: string) =>
      page.getByRole("checkbox", { name: fillPlaceholders(table.selectRow, { name }) }).check();
    const { batch } = words;
    await consolePage.open("/user?role=1");
    for (const name of ["ferry", "barge"]) await tick(name);
    const bar = page.getByRole("toolbar", { name: fillPlaceholders(table.selected, { count: 2 }) });
    await consolePage.expectAccessible();
    await bar.getByRole("button", { name: words.actions.disable }).click();
    const question = dialog(fillPlaceholders(batch.ask.disable.title_other, { count: 2 }));
    await button(words.actions.disable, question).click();
    await waitForNotice(fillPlaceholders(batch.done.disable_other, { count: 2 }));
    for (const name of ["ferry", "barge"]) await row(name).getByText(words.status.banned).waitFor();
    await bar.waitFor({ state: "detached" });
    await consolePage.open("/user");
    for (const name of ["ferry", "barge", "root"]) await tick(name);
    await page.getByRole("toolbar").getByRole("button", { name: words.actions.enable }).click();
    await waitForNotice(fillPlaceholders(batch.done.enable_other, { count: 3 }));
    await row("ferry").getByText(words.status.active).waitFor();
    for (const name of ["ferry", "root"]) await tick(name);
    await page.getByRole("toolbar").getByRole("button", { name: words.actions.disable }).click();
    await button(words.actions.disable, dialog(fillPlaceholders(batch.ask.disable.title_other, { count: 2 }))).click();
    await waitForNotice(new RegExp(fillPlaceholders(batch.partly, { done: 1, refused: 1, message: "" })));
    await row("ferry").getByText(words.status.banned).waitFor();
    const left = page.getByRole("toolbar", { name: fillPlaceholders(table.selected, { count: 1 }) });
    await left.getByRole("button", { name: table.clearSelection }).click();
    await tick("ferry");
    await left.getByRole("button", { name: words.actions.enable }).click();
    await waitForNotice(fillPlaceholders(batch.done.enable_one, { count: 1 }));
    await tick("ferry");
    await left.getByRole("button", { name: batch.group }).click();
    const groups = dialog(fillPlaceholders(batch.groupTitle_one, { count: 1 }));
    await groups.getByRole("combobox", { name: words.columns.group }).click();
    await page.getByRole("option", { name: "vip" }).click();
    await button(batch.group, groups).click();
    await waitForNotice(fillPlaceholders(batch.done.group_one, { count: 1, group: "vip" }));
    expect(await userOf("ferry")).toMatchObject({ group: "vip", status: 1 });
  }, 90_000);

  test("are deregistered for good: nothing can be done to them any more, and their data are deleted", async () => {
    const { chooseRowAction: act, dialog, button, row, listRowActions: actionsOf } = consolePage;
    const { id } = await userOf("barge");
    await consolePage.open("/user");
    await act("barge", words.actions.delete);
    const question = dialog(fillPlaceholders(words.ask.delete.title, { name: "barge" }));
    await button(words.actions.delete, question).click();
    const deletedRow = row(words.status.deregistered);
    await deletedRow.waitFor();
    expect(await deletedRow.textContent()).not.toContain("The Barge");
    const name = (await root.get(`/api/user/${id}`)).username;
    expect(await actionsOf(name)).toEqual([words.actions.info]);
    await expect(login(gateway, "barge", PASSWORD)).rejects.toThrow();
  }, 90_000);

  test("the log records each act: who did what to whom, before and after", async () => {
    const { items } = await until(
      () => root.get("/api/audit/?page_size=50"),
      (page) => page.items.length > 5,
    );
    const text = JSON.stringify(items);
    for (const action of ["Promoted user mate", "Disabled user mate", "Enabled user mate", "Deleted user barge"]) {
      expect(text).toContain(action);
    }
  }, 90_000);

  test("nothing complained", () => expect(consolePage.complaints).toEqual([]));
});

describe("users in Chinese on a phone", () => {
  const chinese = WORDS.zh.users;

  test("the list, the drawer, the quota and the details are readable and clean", async () => {
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    const { dialog, button } = phone;
    await phone.open("/user");
    await phone.row("ferry").waitFor();
    const sort = phone.page.getByRole("combobox", { name: WORDS.zh.components.table.sortBy });
    await sort.click();
    await phone.page.getByRole("option", { name: chinese.columns.username }).click();
    await button(WORDS.zh.components.table.descending).click();
    await phone.page.waitForURL("**sort=username**order=asc**");
    await phone.row("ferry").waitFor();
    await phone.expectAccessible();
    await phone.chooseRowAction("ferry", chinese.actions.info);
    await dialog("ferry").getByText(chinese.bindings.email, { exact: true }).waitFor();
    await button(WORDS.zh.components.close, dialog("ferry")).click();
    await phone.chooseRowAction("ferry", chinese.quota.open);
    await dialog().getByLabel(chinese.quota.delta).fill("-500000");
    await phone.expectAccessible();
    await button(WORDS.zh.components.cancel, dialog()).click();
    await phone.page
      .getByRole("checkbox", { name: fillPlaceholders(WORDS.zh.components.table.selectRow, { name: "ferry" }) })
      .check();
    await button(chinese.batch.group).click();
    await dialog(fillPlaceholders(chinese.batch.groupTitle_other, { count: 1 })).waitFor();
    await phone.expectAccessible();
    await button(WORDS.zh.components.cancel, dialog()).click();
    await button(WORDS.zh.components.table.clearSelection).click();
    await phone.chooseRowAction("ferry", chinese.actions.edit);
    await dialog(fillPlaceholders(chinese.form.editTitle, { name: "ferry" }))
      .getByText(chinese.form.limits, { exact: true })
      .waitFor();
    await phone.expectAccessible();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 90_000);
});
