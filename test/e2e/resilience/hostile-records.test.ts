/** Names that no index takes, in every path that has a model's name: charges of others go on, and the gateway starts again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hostileParts } from "../../../scripts/soak/hostile/hostile-calls.ts";
import { seededRandom } from "../../support/billing/hostile-records.ts";
import { createApiKey, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { ENGINES, type Fixture, migratedDatabase, startFixture, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const CHARGED_WITHIN_MS = 10_000;
const VISITOR = { username: "visitor", password: "lock-keeper-9" };

describe.each([...ENGINES])("on the %s database", (engine) => {
  let fixture: Fixture;
  let gateway: Fixture["gateway"];
  let env: Record<string, string> = {};
  beforeAll(async () => {
    if (engine === "postgres") env = { DATABASE_URL: await migratedDatabase() };
    fixture = await startFixture(["usage-1000-500"], { env });
    gateway = fixture.gateway;
  });
  afterAll(async () => {
    await fixture.upstream.stop();
    expect(await gateway.stop()).toBe(0);
  });

  const random = seededRandom(3);
  const post = async (path: string, key: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const chat = { messages: [{ role: "user", content: "hello" }] };
  const gemini = { contents: [{ role: "user", parts: [{ text: "hello" }] }] };
  const used = async () => (await (await login(gateway, ROOT_NAME, ROOT_PASSWORD)).get("/api/user/self")).used_quota;

  /** Calls as an anonymous visitor with a key can: each is refused, and recorded. */
  async function callHostile(key: string): Promise<void> {
    const name = Array.from({ length: 3000 }, () => Math.floor(random() * 36).toString(36)).join("");
    const { model, headers, body } = hostileParts(random);
    const wide = [...model.toWellFormed()].slice(0, 400).join("");
    const answers = [
      await post("/v1/chat/completions", key, { ...chat, model: name }),
      await post(`/v1beta/models/${name}:generateContent`, key, gemini),
      await post(`/v1beta/models/${name}:streamGenerateContent?alt=sse`, key, gemini),
      await post(`/v1beta/models/x${encodeURIComponent(wide)}:generateContent`, key, gemini, headers),
      await post("/v1/chat/completions", key, { ...body, ...chat, model: `x${model}` }, headers),
      await post("/v1/messages", key, { ...body, ...chat, max_tokens: 9, model: name }, headers),
      await post("/v1/responses", key, { ...body, input: "hello", model: name }, headers),
    ];
    expect(answers.map(({ status }) => status).filter((status) => status < 400 || status >= 500)).toEqual([]);
    // Served, with hostile words around it.
    expect(
      await post("/v1/chat/completions", fixture.key, { ...chat, model: "usage-1000-500" }, headers),
    ).toMatchObject({
      status: 200,
    });
  }

  async function expectCharged(units: number): Promise<void> {
    const start = performance.now();
    await until(used, (value) => value === units);
    expect(performance.now() - start).toBeLessThan(CHARGED_WITHIN_MS);
  }

  test("another's calls are charged in time, before and after a kill", async () => {
    await fixture.root.post("/api/user/", VISITOR);
    const visitor = await login(gateway, VISITOR.username, VISITOR.password);
    const { key } = await createApiKey(visitor);
    let calls = 0;
    const before = await used();
    const price = 1000 + 500;
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 3; count += 1) await callHostile(key);
      calls += 3;
      if (round === 1) {
        expect(await gateway.stop("SIGKILL")).toBe(137);
        gateway = await startGateway({ dataDir: gateway.dataDir, env });
      }
      await expectCharged(before + calls * price);
    }
    const readiness = await (await fetch(`${gateway.url}/readyz`)).json();
    expect(readiness.degraded ?? []).toEqual([]);
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    const page = await root.get("/api/log/?p=0&page_size=100&username=visitor");
    const names: string[] = page.items.map(({ model_name }: { model_name: string }) => model_name);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(256);
  }, 120_000);
});
