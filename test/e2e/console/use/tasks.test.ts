/** What people come for, in a real browser, with the steps that it takes: clicks, and fields that are filled in. */
import { afterAll, expect } from "bun:test";
import type { Locator } from "playwright";
import { startFakeSignInServices } from "../../../support/console/services/sign-in.ts";
import { WORDS, waitForQueries } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, login, setOptions } from "../../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
  VIEWPORTS,
} from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const [MODEL, OTHER, FAILING, UNPRICED] = ["usage-1000-500", "usage-20-10", "err-429", "usage-30-15"];
const PROVIDER_WORDS = "Rate limit reached for requests per minute.";
const { browser, fixture } = await startBrowserFixture([MODEL, OTHER, FAILING]);
const { root, gateway } = fixture;
await setOptions(root, { LogChatContentEnabled: true, Organizations: "on", ServerAddress: gateway.url });
await createChannel(root, fixture.upstream.url, [UNPRICED]);
const outside = await startFakeSignInServices();
afterAll(outside.stop);

async function call(model: string, key = fixture.key): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "What is a sluice?" }] });
  const init = { method: "POST", headers: { ...headers, "x-sluice-session": "night-run" }, body };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
  await response.text();
  return response.status;
}
for (const model of [MODEL, OTHER, FAILING]) await call(model);
await until(
  async () => [(await root.get("/api/log/?type=2")).total, (await root.get("/api/sessions/")).length],
  ([calls, sessions]) => calls === 3 && sessions === 1,
);

const { page, open, button, dialog, row } = await openConsolePage(browser, gateway, {
  ...VIEWPORTS.en,
  withoutAxe: true,
});
const words = WORDS.en;
let steps = 0;
const click = async (place: Locator) => {
  steps += 1;
  await place.click();
};
const fill = async (place: Locator, text: string) => {
  steps += 1;
  await place.fill(text);
};

/** A task that begins on a page, and what the best product needs for it. */
const task = (name: string, path: string, most: number, work: () => Promise<unknown>) =>
  test(`${name}: ${most} steps`, async () => {
    await open(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    steps = 0;
    await work();
    process.stdout.write(`${name}: ${steps} steps\n`);
    expect(steps).toBeLessThanOrEqual(most);
  }, 120_000);

task("why a request failed", "/console", 2, async () => {
  await click(page.getByRole("link", { name: words.failures.classes.provider_limit.title }).first());
  await row(PROVIDER_WORDS).waitFor();
});

task("who spends on a model", "/console", 2, async () => {
  await click(button(fillPlaceholders(words.usage.filterBy, { name: MODEL })).first());
  await click(button(words.usage.dimensions.user));
  await button(fillPlaceholders(words.usage.filterBy, { name: "root" }))
    .first()
    .waitFor();
});

task("a key's new secret", "/token", 3, async () => {
  await click(page.getByRole("button", { name: /^Actions for/ }).first());
  await click(page.getByRole("menuitem", { name: words.apiKeys.rotate.action }));
  await click(button(words.apiKeys.rotate.action, dialog()));
  await page.getByText(/sk-/).first().waitFor();
});

task("a key for $20", "/token", 5, async () => {
  await click(button(words.apiKeys.add).first());
  await fill(dialog().getByLabel(words.apiKeys.form.name, { exact: true }), "twenty");
  await click(button("$20", dialog()));
  await click(button(words.apiKeys.form.create_one, dialog()));
  await until(
    async () => (await root.get("/api/token/?p=0&size=100")) as { name: string; remain_quota: number }[],
    (keys) => keys.some(({ name, remain_quota: quota }) => name === "twenty" && quota === 20 * 500_000),
  );
});

task("what last month cost", "/console", 2, async () => {
  await click(button(words.logs.ranges.custom));
  await click(button(words.logs.ranges.lastMonth));
  await page.waitForURL(/from=\d+&to=\d+/);
});

task("another language", "/console", 2, async () => {
  await click(button(new RegExp(`^${words.shell.language}`)));
  await click(page.getByRole("menuitem", { name: "简体中文" }));
  await page.getByRole("heading", { name: WORDS.zh.usage.title, level: 1 }).waitFor();
  await button(new RegExp(`^${WORDS.zh.shell.language}`)).click();
  await page.getByRole("menuitem", { name: "English" }).click();
  await page.getByRole("heading", { name: words.usage.title, level: 1 }).waitFor();
});

task("what an agent's run cost", "/console", 2, async () => {
  await click(page.getByRole("navigation").locator("a[aria-expanded]").filter({ hasText: "Logs" }));
  await click(page.getByRole("link", { name: words.shell.sessions, exact: true }));
  await row("night-run").getByText(/\$/).first().waitFor();
});

task("a logged request on another model", "/log", 4, async () => {
  await click(button(fillPlaceholders(words.components.table.detailsOf, { name: MODEL })));
  await click(button(words.logs.replay.action));
  await fill(dialog().getByLabel(words.logs.replay.model), OTHER);
  await click(button(words.logs.replay.start, dialog()));
  await until(
    () => page.getByText("A sluice is a gate that measures water.").count(),
    (count) => count === 2,
  );
});

task("how to back up", "/console", 2, async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").and(page.locator("input:focus")).waitFor();
  await fill(page.getByRole("combobox").and(page.locator("input:focus")), "backup");
  const found = page.getByRole("option", { name: /Operations and backups/ });
  const [docs] = await Promise.all([page.context().waitForEvent("page"), click(found)]);
  expect(docs.url()).toContain("/docs/");
  await docs.close();
});

const optionOf = async (key: string): Promise<string> => {
  const options: { key: string; value: string }[] = await root.get("/api/option/");
  return options.find((option) => option.key === key)?.value ?? "";
};

task("a model's price", `/setting?tab=operation&field=pricing&model=${OTHER}`, 2, async () => {
  const { priceOf, form } = words.settings.pricing;
  await fill(page.getByLabel(fillPlaceholders(priceOf, { price: form.inputPrice, name: OTHER })), "3");
  await click(button(/^Save \d/));
  await until(
    async () => JSON.parse(await optionOf("ModelRatio")),
    (ratios) => ratios[OTHER] === 1.5,
  );
});

/** What puts a failed request right, from its details in the log; the same request succeeds then. */
const fixTask = (
  name: string,
  most: number,
  failed: { call: () => Promise<number>; row: string; fix: string },
  work: () => Promise<unknown>,
) =>
  task(name, "/log", most, async () => {
    expect(await failed.call()).not.toBe(200);
    const rows = row(failed.row);
    await until(async () => {
      await open("/log");
      await waitForQueries(page);
      return rows.count();
    });
    steps = 0;
    await click(rows.first().getByRole("button", { name: /^Details of/ }));
    await click(button(failed.fix));
    await work();
    await until(failed.call, (status) => status === 200);
  });

const { fixes } = words.failures;
const short = await createApiKey(root, { name: "short", unlimited_quota: false, remain_quota: 1 });
fixTask(
  "raising the quota of a key, from a failure",
  4,
  { call: () => call(MODEL, short.key), row: "short", fix: fixes.key },
  async () => {
    await click(button("$20", dialog()));
    await click(button(words.apiKeys.form.save, dialog()));
  },
);

fixTask(
  "the price of a model that has none, from a failure",
  4,
  { call: () => call(UNPRICED), row: UNPRICED, fix: fixes.price },
  async () => {
    const { priceOf, form } = words.settings.pricing;
    await fill(page.getByLabel(fillPlaceholders(priceOf, { price: form.inputPrice, name: UNPRICED })), "3");
    await click(button(/^Save \d/));
  },
);

task("a fallback for a model", "/routes", 4, async () => {
  const { form, add } = words.routes;
  const models = dialog().getByLabel(form.model, { exact: true });
  expect(await call(FAILING)).not.toBe(200);
  await click(button(add).first());
  await fill(models.nth(0), FAILING);
  await page.keyboard.press("Tab");
  await fill(models.nth(1), OTHER);
  await page.keyboard.press("Tab");
  await click(button(form.create, dialog()));
  await row(FAILING).getByText(OTHER).waitFor();
  // Clients change nothing: the route has the model's name.
  await until(
    () => call(FAILING),
    (status) => status === 200,
  );
});

task("an invitation with a budget", "/organization?section=members", 4, async () => {
  const { invitations } = words.organizations;
  await root.post("/api/user/", { username: "lockhand", password: "guest-of-harbor-9" });
  const { id } = await root.post("/api/organization/", { username: "harbor", display_name: "Harbor" });
  await open(`/organization?section=members&organization=${id}`);
  await click(button(invitations.invite));
  await click(button("$50", dialog()));
  await click(button(invitations.createLink, dialog()));
  const link = await page.getByRole("region", { name: invitations.link }).textContent();
  const guest = await login(gateway, "lockhand", "guest-of-harbor-9");
  const token = new URL(link ?? "").searchParams.get("token");
  await guest.post("/api/organization/invitation/accept", { token });
  const limits = { scope: "member", scope_id: guest.userId, period: "month", limit: 50 * 500_000, is_hard: true };
  expect(await root.get(`/api/organization/${id}/budgets`)).toMatchObject([limits]);
  await button(words.shell.account).click();
  await page.getByRole("menuitemradio").first().click();
});

task("a plan that is offered and subscribed to", "/plan", 7, async () => {
  const { form, subscribe } = words.plans;
  await click(button(form.add).first());
  await fill(dialog().getByLabel(form.name, { exact: true }), "Harbor pass");
  await click(button("$10", dialog()).first());
  await click(button(form.save, dialog()));
  await click(page.getByRole("navigation").getByRole("link", { name: words.shell.wallet, exact: true }));
  await click(button(subscribe));
  await click(button(subscribe, dialog()));
  await page.getByText(fillPlaceholders(words.plans.subscribed, { name: "Harbor pass" })).waitFor();
  expect(await root.get("/api/plan/")).toMatchObject([{ price: 10 * 500_000, windowQuota: 10 * 500_000 }]);
});

task("an alert in Slack above $50 a day", "/console", 4, async () => {
  const { form } = words.alerts.rules;
  await click(button(words.components.alertOnSpending));
  await click(button("$50", dialog()));
  await fill(dialog().getByLabel(form.url), "https://hooks.slack.com/services/T0/B0/x");
  await click(button(form.add, dialog()));
  await row("Slack").waitFor();
  const spending = { event: "spending", period: "day", per: "total", threshold: 50 * 500_000, enabled: true };
  expect(await root.get("/api/alerts/rules?scope=site")).toMatchObject([spending]);
  expect(await root.get("/api/alerts/destinations?scope=site")).toMatchObject([{ type: "slack", enabled: true }]);
});

task("single sign-on, in one visit to each side", "/identity-providers", 8, async () => {
  const { add, columns, fields, addresses } = words.identityProviders;
  await click(button(add).first());
  // What the provider has to know stands in the form before anything is saved.
  const redirect = dialog().getByText(/\/oauth\/sso-\d+$/);
  const address = await redirect.textContent();
  await dialog().getByText(addresses.redirect).waitFor();
  await fill(dialog().getByLabel(columns.name, { exact: true }), "Harbor");
  await fill(dialog().getByLabel(fields.issuer, { exact: true }), outside.url);
  await fill(dialog().getByLabel(fields.client_id, { exact: true }), "oidc client");
  await fill(dialog().getByLabel(fields.secret, { exact: true }), "oidc secret");
  await fill(dialog().getByLabel(columns.domains, { exact: true }), "harbor.example");
  await page.keyboard.press("Enter");
  await click(button(add, dialog()));
  await row("Harbor").waitFor();
  const [provider] = await root.get("/api/identity_provider/");
  expect(provider).toMatchObject({ name: "Harbor", domains: ["harbor.example"], secret_set: true });
  expect(address).toBe(`${gateway.url}/oauth/sso-${provider.id}`);
});

task("the brand: name, logo and color", "/setting?tab=other&section=identity", 4, async () => {
  const { fields, brand } = words.settings;
  await fill(page.getByLabel(fields.SystemName.label, { exact: true }), "Harbor AI");
  steps += 1;
  await page.getByLabel(brand.choose).setInputFiles({
    ...{ name: "harbor.svg", mimeType: "image/svg+xml" },
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320"><path d="M0 0h640v320z"/></svg>',
    ),
  });
  await fill(page.getByLabel(fields.BrandColor.label, { exact: true }), "#7c3aed");
  await click(button(/^Save 3/));
  const saved = () => Promise.all(["SystemName", "BrandColor", "Logo"].map(optionOf));
  const [, , logo = ""] = await until(saved, ([name, color]) => name === "Harbor AI" && color === "#7c3aed");
  expect(logo).toStartWith("data:image/png;base64,");
  // Half the longest side of 160 pixels, and small enough for every page.
  const png = Buffer.from(logo.slice(logo.indexOf(",") + 1), "base64");
  expect([png.readUInt32BE(16), png.readUInt32BE(20), png.length < 32_768]).toEqual([160, 80, true]);
});
