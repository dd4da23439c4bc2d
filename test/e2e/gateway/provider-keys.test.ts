/** Calls by own provider keys that fail, fall back and are killed with the gateway: what the log charges and the balance agree. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  setOptions,
} from "../../support/e2e/console-client.ts";
import { type Gateway, type Session, setUp, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "some-password-1";
const MODEL = "gpt-4o";
const QUOTA = 50_000_000;
/** (1000 + 500) × a ratio of 1; a tenth of that, and 0.0001 dollars. */
const [AT_SITE, BY_OWN_KEY] = [1500, 150 + 50];

let answers = 0;
const answer = () => {
  answers += 1;
  return Response.json({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: MODEL },
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  });
};
let requests = 0;
/** Every third call by an own key fails. */
const provider = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  async fetch(request) {
    await request.text();
    requests += 1;
    if (requests % 3 === 0)
      return Response.json({ error: { message: "out of order", type: "server_error" } }, { status: 500 });
    return answer();
  },
});
const site = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  async fetch(request) {
    await request.text();
    return answer();
  },
});

const env = { PROVIDER_KEY_ADDRESSES: `openai=http://127.0.0.1:${provider.port}` };
let gateway: Gateway;
let root: Session;
beforeAll(async () => {
  gateway = await startGateway({ env });
  root = await setUp(gateway);
  await createChannel(root, `http://127.0.0.1:${site.port}`, [MODEL]);
  await setOptions(root, {
    ...{ ProviderKeys: "both", ProviderKeyFeePercent: "10", ProviderKeyFeePerCall: "0.0001" },
    ...{ ModelRatio: { [MODEL]: 1 }, CompletionRatio: { [MODEL]: 1 } },
  });
}, 120_000);
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  provider.stop(true);
  site.stop(true);
}, 60_000);

test("each call is charged once, at the price of who served it, also across a kill", async () => {
  await root.post("/api/user/", { username: "owner", password: PASSWORD });
  const user = await login(gateway, "owner", PASSWORD);
  await root.put("/api/user/", { id: user.userId, quota: QUOTA });
  const { key } = await createApiKey(user);
  await user.post("/api/provider_keys/", {
    ...{ name: "mine", provider: "openai", key: "sk-a-provider-key", models: ["*"], mode: "first", enabled: true },
  });
  const ask = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
    }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
  const before = await Promise.all(Array.from({ length: 60 }, ask));
  expect(new Set(before)).toEqual(new Set([200]));
  const during = Array.from({ length: 60 }, ask);
  await until(() => answers > 75);
  await gateway.stop("SIGKILL");
  const answered = 60 + (await Promise.all(during)).filter((status) => status === 200).length;
  gateway = await startGateway({ env, dataDir: gateway.dataDir });
  root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const rows = async () => (await root.get("/api/log/?p=1&page_size=100&type=2&username=owner")).items;
  type Row = { quota: number; channel: number; other: string };
  const charged = await until(
    async (): Promise<Row[]> => {
      const [first, second] = await Promise.all([
        rows(),
        root.get("/api/log/?p=2&page_size=100&type=2&username=owner").then(({ items }) => items),
      ]);
      return [...first, ...second].filter(({ quota }: Row) => quota > 0);
    },
    (all) => all.length >= answered,
  );
  for (const { quota, channel, other } of charged) {
    const isOwn = other.includes('"own_key"');
    expect([isOwn, quota, channel === 0]).toEqual([isOwn, isOwn ? BY_OWN_KEY : AT_SITE, isOwn]);
  }
  const sum = charged.reduce((total, { quota }) => total + quota, 0);
  await until(
    () => root.get(`/api/user/${user.userId}`),
    ({ quota, used_quota: used }) => quota === QUOTA - sum && used === sum,
  );
  expect(charged.some(({ quota }) => quota === AT_SITE)).toBe(true);
}, 120_000);
