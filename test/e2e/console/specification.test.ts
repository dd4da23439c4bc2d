/**
 * The last lines of the specification that walks through the executable found wrong, missing or undeclared: a row for each, named as
 * the walk names it. docs/decisions/specification.md lists what differs on purpose.
 */
import { afterAll, beforeAll, expect } from "bun:test";
import { openPage, WORDS, waitForQueries } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOption, setOptions } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "usage-1000-500";
const DOLLAR = 500_000;
const { browser, fixture } = await startBrowserFixture([MODEL, "err-400"]);
const { root, gateway, upstream } = fixture;
const consolePage = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, width: 1500, withoutAxe: true });
const { page, open, button, dialog, row } = consolePage;
const visitor = await openPage(browser, { language: "en" });
const chat = Bun.serve({
  port: 0,
  fetch: () => new Response("<h1>A chat</h1>", { headers: { "content-type": "text/html" } }),
});
const WALKER = { username: "walker", password: "long-walks-9" };
await root.post("/api/user/", { ...WALKER, display_name: "Walker" });
const walker = await login(gateway, WALKER.username, WALKER.password);
await root.put("/api/user/", { id: walker.userId, quota: 0 });
await setOption(root, "Chats", [
  { Keyed: `http://127.0.0.1:${chat.port}/#{key}` },
  { Free: `http://127.0.0.1:${chat.port}/free` },
]);
afterAll(() => chat.stop(true));

const channel = (fields: object) => ({
  ...{ type: 1, key: "k", models: "m", group: "default", base_url: upstream.url },
  ...fields,
});
async function call(model: string) {
  const headers = { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  await (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
}
/** The reply of a call of the management API, whatever it says. */
const reply = async (method: string, path: string, body?: object) => (await root.send(method, path, body)).json();

beforeAll(async () => {
  await call(MODEL);
  for (let times = 0; times < 3; times += 1) await call("err-400");
  await until(
    () => root.get("/api/log/?type=2"),
    ({ total }) => total >= 4,
  );
});

/** A line of the walks, and what holds it. */
type Line = readonly [line: string, hold: () => Promise<void>];

const LINES: readonly Line[] = [
  [
    "part 1 §7: setup refuses with 400 once it is done (declared)",
    async () => expect((await root.send("POST", "/api/setup", { username: "a", password: "b" })).status).toBe(400),
  ],
  [
    "part 1 §6: an administrator without the root role has no settings (declared)",
    async () => {
      await root.post("/api/user/manage", { id: walker.userId, action: "promote" });
      const admin = await login(gateway, WALKER.username, WALKER.password);
      expect(await (await admin.send("GET", "/api/option/")).json()).toMatchObject({ success: false });
      expect((await admin.get("/api/user/?p=0")).total).toBe(2);
      await root.post("/api/user/manage", { id: walker.userId, action: "demote" });
    },
  ],
  [
    "part 2 F1: a new channel may have any other field, also those that a read returns",
    async () => {
      const { id } = await root.post("/api/channel/", channel({ name: "copied", created_time: 0, foo: "" }));
      const { name: _, ...read } = await root.get(`/api/channel/${id}?show_key=true`);
      expect(await reply("POST", "/api/channel/", { ...read, name: "copy" })).toMatchObject({ success: true });
    },
  ],
  [
    "part 2 F2: an incomplete date is not sent, and never means never",
    async () => {
      await open("/token");
      await button(WORDS.en.apiKeys.add).click();
      const drawer = dialog();
      await drawer.getByLabel(WORDS.en.apiKeys.form.name, { exact: true }).fill("half-dated");
      await drawer.getByRole("switch", { name: WORDS.en.components.neverExpires }).click();
      const year = drawer
        .getByRole("group", { name: WORDS.en.apiKeys.form.expires })
        .getByRole("spinbutton", { name: "Year" });
      await year.click();
      await page.keyboard.press("Backspace");
      await drawer.getByRole("button", { name: WORDS.en.apiKeys.form.create_one, exact: true }).click();
      await drawer.getByText(WORDS.en.apiKeys.form.errors.expiry).waitFor();
      expect(await root.get("/api/token/?p=0")).toHaveLength(1);
    },
  ],
  [
    "part 2 F3: the amount of a top-up is at least 1",
    async () => {
      await setOptions(root, {
        PayAddress: "https://pay.example.test",
        EpayId: "1",
        EpayKey: "k",
        ServerAddress: gateway.url,
      });
      await open("/topup");
      const amount = page.getByLabel(WORDS.en.wallet.topUp.amount, { exact: true });
      await amount.fill("0");
      await amount.blur();
      expect(await amount.inputValue()).toBe("1");
    },
  ],
  [
    "part 2 F4: tag mode lists channels without a tag, too",
    async () => {
      await root.post("/api/channel/", channel({ name: "tagged", tag: "east" }));
      const { data, total } = await reply("GET", "/api/channel/?tag_mode=true&page_size=100");
      expect(data.map(({ name }: { name: string }) => name)).toContain("copied");
      expect(data[0].name).toBe("tagged");
      expect(total).toBe(data.length);
      await page.evaluate(() => localStorage.setItem("channel-tag-mode", "true"));
      await open("/channel");
      await row("copied").waitFor();
      await row("east").waitFor();
    },
  ],
  [
    "part 2 F5: one model is one model",
    async () =>
      expect(
        [WORDS.en.settings.pricing.batch.action_one, WORDS.en.settings.pricing.batch.action_other].map((text) =>
          fillPlaceholders(text, { count: 1 }),
        ),
      ).toEqual(["Set for 1 model", "Set for 1 models"]),
  ],
  [
    "part 2: a text of one's own is for one code",
    async () => {
      const codes = { name: "own", quota: DOLLAR, key: "MINE" };
      expect(await reply("POST", "/api/redemption/", { ...codes, count: 2 })).toMatchObject({
        code: "code_key_single",
      });
      expect(await reply("POST", "/api/redemption/", { ...codes, count: 1 })).toMatchObject({ data: ["MINE"] });
    },
  ],
  [
    "part 2: codes of no quota are refused, a key is masked until it is requested, −1000 is taken by a new channel only (declared)",
    async () => {
      expect(await reply("POST", "/api/redemption/", { name: "x", quota: 0 })).toMatchObject({
        code: "code_quota_invalid",
      });
      const { id } = await root.post(
        "/api/channel/",
        channel({ name: "low", key: "sk-secret-words", priority: -1000 }),
      );
      expect(JSON.stringify(await root.get(`/api/channel/${id}`))).not.toContain("sk-secret-words");
      expect(await root.get(`/api/channel/${id}?show_key=true`)).toMatchObject({
        key: "sk-secret-words",
        priority: -1000,
      });
      expect(await reply("PUT", "/api/channel/", { id, priority: -1001 })).toMatchObject({ success: false });
    },
  ],
  [
    "part 3.1: no settings page shows the key of a text",
    async () => {
      for (const at of ["/setting?tab=system&section=statements", "/setting?tab=operation&section=retention"]) {
        await open(at);
        await waitForQueries(page);
        expect(await page.locator("main").textContent()).not.toMatch(/settings\.fields|\.help\b/);
      }
    },
  ],
  [
    "part 3.2: /chat is open to visitors; where a key is to be filled in they sign in first, and no session is said to be over",
    async () => {
      await visitor.page.goto(`${gateway.url}/chat/1`);
      await visitor.page.locator("iframe").waitFor();
      await visitor.page.goto(`${gateway.url}/chat/0`);
      await visitor.page.waitForURL(({ pathname, searchParams }) => {
        const isLogin = pathname === "/login" && !searchParams.has("expired");
        return isLogin && searchParams.get("returnTo") === "/chat/0";
      });
    },
  ],
  [
    "part 3.3: chats on http are framed by a console on http",
    async () => {
      await open("/chat/0");
      await page.frameLocator("iframe").getByRole("heading", { name: "A chat" }).waitFor();
      expect(await page.locator("iframe").getAttribute("src")).toContain("/#sk-");
    },
  ],
  [
    "part 3.4: the footer has version, credit and a link to the project",
    async () => {
      await visitor.page.goto(`${gateway.url}/about`);
      const footer = visitor.page.getByRole("contentinfo");
      await footer.getByText(/^Version /).waitFor();
      const href = await footer.getByRole("link", { name: WORDS.en.shell.footer.credit }).getAttribute("href");
      expect((await fetch(new URL(href ?? "", gateway.url))).status).toBe(200);
    },
  ],
  [
    "part 3.5: HTML of a footer keeps style, class and target",
    async () => {
      const html =
        '<p style="text-align:center" class="icp"><a href="https://icp.example.test/" target="_blank">ICP</a></p>';
      await setOption(root, "Footer", html);
      await visitor.page.goto(`${gateway.url}/about`);
      const link = visitor.page.getByRole("contentinfo").getByRole("link", { name: "ICP" });
      expect(await link.getAttribute("target")).toBe("_blank");
      const text = visitor.page.locator("footer p.icp");
      expect(await text.evaluate((node) => getComputedStyle(node).textAlign)).toBe("center");
    },
  ],
  [
    "part 3.6: other has user_group_ratio and group",
    async () => {
      const { items } = await root.get(`/api/log/?type=2&model_name=${MODEL}`);
      expect(JSON.parse(items[0].other)).toMatchObject({ user_group_ratio: -1, group: "default", group_ratio: 1 });
    },
  ],
  [
    "part 3.7: refused calls are rows of type 2 without quota (declared), and no rpm",
    async () => {
      const { items } = await root.get("/api/log/?type=2&model_name=err-400");
      expect(items).toHaveLength(3);
      expect(items[0]).toMatchObject({ type: 2, failed: true, quota: 0 });
      expect(await root.get("/api/log/stat?type=2")).toMatchObject({ rpm: 1 });
    },
  ],
  [
    "part 3.8: Details is a column of the usage log from the start, which has pages; scrolling is a choice",
    async () => {
      await open("/log");
      // The column that unfolds a row has the same name.
      await page.getByRole("columnheader", { name: WORDS.en.logs.columns.details, exact: true }).nth(1).waitFor();
      await page.locator("[data-row]").first().waitFor();
      await button(fillPlaceholders(WORDS.en.components.table.perPage, { count: 10 })).click();
      await page.getByRole("menuitem", { name: WORDS.en.components.table.scroll }).click();
      await button(WORDS.en.components.table.scroll).waitFor();
      expect(
        await page.locator("table").evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0)),
      ).toBe(0);
    },
  ],
  [
    "part 3.9: a change of quota is shown to six decimals, and a negative balance as what it is",
    async () => {
      await open("/user");
      await consolePage.chooseRowAction(WALKER.username, WORDS.en.users.quota.open);
      const amount = dialog().getByRole("textbox").first();
      await amount.fill("-0.001998");
      await dialog().getByText("$0.00 + −$0.001998 = −$0.001998").waitFor();
      await dialog().getByText(WORDS.en.users.quota.tooLow).waitFor();
      await page.keyboard.press("Escape");
    },
  ],
];

for (const [line, hold] of LINES) test(line, hold, 90_000);

test("no page complained", () => expect([...consolePage.complaints, ...visitor.complaints]).toEqual([]));
