/** Signing in at an MCP server in a real browser: added by an administrator, used, refused, and signed out. */
import { afterAll, expect } from "bun:test";
import { startSignInServers } from "../../../support/console/services/mcp-sign-in.ts";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { setOption } from "../../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
} from "../../../support/e2e/console-page.ts";

const servers = startSignInServers();
afterAll(() => servers.stop());
const { browser, fixture } = await startBrowserFixture(["tools-model"]);
await setOption(fixture.root, "ServerAddress", fixture.gateway.url);
const consolePage = await openConsolePage(browser, fixture.gateway, BOTH_VIEWPORTS);
const words = WORDS.en.mcpSignIns;
const form = WORDS.en.mcp.form;

test("a server is added, signed in to and out of, and says what went wrong at its authorization server", async () => {
  const { page, button, dialog, row, chooseRowAction } = consolePage;
  await consolePage.open("/mcp-servers");
  await button(WORDS.en.mcp.add).first().click();
  const drawer = dialog(form.createTitle);
  await drawer.getByLabel(form.name, { exact: true }).fill("city");
  await drawer.getByLabel(form.url, { exact: true }).fill(servers.url);
  await drawer.getByText(WORDS.en.mcp.authentication.none, { exact: true }).click();
  await page.getByText(WORDS.en.mcp.authentication.oauth, { exact: true }).last().click();
  await drawer.getByText(form.oauthHint).waitFor();
  await consolePage.expectAccessible();
  await button(form.create, drawer).click();
  await row("city").waitFor();

  await consolePage.open("/mcp-sign-ins");
  await row(words.status.none).waitFor();
  await consolePage.expectAccessible();
  servers.behavior.answers["/authorize"] = (request) => {
    const { searchParams } = new URL(request.url);
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.search = String(
      new URLSearchParams({ error: "access_denied", state: searchParams.get("state") ?? "", iss: servers.issuer }),
    );
    return Response.redirect(back.href, 302);
  };
  const signIn = button(fillPlaceholders(words.signInTo, { name: "city" }));
  await signIn.click();
  await page.getByRole("alert").getByText("Access was not allowed").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await consolePage.expectAccessible();
  await button(words.back).click();

  delete servers.behavior.answers["/authorize"];
  await chooseRowAction("city", words.signIn);
  await page.getByText(fillPlaceholders(words.signedInToast, { name: "city" })).waitFor();
  await row(words.status.signedIn).waitFor();
  await row("tools:read").waitFor();
  expect(await signIn.count()).toBe(0);
  await consolePage.expectAccessible();

  await chooseRowAction("city", words.signOut);
  await button(words.signOut).last().click();
  await page.getByText(fillPlaceholders(words.signedOutToast, { name: "city" })).waitFor();
  await row(words.status.none).waitFor();
  expect(servers.revoked).toHaveLength(1);
  expect(consolePage.complaints).toEqual([]);
}, 120_000);
