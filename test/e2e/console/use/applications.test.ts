/** Applications that sign people in, in a real browser: allowed, refused, denied, listed, and their access ended. */
import { afterAll, expect } from "bun:test";
import { oauthClient, pkce } from "../../../support/console/services/oauth-client.ts";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { setOption } from "../../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
} from "../../../support/e2e/console-page.ts";

/** What the application's own page was sent. */
const answers: URLSearchParams[] = [];
const application = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch(request) {
    answers.push(new URL(request.url).searchParams);
    return new Response("Signed in", { headers: { "content-type": "text/html" } });
  },
});
afterAll(() => application.stop(true));

const { browser, fixture } = await startBrowserFixture(["tools-model"]);
const { url } = fixture.gateway;
await setOption(fixture.root, "ServerAddress", url);
const agent = oauthClient(
  (method, path, body, headers = {}) =>
    fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  url,
  `http://127.0.0.1:${application.port}/callback`,
);
const client = "City Agent";
const clientId = String((await agent.register({ client_name: client })).body.client_id);
const consolePage = await openConsolePage(browser, fixture.gateway, BOTH_VIEWPORTS);
const words = WORDS.en.apiKeys.application;
const named = (text: string) => fillPlaceholders(text, { client });

/** Where the application sends people. */
function requestPath(challenge: string, fields: Readonly<Record<string, string>> = {}): string {
  return `/oauth/authorize?${new URLSearchParams(agent.queryOf(clientId, challenge, fields))}`;
}

const ping = async (token: string) => {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await answer.text();
  return answer.status;
};

test("an application is allowed in with a limit, stands on the page of keys, and has no access once that is ended", async () => {
  const { page, button, load, open, dialog } = consolePage;
  const { verifier, challenge } = pkce();
  await load(requestPath(challenge));
  await page.getByRole("heading", { name: named(words.question) }).waitFor();
  await page.getByText(words.unverified).waitFor();
  await page.getByLabel(words.limit, { exact: true }).fill("5");
  await consolePage.expectAccessible();
  await button(words.approve).click();
  await page.waitForURL(`http://127.0.0.1:${application.port}/**`);
  const answer = answers.at(-1);
  expect(answer?.get("state")).toBe("the state");
  const redeemed = await agent.redeem({
    ...{ client_id: clientId, code: answer?.get("code") ?? "", code_verifier: verifier },
    ...{ redirect_uri: `http://127.0.0.1:${application.port}/callback`, resource: `${url}/mcp` },
  });
  expect(redeemed.status).toBe(200);
  const token = String(redeemed.body.access_token);
  expect(await ping(token)).toBe(200);

  await load("/token");
  await page.getByText(`${client} (127.0.0.1:${application.port})`).waitFor();
  await consolePage.expectAccessible();
  await expectChinesePages(browser, fixture.gateway, ["/token", requestPath(challenge)]);
  await open("/token");
  await button(words.end).click();
  await dialog(named(words.endTitle)).waitFor();
  await button(words.end, dialog()).click();
  await consolePage.waitForNotice(named(words.ended));
  await page.getByText(words.listHint).waitFor({ state: "detached" });
  expect(await ping(token)).toBe(401);
}, 120_000);

test("one that is denied, or asks for what it can't have, gets no code", async () => {
  const { page, button, load } = consolePage;
  const { challenge } = pkce();
  await load(requestPath(challenge));
  await button(words.deny).click();
  await page.waitForURL(`http://127.0.0.1:${application.port}/**`);
  expect(Object.fromEntries(answers.at(-1) ?? [])).toMatchObject({ error: "access_denied", state: "the state" });

  await load(requestPath(challenge, { resource: "https://elsewhere.example/mcp" }));
  await page.getByRole("heading", { name: named(words.refused) }).waitFor();
  await consolePage.expectAccessible();
  await button(/^Back to/).click();
  await page.waitForURL(`http://127.0.0.1:${application.port}/**`);
  expect(answers.at(-1)?.get("error")).toBe("invalid_target");

  const unknown = requestPath(challenge).replace(clientId, "nobody");
  await load(unknown);
  await page.getByRole("alert").waitFor();
  await consolePage.expectAccessible();
  expect(answers.every((answer) => answer.get("code") === null || answer === answers[0])).toBe(true);
}, 120_000);
