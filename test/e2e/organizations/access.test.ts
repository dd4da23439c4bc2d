/** An administrator gives rights in a real browser: custom roles, service accounts, and a company's identity provider. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOption } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, startOn } from "../../support/e2e/fixture.ts";
import { makeCertificate } from "../../support/lib/certificate.ts";

const PASSWORD = "a reader's password";
const { browser, gateway, root } = await startConsoleFixture(() => startOn(CHEAPEST_ENGINE));
await setOption(root, "Organizations", "on");
await root.post("/api/organization/", { username: "harbor", display_name: "Harbor" });

const folder = await mkdtemp(path.join(tmpdir(), "sluice-access-"));
await makeCertificate(path.join(folder, "certificate.pem"), path.join(folder, "key.pem"));
const certificate = await Bun.file(path.join(folder, "certificate.pem")).text();
await rm(folder, { recursive: true });

const statusWith = async (token: string, path: string): Promise<number> =>
  (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${token}` } })).status;

describe("rights", () => {
  const words = WORDS.en;
  const { access, identityProviders: providers } = words;
  const { verbs, resources } = access.rights;
  let console: ConsolePage;
  beforeAll(async () => {
    console = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
  });
  afterAll(() => console.close());

  test("a role is created with a part of the rights, which people with it have, and changed", async () => {
    const { page, button, dialog, row, waitForNotice, expectAccessible } = console;
    const { roles } = access;
    const name = "Auditor east";
    await console.open("/admin-roles");
    await page.getByRole("heading", { name: roles.title, level: 1 }).waitFor();
    await button(roles.add).first().click();
    const form = dialog(roles.add);
    await button(roles.add, form).click();
    await form.getByText(roles.nameRequired).waitFor();
    await form.getByText(access.rights.required).waitFor();
    await form.getByLabel(roles.columns.name, { exact: true }).fill(name);
    await form.getByRole("checkbox", { name: `${resources.audit}: ${verbs.read}` }).check();
    await expectAccessible();
    await button(roles.add, form).click();
    await waitForNotice(fillPlaceholders(roles.saved, { name }));
    await console.chooseRowAction(name, roles.edit);
    const edited = dialog(fillPlaceholders(roles.editTitle, { name }));
    await edited.getByRole("checkbox", { name: `${resources.logs}: ${verbs.read}` }).check();
    await button(roles.save, edited).click();
    await row(name).getByText(resources.logs).first().waitFor();
    await expectAccessible();

    const username = "auditor-east";
    const { id } = await root.post("/api/user/", { username, password: PASSWORD });
    const role = (await root.get("/api/admin_role/")).find((one: { name: string }) => one.name === name);
    await root.put(`/api/admin_role/users/${id}`, { role_id: role.id });
    const auditor = await login(gateway, username, PASSWORD);
    expect(await auditor.get("/api/audit/?p=0&page_size=10")).toMatchObject({ page: 1 });
    expect(await (await auditor.send("GET", "/api/channel/?p=0&page_size=10")).json()).toMatchObject({
      code: "right_missing",
    });
  }, 60_000);

  test("a service account gets a token, which is replaced and ends with the account", async () => {
    const { page, button, dialog, row, waitForNotice, expectAccessible } = console;
    const { accounts, token } = access;
    const name = "monitor-east";
    await console.open("/service-accounts");
    await page.getByRole("heading", { name: accounts.title, level: 1 }).waitFor();
    await button(accounts.add).first().click();
    const form = dialog(accounts.add);
    await form.getByLabel(accounts.columns.name, { exact: true }).fill("no spaces");
    await button(accounts.add, form).click();
    await form.getByText(access.rights.required).waitFor();
    await form.getByLabel(accounts.columns.name, { exact: true }).fill(name);
    await form.getByRole("checkbox", { name: `${resources.channels}: ${verbs.read}` }).check();
    await expectAccessible();
    await button(accounts.add, form).click();
    const issued = dialog(fillPlaceholders(accounts.tokenTitle, { name }));
    const first = (await issued.locator("code").textContent()) ?? "";
    await expectAccessible();
    await button(token.done, issued).click();
    expect(await statusWith(first, "/api/channel/?p=0&page_size=10")).toBe(200);
    expect(await statusWith(first, "/api/user/?p=0&page_size=10")).toBe(403);
    await row(name).getByText(resources.channels).first().waitFor();
    await console.chooseRowAction(name, accounts.rotate);
    await button(accounts.rotate, dialog(fillPlaceholders(accounts.rotateTitle, { name }))).click();
    const second = (await issued.locator("code").textContent()) ?? "";
    await button(token.done, issued).click();
    expect(await statusWith(first, "/api/channel/?p=0&page_size=10")).toBe(401);
    await console.chooseRowAction(name, accounts.delete);
    await button(accounts.delete, dialog(fillPlaceholders(accounts.deleteTitle, { name }))).click();
    await waitForNotice(fillPlaceholders(accounts.deleted, { name }));
    expect(await statusWith(second, "/api/channel/?p=0&page_size=10")).toBe(401);
  }, 60_000);

  test("a provider maps groups to organizations, gets a SCIM token and loses it", async () => {
    const { page, button, dialog, row, waitForNotice, expectAccessible } = console;
    const { scim, mappings } = providers;
    const name = "Work";
    await console.open("/identity-providers");
    await button(providers.add).first().click();
    const form = dialog(providers.add);
    await form.getByLabel(providers.columns.name, { exact: true }).fill(name);
    await form.getByRole("combobox", { name: providers.type, exact: true }).click();
    await page.getByRole("option", { name: providers.types.saml }).click();
    await form.getByLabel(providers.fields.entry_point).fill("https://idp.example.com/sso");
    await form.getByLabel(providers.fields.idp_issuer).fill(`https://idp.example.com/metadata`);
    await form.getByLabel(providers.fields.certificate).fill(certificate);
    await button(mappings.add, form).click();
    await button(providers.add, form).click();
    await form.getByText(mappings.required).waitFor();
    await form.getByLabel(mappings.group, { exact: true }).fill("engineers");
    await expectAccessible();
    await button(providers.add, form).click();
    await waitForNotice(fillPlaceholders(providers.saved, { name }));
    await console.chooseRowAction(name, scim.create);
    const issued = dialog(fillPlaceholders(scim.tokenTitle, { name }));
    const token = (await issued.locator("code").textContent()) ?? "";
    await button(access.token.done, issued).click();
    expect(await statusWith(token, "/scim/v2/Users")).toBe(200);
    const nowhere = await fetch(`${gateway.url}/scim/v2/Me`, { headers: { authorization: `Bearer ${token}` } });
    expect([nowhere.status, nowhere.headers.get("content-type")]).toEqual([404, "application/scim+json"]);
    await row(name).getByText(scim.on, { exact: true }).first().waitFor();
    await expectAccessible();
    await console.chooseRowAction(name, scim.revoke);
    await button(scim.revoke, dialog(fillPlaceholders(scim.revokeTitle, { name }))).click();
    await waitForNotice(fillPlaceholders(scim.revoked, { name }));
    expect(await statusWith(token, "/scim/v2/Users")).toBe(401);
    await console.chooseRowAction(name, providers.delete);
    await button(providers.delete, dialog(fillPlaceholders(providers.deleteTitle, { name }))).click();
    await waitForNotice(fillPlaceholders(providers.deleted, { name }));
    expect(console.complaints).toEqual([]);
  }, 60_000);

  test("an OpenID provider is added once its address is right, and keeps its secret through an edit", async () => {
    const { page, button, dialog, row, waitForNotice, expectAccessible } = console;
    const { fields } = providers;
    const name = "Harbor ID";
    using issuer = Bun.serve({
      port: 0,
      fetch: (request) => {
        const at = new URL(request.url);
        if (at.pathname !== "/.well-known/openid-configuration") return new Response("not here", { status: 404 });
        const [authorization_endpoint, token_endpoint, jwks_uri] = ["/go", "/token", "/keys"].map(
          (to) => at.origin + to,
        );
        return Response.json({ issuer: at.origin, authorization_endpoint, token_endpoint, jwks_uri });
      },
    });
    await console.open("/identity-providers");
    await button(providers.add).first().click();
    const form = dialog(providers.add);
    await form.getByRole("combobox", { name: providers.type, exact: true }).click();
    await page.getByRole("option", { name: providers.types.oidc }).click();
    await button(providers.add, form).click();
    await form.getByText(providers.required).first().waitFor();
    await form.getByLabel(providers.columns.name, { exact: true }).fill(name);
    await form.getByLabel(fields.issuer, { exact: true }).fill(`${issuer.url.origin}/nowhere`);
    await form.getByLabel(fields.client_id, { exact: true }).fill("sluice");
    await form.getByLabel(fields.secret, { exact: true }).fill("a secret of the client");
    await form.getByLabel(providers.columns.domains, { exact: true }).fill("nowhere");
    await page.keyboard.press("Enter");
    await button(providers.add, form).click();
    await form.getByText(providers.domainsInvalid).waitFor();
    await expectAccessible();
    await form.getByLabel(providers.columns.domains, { exact: true }).press("Backspace");
    await button(providers.add, form).click();
    // The address has no discovery document.
    await waitForNotice(new RegExp(`${issuer.url.origin}/nowhere/.well-known/openid-configuration`));
    expect(await root.get("/api/identity_provider/")).toEqual([]);
    await form.getByLabel(fields.issuer, { exact: true }).fill(issuer.url.origin);
    await button(providers.add, form).click();
    await waitForNotice(fillPlaceholders(providers.saved, { name }));
    await row(name).getByText(providers.types.oidc).first().waitFor();
    await console.chooseRowAction(name, providers.edit);
    const edited = dialog(fillPlaceholders(providers.editTitle, { name }));
    await edited.getByText(providers.stored).waitFor();
    expect(await edited.getByLabel(fields.secret, { exact: true }).inputValue()).toBe("");
    await edited.getByLabel(fields.scopes).fill("groups");
    await expectAccessible();
    await button(providers.save, edited).click();
    await waitForNotice(fillPlaceholders(providers.saved, { name }));
    const [stored] = await root.get("/api/identity_provider/");
    expect(stored).toMatchObject({ name, type: "oidc", secret_set: true, config: { scopes: "groups" } });
    await root.delete(`/api/identity_provider/${stored.id}`);
  }, 60_000);

  test("its pages can be read in Chinese on a phone", async () => {
    await expectChinesePages(browser, gateway, ["/admin-roles", "/service-accounts", "/identity-providers"]);
  }, 60_000);
});
