import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { channelExplainRoutes } from "./explain.ts";

let app: TestConsole;
const requests: object[] = [];
beforeAll(async () => {
  app = await startTestConsole(undefined, async (_, guarded) =>
    channelExplainRoutes((question) => {
      requests.push(question);
      return { model: question.model, channels: [] };
    }, guarded),
  );
  await app.addUser("user");
  await app.addUser("admin", "admin");
});
afterAll(() => app.close());
beforeEach(() => void requests.splice(0));

const ask = (body: unknown, headers?: Record<string, string>) => app.ask("POST", "/api/channel/explain", body, headers);

test("asks the scheduler for administrators, with the usual group and a short prompt unless the request says otherwise", async () => {
  const admin = await app.login("admin");
  const answer = await ask({ model: "gpt-4o" }, admin);
  expect(answer.body).toMatchObject({ success: true, data: { model: "gpt-4o", channels: [] } });
  await ask({ model: "gpt-4o", group: "vip", prompt_tokens: 9000 }, admin);
  const request = { messages: [{ role: "user", content: "hi" }] };
  await ask({ model: "gpt-4o", token_id: 7, request }, admin);
  await ask({ model: "gpt-4o", token_id: 7 }, admin);
  expect(requests).toEqual([
    { model: "gpt-4o", group: "default", promptTokens: 0 },
    { model: "gpt-4o", group: "vip", promptTokens: 9000 },
    { model: "gpt-4o", group: "default", promptTokens: 0, tokenId: 7, request },
    { model: "gpt-4o", group: "default", promptTokens: 0, tokenId: 7 },
  ]);
});

test("answers nobody else", async () => {
  expect((await ask({ model: "gpt-4o" })).status).toBe(401);
  expect((await ask({ model: "gpt-4o" }, await app.login("user"))).body).toMatchObject({ success: false });
  expect(requests).toEqual([]);
});

test("refuses what is no question", async () => {
  const admin = await app.login("admin");
  for (const body of [
    {},
    { model: "" },
    { model: "x".repeat(300) },
    { model: "m", prompt_tokens: -1 },
    { model: "m", token_id: 0 },
  ]) {
    expect((await ask(body, admin)).status).toBe(400);
  }
  expect(requests).toEqual([]);
});
