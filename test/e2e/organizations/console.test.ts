/** Two people share an organization in a real browser: one creates it and invites, the other joins, makes a key and calls. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { WORDS, waitForQueries } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOptions } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startMailServer } from "../../support/notifications.ts";

const PASSWORD = "a member's password";
const post = await startMailServer();
afterAll(post.stop);
const { browser, fixture } = await startBrowserFixture(["gpt-4o"], { engine: CHEAPEST_ENGINE });
const { gateway, root } = fixture;
await setOptions(root, {
  ...{ Organizations: "on", ServerAddress: gateway.url },
  ...{ SMTPServer: "127.0.0.1", SMTPPort: post.port, SMTPFrom: "gate@example.com" },
});

describe("an organization", () => {
  const words = WORDS.en;
  const texts = words.organizations;
  const [owner, member, third] = ["ann", "bob", "cy"] as const;
  const name = "Team east";
  let first: ConsolePage;
  let second: ConsolePage;
  let link = "";

  /** Opens a section of the organization's page, from the list next to it. */
  const openSection = async ({ page, button }: ConsolePage, section: keyof typeof texts.sections) => {
    const { label } = texts.sections;
    await button(texts.sections[section], page.getByRole("navigation", { name: label })).click();
    await page.waitForURL(`**/organization?section=${section}`);
  };
  const keyNames = async (console: ConsolePage): Promise<string[]> => {
    await console.open("/token");
    await console.page.getByRole("heading", { name: words.apiKeys.title, exact: true }).waitFor();
    await console.page.locator(`[data-row], h2:has-text("${words.apiKeys.empty.title}")`).first().waitFor();
    return console.page.locator("[data-row]").allTextContents();
  };
  /** The newest key of the organization, as the member sees it. */
  const firstKey = async () => {
    const [row] = await second.page.evaluate(
      async ({ id, organization }) => {
        const headers = { "Sluice-User": String(id), "Sluice-Organization": String(organization) };
        return (await (await fetch("/api/token/", { headers })).json()).data;
      },
      await second.page.evaluate(() => ({
        id: JSON.parse(localStorage.getItem("user") ?? "{}").id,
        organization: JSON.parse(localStorage.getItem("organization") ?? "{}").organization,
      })),
    );
    return row;
  };

  const chat = async (key: string, tag = "") => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer sk-${key}`, "content-type": "application/json" },
        ...(tag && { "x-sluice-tags": tag }),
      },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(reply.status).toBe(200);
  };

  beforeAll(async () => {
    for (const username of [owner, member]) await root.post("/api/user/", { username, password: PASSWORD });
    first = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username: owner, password: PASSWORD });
    second = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username: member, password: PASSWORD });
  }, 120_000);
  afterAll(async () => {
    await first.close();
    await second.close();
  });

  test("is created by one person, who acts for it from then on", async () => {
    const { page, open, button, dialog, waitForNotice, expectAccessible } = first;
    await open("/organization");
    await page.getByText(texts.empty.title).waitFor();
    await expectAccessible();
    await button(texts.create.action).click();
    const form = dialog(texts.create.title);
    await form.getByLabel(texts.create.username).fill("a b");
    await button(texts.create.action, form).click();
    await form.getByText(texts.errors.username_characters).waitFor();
    await form.getByLabel(texts.create.username).fill("team-east");
    await form.getByLabel(texts.name, { exact: true }).fill(name);
    await button(texts.create.action, form).click();
    await waitForNotice(texts.create.done);
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await page.getByText(texts.budgets.none).waitFor();
    await expectAccessible();
  });

  test("is filled from the owner's wallet", async () => {
    const { page, open, button, dialog, waitForNotice } = first;
    const { items } = await root.get(`/api/user/search?keyword=${owner}`);
    await root.put("/api/user/", { id: items[0].id, quota_delta: 3_000_000 });
    await open("/organization");
    await button(texts.wallet.in.open).click();
    const form = dialog(texts.wallet.in.title);
    await form.getByText("$6.00").waitFor();
    await form.getByLabel(texts.wallet.quota).fill("2");
    await button(texts.wallet.in.action, form).click();
    await waitForNotice(texts.wallet.moved);
    await page.getByText("$2.00", { exact: true }).waitFor();
    await button(texts.wallet.out.open).click();
    const back = dialog(texts.wallet.out.title);
    await back.getByLabel(texts.wallet.quota).fill("0.2");
    await button(texts.wallet.out.action, back).click();
    await waitForNotice(texts.wallet.moved);
    await page.getByText("$1.80", { exact: true }).waitFor();
  });

  test("invites by a link that another person opens and joins", async () => {
    const { page, button, dialog, waitForNotice, expectAccessible } = first;
    await openSection(first, "members");
    await page.getByText(texts.members.you, { exact: true }).waitFor();
    await button(texts.invitations.invite).click();
    const form = dialog(texts.invitations.inviteTitle);
    await button(texts.invitations.createLink, form).click();
    await waitForNotice(texts.invitations.created);
    link = (await page.getByRole("region", { name: texts.invitations.link }).textContent()) ?? "";
    expect(link).toContain("/organization/join?token=");
    await page.getByText(texts.invitations.byLink, { exact: true }).waitFor();
    await expectAccessible();
    const { pathname, search } = new URL(link);
    await second.open(pathname + search);
    await second.page.getByRole("heading", { name: texts.join.title.replace("{{name}}", name) }).waitFor();
    await second.expectAccessible();
    await second.button(texts.join.action).click();
    await second.page.getByRole("heading", { name, exact: true }).waitFor();
    expect(await second.button(texts.wallet.out.open).count()).toBe(0);
    await openSection(second, "members");
    await second.page.getByText(texts.members.you, { exact: true }).waitFor();
    expect(await second.button(texts.invitations.invite).count()).toBe(0);
    expect(await second.page.getByText(texts.sections.alerts, { exact: true }).count()).toBe(0);
    await first.open(pathname + search);
    await first.page.getByText(texts.join.invalid).waitFor();
  });

  test("has keys that the member's own account does not have, and the owner sees them with their author", async () => {
    const { page, button } = second;
    expect(await keyNames(second)).toEqual([]);
    await button(words.apiKeys.add).first().click();
    const form = page.getByRole("dialog");
    await form.getByLabel(words.apiKeys.form.name, { exact: true }).fill("shared");
    await form.getByRole("switch", { name: words.apiKeys.form.unlimited }).setChecked(true);
    await form.getByRole("button", { name: /^(Create key|Create 1 key|创建)/ }).click();
    await button(words.apiKeys.created.done).click();
    await second.actAs(words.accountSwitch.personal);
    expect(await keyNames(second)).toEqual([]);
    await second.actAs(name);
    expect((await keyNames(second)).join()).toContain("shared");
    expect((await keyNames(first)).join()).toContain("shared");
    await first.row("shared").getByText(member).waitFor();
  });

  test("limits a project with a budget, in which its keys are", async () => {
    const { page, open, button, dialog, waitForNotice, expectAccessible } = first;
    await open("/organization?section=projects");
    await page.getByText(texts.projects.none).waitFor();
    await button(texts.projects.create).click();
    await dialog(texts.projects.create).getByLabel(texts.name, { exact: true }).fill("Website");
    await button(texts.projects.create, dialog(texts.projects.create)).click();
    await waitForNotice(texts.projects.saved.replace("{{name}}", "Website"));
    await openSection(first, "budgets");
    await button(texts.budgets.create).click();
    const form = dialog(texts.budgets.create);
    await form.getByRole("combobox", { name: texts.budgets.scope }).click();
    await page.getByRole("option", { name: texts.budgets.scopes.project, exact: true }).click();
    await form.getByRole("combobox", { name: texts.budgets.scopes.project, exact: true }).click();
    await page.getByRole("option", { name: "Website" }).click();
    await form.getByLabel(texts.budgets.limit, { exact: true }).fill("1");
    await expectAccessible();
    await button(texts.budgets.create, form).click();
    await waitForNotice(texts.budgets.saved);
    await expectAccessible();

    await keyNames(second);
    await second.chooseRowAction("shared", words.apiKeys.edit);
    const drawer = second.page.getByRole("dialog");
    await drawer.getByRole("combobox", { name: words.apiKeys.form.project }).click();
    await second.page.getByRole("option", { name: "Website" }).click();
    await drawer.getByRole("button", { name: words.apiKeys.form.save }).click();
    await second.waitForNotice(words.apiKeys.saved.replace("{{name}}", "shared"));
  });

  test("forbids models by a policy, of which wrong fields are named", async () => {
    const { page, open, button, dialog, waitForNotice, expectAccessible } = first;
    const policies = texts.policies;
    await open("/organization?section=policies");
    await page.getByText(policies.none).waitFor();
    await button(policies.create).click();
    const form = dialog(policies.create);
    await form.getByLabel(policies.name, { exact: true }).fill("House rules");
    await form.getByLabel(policies.models).fill("gpt-4*");
    await form.getByLabel(policies.ips).fill("nowhere");
    await button(policies.create, form).click();
    const error = form.getByRole("alert");
    await error.waitFor();
    // It stands below its own field.
    expect(await error.evaluate((node) => node.parentElement?.querySelector("label")?.textContent)).toBe(policies.ips);
    await form.getByLabel(policies.ips).fill("127.0.0.0/8");
    await form.getByLabel(policies.rotationDays).fill("1.5");
    await button(policies.create, form).click();
    await until(async () =>
      (await error.evaluate((node) => node.parentElement?.textContent))?.includes(policies.rotationDays),
    );
    await form.getByLabel(policies.rotationDays).fill("1");
    await form.getByRole("combobox", { name: policies.providers }).click();
    await page.getByRole("option", { name: "OpenAI", exact: true }).click();
    await page.keyboard.press("Escape");
    await expectAccessible();
    await button(policies.create, form).click();
    await waitForNotice(policies.saved.replace("{{name}}", "House rules"));
    await page.getByText("gpt-4*").waitFor();
    await page.getByText(new RegExp(`^${RegExp.escape(policies.rotationDays)}.*1$`)).waitFor();
    await expectAccessible();
  });

  test("warns of a key that the policy demands to be rotated, and ends its old secret in time", async () => {
    const { rotate, status, created } = words.apiKeys;
    expect((await keyNames(second)).join()).toContain(status.rotationSoon);
    await second.chooseRowAction("shared", rotate.action);
    const form = second.dialog(rotate.title.replace("{{name}}", "shared"));
    await form.getByText(new RegExp(fillPlaceholders(rotate.limit, { policy: "House rules", time: ".*" }))).waitFor();
    await second.expectAccessible();
    await second.button(rotate.action, form).click();
    await second.button(created.done).click();
    const key = await firstKey();
    expect(key.previous_key_until).toBeLessThanOrEqual(key.created_time + 86_400);
    expect(key.secret_time).toBeGreaterThanOrEqual(key.created_time);
  });

  test("pays for calls with its key, which its owner sees in the log and in the wallet", async () => {
    const row = await firstKey();
    await chat(row.key);
    await until(async () => (await root.get(`/api/user/${row.user_id}`)).request_count === 1);
    await first.open("/log");
    const called = first.row("gpt-4o").first();
    await called.waitFor();
    await first.expectAccessible();
    await first.openRow(called);
    await first.page.getByText(`${texts.budgets.scopes.project} Website ${texts.budgets.periods.month}`).waitFor();
    await first.actAs(words.accountSwitch.personal);
    await first.open("/log");
    await first.page.getByText(words.logs.title).first().waitFor();
    expect(await first.page.locator("[data-row]").filter({ hasText: "gpt-4o" }).count()).toBe(0);
  });

  test("gets members by mail and gives them roles", async () => {
    const { page, button, dialog, waitForNotice, expectAccessible } = first;
    const { members, invitations } = texts;
    const { roles } = words.accountSwitch;
    await first.actAs(name);
    await first.open("/organization?section=members");
    await button(invitations.invite).click();
    const email = `${third}@example.com`;
    const form = dialog(invitations.inviteTitle);
    await form.getByLabel(invitations.email).fill(email);
    await button(invitations.send, form).click();
    await waitForNotice(invitations.mailed);
    await page.getByText(email, { exact: true }).waitFor();
    const mail = await until(
      async () => post.received.find(({ to }) => to.includes(email)),
      (found) => found !== undefined,
    );
    const token = /token=([\w-]+)/.exec(mail?.text ?? "")?.[1];
    await root.post("/api/user/", { username: third, password: PASSWORD });
    await (await login(gateway, third, PASSWORD)).post("/api/organization/invitation/accept", { token });
    await button(invitations.invite).click();
    await button(invitations.createLink, dialog(invitations.inviteTitle)).click();
    await waitForNotice(invitations.created);
    // The list still shows the accepted one until it is read again.
    await page.getByText(email, { exact: true }).waitFor({ state: "detached" });
    await button(invitations.revoke).click();
    await waitForNotice(invitations.revoked);
    await page.getByText(invitations.none).waitFor();

    await first.open("/organization?section=members");
    await page.getByRole("combobox", { name: fillPlaceholders(members.roleOf, { name: third }) }).click();
    await page.getByRole("option", { name: roles.viewer, exact: true }).click();
    await waitForNotice(fillPlaceholders(members.changed, { name: third, role: roles.viewer }));
    await expectAccessible();
    const entry = page.getByRole("group", { name: third });
    await button(members.remove, entry).click();
    await button(members.remove, dialog(fillPlaceholders(members.removeTitle, { name: third }))).click();
    await waitForNotice(fillPlaceholders(members.removed, { name: third }));
    await entry.waitFor({ state: "detached" });
  });

  test("gives its requests and its audit log by project, member and tag to those who may take them away", async () => {
    const { page, open, button, download, dialog, waitForNotice, expectAccessible } = first;
    const { access } = texts;
    const exported = async (query: string) => {
      await open(`/log?${query}`);
      await waitForQueries(page);
      return (await download(() => button(words.components.exportCsv).click())).text;
    };
    const { project_id: project, created_by: author, key } = await firstKey();
    await chat(key, "night");
    await until(async () => (await root.get(`/api/user/${(await firstKey()).user_id}`)).request_count === 2);
    expect(await exported("type=2&tag=night")).toContain("night");
    const owned = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}").id);
    for (const query of [`project=${project}`, "type=2", `member=${author}`]) {
      expect([query, await exported(query)]).toEqual([query, expect.stringContaining("gpt-4o")]);
    }
    for (const query of ["tag=day", `member=${owned}`]) expect(await exported(query)).not.toContain("gpt-4o");

    await open("/organization");
    await openSection(first, "audit");
    const entries = async (query: string) => {
      await open(`/organization?section=audit&${query}`);
      await waitForQueries(page);
      return (await download(() => button(words.components.exportCsv).click())).text;
    };
    expect(await entries("")).toContain(`${owner} created the project Website`);
    await page.locator("[data-row]").first().waitFor();
    await expectAccessible();
    const ofProject = await entries(`project=${project}`);
    expect(ofProject).toContain(`${owner} created the project Website`);
    expect(ofProject).not.toContain("created the organization");
    const byMember = await entries(`member=${author}`);
    expect(byMember).toContain(`${member} rotated the API key shared`);
    expect(byMember).not.toContain(owner);
    await first.openRow(page.locator("[data-row]").first());
    await dialog()
      .getByRole("heading", {
        name: fillPlaceholders(words.logNotes.texts.organization_key_rotated, { by: member, name: "shared" }),
      })
      .waitFor();
    await button(words.components.close, dialog()).click();

    await openSection(first, "members");
    const name = fillPlaceholders(access.of, { name: member });
    const choose = async (...rights: (keyof typeof access.rights)[]) => {
      await button(name).click();
      const form = dialog(name);
      for (const right of rights) await form.getByRole("checkbox", { name: access.rights[right] }).click();
      await expectAccessible();
      await button(access.save, form).click();
      await waitForNotice(fillPlaceholders(access.saved, { name: member }));
    };
    await choose("usage", "exports");
    await page.getByText(access.limited).waitFor();
    await second.load("/log");
    await second.row("gpt-4o").first().waitFor();
    expect(await second.button(words.components.exportCsv).count()).toBe(0);
    const links = second.page.getByRole("link", { name: words.shell.dashboard, exact: true });
    expect(await links.count()).toBe(0);
    await second.load("/detail");
    await second.page.getByText(words.shell.notPermitted.memberBody).waitFor();
    await choose("usage", "exports");
    await second.load("/detail");
    await second.button(words.components.exportCsv).waitFor();
  });

  test("changes and removes what it made", async () => {
    const { page, button, dialog, waitForNotice } = first;
    const { budgets, projects, policies, rename } = texts;
    await openSection(first, "budgets");
    await button(budgets.change).click();
    await dialog(budgets.changeTitle).getByLabel(budgets.limit, { exact: true }).fill("1.2");
    await button(budgets.save, dialog(budgets.changeTitle)).click();
    await waitForNotice(budgets.saved);
    await page
      .getByText(/\$1\.20/)
      .first()
      .waitFor();
    await button(budgets.delete).click();
    await button(budgets.delete, dialog(budgets.deleteTitle)).click();
    await waitForNotice(budgets.deleted);
    await page.getByText(budgets.none).waitFor();
    await openSection(first, "policies");
    await button(policies.change).click();
    await dialog(policies.changeTitle).getByLabel(policies.name, { exact: true }).fill("Rules");
    await button(policies.save, dialog(policies.changeTitle)).click();
    await waitForNotice(fillPlaceholders(policies.saved, { name: "Rules" }));
    await button(policies.delete).click();
    await button(policies.delete, dialog(fillPlaceholders(policies.deleteTitle, { name: "Rules" }))).click();
    await waitForNotice(fillPlaceholders(policies.deleted, { name: "Rules" }));
    await openSection(first, "projects");
    await button(projects.rename).click();
    await dialog(projects.renameTitle).getByLabel(texts.name, { exact: true }).fill("Site");
    await button(projects.save, dialog(projects.renameTitle)).click();
    await waitForNotice(fillPlaceholders(projects.saved, { name: "Site" }));
    await button(projects.delete).click();
    await button(projects.delete, dialog(fillPlaceholders(projects.deleteTitle, { name: "Site" }))).click();
    await waitForNotice(fillPlaceholders(projects.deleted, { name: "Site" }));
    await openSection(first, "settings");
    await page.getByLabel(texts.name, { exact: true }).fill(`${name} renamed`);
    await button(rename.action).click();
    await waitForNotice(rename.done);
    await page.getByRole("heading", { name: `${name} renamed`, level: 1 }).waitFor();
    await first.expectAccessible();
    await page.getByLabel(texts.name, { exact: true }).fill(name);
    await button(rename.action).click();
    await waitForNotice(rename.done);
  });

  test("is left by the member, who goes on for themselves, and complains of nothing", async () => {
    const { page, open, button, dialog, waitForNotice } = second;
    await open("/organization?section=settings");
    await button(texts.leave.action).click();
    await button(texts.leave.action, dialog(texts.leave.confirm.replace("{{name}}", name))).click();
    await waitForNotice(texts.leave.done.replace("{{name}}", name));
    await page.getByText(texts.empty.title).waitFor();
    expect(second.complaints).toEqual([]);
  });

  test("its pages can be read in Chinese on a phone, where a section is chosen from a select", async () => {
    const { sections } = WORDS.zh.organizations;
    const account = { username: owner, password: PASSWORD };
    const paths = ["projects", "policies", "members", "audit", "settings"].map(
      (section) => `/organization?section=${section}`,
    );
    await expectChinesePages(browser, gateway, ["/token", "/log"], account, async (phone) => {
      await phone.actAs(name);
      for (const path of ["/token", ...paths, "/organization"]) {
        await phone.open(path);
        await phone.expectAccessible();
      }
      await phone.page.getByRole("combobox", { name: sections.label }).click();
      await phone.page.getByRole("option", { name: sections.projects, exact: true }).click();
      await phone.page.waitForURL("**/organization?section=projects");
    });
  }, 120_000);

  test("is deleted by its owner once it has no keys and no balance, and nobody is left in it", async () => {
    const { page, open, button, dialog, waitForNotice, expectAccessible } = first;
    const removal = texts.delete;
    await open("/organization?section=settings");
    const remove = async () => {
      await button(removal.action).click();
      const question = dialog(fillPlaceholders(removal.confirm, { name }));
      await question.getByText(removal.body).waitFor();
      await expectAccessible();
      await button(removal.action, question).click();
    };
    await remove();
    // The key of the member who left is still there.
    await page.getByRole("alert").first().waitFor();
    const session = await login(gateway, owner, PASSWORD);
    const [{ id }] = await session.get("/api/organization/");
    const headers = { cookie: session.cookie, "sluice-user": `${session.userId}`, "sluice-organization": `${id}` };
    const keys = (await (await fetch(`${gateway.url}/api/token/`, { headers })).json()).data;
    for (const key of keys) await fetch(`${gateway.url}/api/token/${key.id}`, { method: "DELETE", headers });
    const { quota } = await root.get(`/api/user/${id}`);
    await session.post(`/api/organization/${id}/transfer`, { direction: "out", quota });
    await remove();
    await waitForNotice(fillPlaceholders(removal.done, { name }));
    await page.getByText(texts.empty.title).waitFor();
    expect(await session.get("/api/organization/")).toEqual([]);
    await button(words.shell.account).click();
    expect(await page.getByRole("menuitemradio", { name, exact: true }).count()).toBe(0);
    await page.keyboard.press("Escape");
  });
});
