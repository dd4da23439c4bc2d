/** What somebody types survives the end of their session, and a reload. */
import { expect, test } from "bun:test";
import { WORDS } from "../../../support/e2e/browser.ts";
import { login } from "../../../support/e2e/console-client.ts";
import { openConsolePage, startConsoleFixture, VIEWPORTS } from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const { browser, gateway, root } = await startConsoleFixture();
const ANN = { username: "ann", password: "long-enough-9" };
await root.post("/api/user/", { ...ANN, display_name: "Ann" });
const ann = await login(gateway, ANN.username, ANN.password);
const consolePage = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, alsoOnPhone: true }, ANN);
const { page, button } = consolePage;
const words = WORDS.en;
const keys = words.apiKeys;
const again = words.signIn.again;
const endSession = () => page.context().clearCookies();
/** Fills in a new key. */
async function fillKey(name: string) {
  await button(keys.add).first().click();
  const drawer = page.getByRole("dialog", { name: keys.form.createTitle });
  await drawer.getByLabel(keys.form.name, { exact: true }).fill(name);
  return { drawer, save: () => drawer.getByRole("button", { name: keys.form.create_one, exact: true }).click() };
}
const names = async () => ((await ann.get("/api/token/?p=0&size=100")) as { name: string }[]).map(({ name }) => name);

test("an ended session asks for the password over the form, whose request is sent once more", async () => {
  await consolePage.open("/token");
  await page.getByText(keys.title, { exact: true }).first().waitFor();
  const { drawer, save } = await fillKey("survivor");
  await endSession();
  await save();
  const question = page.getByRole("dialog", { name: again.title });
  await question.getByLabel(words.signIn.password, { exact: true }).waitFor();
  await consolePage.expectAccessible();
  // Not now: the form stays as it is, and asks again.
  await question.getByRole("button", { name: again.later }).click();
  await question.waitFor({ state: "detached" });
  expect(await drawer.getByLabel(keys.form.name, { exact: true }).inputValue()).toBe("survivor");
  await save();
  await question.getByLabel(words.signIn.password, { exact: true }).fill("wrong-password");
  await question.getByRole("button", { name: words.signIn.submit, exact: true }).click();
  await question.getByRole("alert").waitFor();
  // Escape does not drop the request while the password is checked.
  const checking = Promise.withResolvers<void>();
  await page.route("**/api/user/login*", async (route) => {
    await checking.promise;
    await route.continue();
  });
  await question.getByLabel(words.signIn.password, { exact: true }).fill(ANN.password);
  await question.getByRole("button", { name: words.signIn.submit, exact: true }).click();
  await question.getByRole("button", { name: again.later }).and(page.locator(":disabled")).waitFor();
  await page.keyboard.press("Escape");
  checking.resolve();
  // The question hides the form from its role: first one ends, then the other.
  await question.waitFor({ state: "detached" });
  await drawer.waitFor({ state: "detached" });
  await until(names, (found) => found.length > 0);
  expect(await names()).toEqual(["survivor"]);
}, 120_000);

test("what was typed is offered back after a reload, and no longer once it is saved", async () => {
  await consolePage.open("/token");
  const { drawer } = await fillKey("drafted");
  await until(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.includes("draft-"))));
  page.once("dialog", (leaving) => void leaving.accept());
  await page.reload();
  await button(keys.add).click();
  await drawer.getByRole("button", { name: words.components.draft.restore }).click();
  expect(await drawer.getByLabel(keys.form.name, { exact: true }).inputValue()).toBe("drafted");
  await drawer.getByRole("button", { name: keys.form.create_one, exact: true }).click();
  await drawer.waitFor({ state: "detached" });
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("draft-")))).toEqual([]);
  expect(await names()).toContain("drafted");
}, 120_000);

test("passwords are in no draft", async () => {
  const admin = await openConsolePage(browser, gateway, VIEWPORTS.en);
  await admin.open("/user");
  await admin.button(words.users.form.add).click();
  const drawer = admin.dialog();
  await drawer.getByLabel(words.users.columns.username, { exact: true }).fill("secretive");
  await drawer.getByLabel(words.users.form.password, { exact: true }).fill("never-on-disk-9");
  const stored = () => admin.page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
  const text = await until(stored, (all) => all.includes("secretive"));
  expect(text).not.toContain("never-on-disk-9");
  await admin.close();
}, 120_000);
