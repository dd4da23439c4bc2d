/** Who may try a tool, and what the console gets of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { createClientAddress } from "../../../lib/http/client-ip.ts";
import { mcpTrialRoutes, type TryTool } from "./trial.ts";

let app: TestConsole;
const attempts: Parameters<TryTool>[0][] = [];
let answer: Awaited<ReturnType<TryTool>>;

beforeAll(async () => {
  app = await startTestConsole(undefined, async (_services, guarded) =>
    mcpTrialRoutes(
      {
        clientAddress: createClientAddress([]),
        tryTool: async (attempt) => {
          attempts.push(attempt);
          return answer;
        },
      },
      guarded,
    ),
  );
  await app.addUser("root", "root");
  await app.addUser("ben");
});
afterAll(() => app.close());

const PATH = "/api/mcp-server/4/tools/try";
const BODY = { tool: "weather", arguments: { city: "Ghent" } };
const ask = async (who: string, body: object = BODY) => await app.ask("POST", PATH, body, await app.login(who));

test("an administrator's call is theirs, and its result comes back", async () => {
  const content = [{ type: "text", text: "rainy" }];
  answer = { requestId: "r-1", elapsedMs: 12, result: { content }, error: null };
  const { body } = await ask("root");
  expect(body.data).toEqual({
    ...{ request_id: "r-1", elapsed_ms: 12, error: "", is_error: false, content, structured_content: null },
  });
  expect(attempts.splice(0)).toMatchObject([
    { userId: 1, serverId: 4, tool: "weather", input: { city: "Ghent" }, ip: expect.any(String) },
  ]);
});

test("why it failed comes in the reader's language", async () => {
  const error = { code: "gateway_mcp_no_tool", params: { tool: "weather" } } as const;
  answer = { requestId: "r-2", elapsedMs: 0, result: null, error };
  const root = await app.login("root");
  const { body } = await app.ask("POST", PATH, BODY, { ...root, "accept-language": "zh-CN" });
  expect(body.data).toMatchObject({ error: "没有已批准的工具「weather」。", content: [] });
  attempts.splice(0);
});

test("users without the right call nothing, and neither does a body that is none", async () => {
  expect((await ask("ben")).body.success).toBe(false);
  expect((await ask("root", { tool: "weather" })).body.success).toBe(false);
  expect(attempts).toEqual([]);
});
