/** `sluice apply` and `sluice export`: a site as files, from one gateway to another, as a whole or not at all. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFeatures } from "../../../src/cli/demo/demo-features.ts";
import { DEMO_ACCOUNT, fillSite } from "../../../src/cli/demo/demo-site.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { login, type Session } from "../../support/e2e/console-client.ts";
import { type Gateway, startGateway } from "../../support/e2e/fixture.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

const MODELS = ["gpt-4o", "gpt-4o-mini", "gpt-4.1-mini", "mistral-small-latest", "mistral-large-latest"];

const MANY = 400;
/** Some of them are written by then. */
const KILL_AFTER_MS = 300;

/** A reference to a variable. */
const NOT_THERE = `\${env:${"NOT_THERE"}}`;

let folder: string;
let demo: Gateway;
let empty: Gateway;
let session: Session;
const tokens = new Map<Gateway, string>();
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-configuration-"));
  [demo, empty] = await Promise.all([startGateway(), startGateway()]);
  const fetchAny = createSafeFetch(createAddressPolicy(true));
  const channels = [
    { name: "OpenAI (demo)", type: 1, url: "http://127.0.0.1:9", models: MODELS },
    { name: "DeepSeek (demo)", type: 43, url: "http://127.0.0.1:9", models: ["deepseek-v4-flash"] },
  ];
  await createFeatures(await fillSite(fetchAny, demo.url, channels), "https://warehouse.example");
  const { username, password } = DEMO_ACCOUNT;
  await fetch(`${empty.url}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password, confirmPassword: password }),
  });
  for (const gateway of [demo, empty]) {
    session = await login(gateway, username, password);
    tokens.set(gateway, await session.get("/api/user/token"));
  }
});
afterAll(async () => {
  await Promise.all([demo.stop(), empty.stop()]);
  await rm(folder, { recursive: true });
});

const start = (gateway: Gateway, args: readonly string[], env: Record<string, string> = {}) =>
  Bun.spawn([...gatewayCommand(), ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", SLUICE_URL: gateway.url, SLUICE_TOKEN: tokens.get(gateway) ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
async function run(...command: Parameters<typeof start>) {
  const child = start(...command);
  const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { out, err, code };
}
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const write = (name: string, text: string) => Bun.write(path.join(folder, name), text);

test("the demo's export makes an empty gateway the demo, and then there is nothing to do", async () => {
  const exported = await run(demo, ["export", "--secrets", "secrets.env"]);
  expect(exported).toMatchObject({ code: 0, err: "" });
  expect(exported.out).not.toContain("sk-demo");
  await write("site.yaml", exported.out);
  const apply = (...more: string[]) => run(empty, ["apply", "site.yaml", "--secrets", "secrets.env", ...more]);
  const plan = await apply("--dry-run");
  expect(plan).toMatchObject({ code: 2, err: "" });
  expect(plan.out).toContain("+ channels OpenAI (demo)\n");
  expect(plan.out).toContain('    key: "(new secret)"\n');
  expect(plan.out).not.toContain("sk-demo");
  // Nobody is there to be asked.
  expect(await apply()).toMatchObject({ code: 1 });
  expect(await apply("--yes")).toMatchObject({ code: 0, err: "" });
  const again = await run(empty, ["export", "--secrets", "again.env"]);
  expect(again.out).toBe(exported.out);
  expect(await Bun.file(path.join(folder, "again.env")).text()).toBe(
    await Bun.file(path.join(folder, "secrets.env")).text(),
  );
  expect(await apply("--dry-run")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Nothing to change: \d+ as the files say\.\n$/),
  });
});

test("a refusal names file, line and field, and nothing is applied", async () => {
  await write("options.yaml", "options:\n  SystemName: Changed\n  QuotaForNewUser: -1\n");
  await write(
    "channels.json",
    JSON.stringify({ channels: [{ name: "x", type: 1, key: NOT_THERE, models: ["m"] }] }, null, 2),
  );
  const unset = await run(empty, ["apply", "--yes", "options.yaml", "channels.json"]);
  expect(unset).toMatchObject({ code: 1, out: "" });
  expect(unset.err).toBe("channels.json:6: channels[0].key: the variable NOT_THERE is not set\nNothing was changed.\n");
  const refused = await run(empty, ["apply", "--yes", "options.yaml", "channels.json"], {
    NOT_THERE: "sk-something-long",
  });
  expect(refused.err).toMatch(/^options\.yaml:3: options\.QuotaForNewUser: .+\nNothing was changed\.\n$/);
  await write(
    "odd.yaml",
    "channels:\n- name: y\n  type: 1\n  key: sk-something-long\n  models: [m]\n  base_url: nonsense\n",
  );
  expect((await run(empty, ["apply", "--yes", "odd.yaml"])).err).toMatch(/^odd\.yaml:6: channels\[0\]\.base_url: .+\n/);
  await write("broken.yaml", "channels:\n- name: y\n  type: [1\n");
  expect((await run(empty, ["apply", "--yes", "broken.yaml"])).err).toMatch(/^broken\.yaml:\d+: .+\n/);
  const { options } = JSON.parse((await run(empty, ["export", "--json", "--only", "options"])).out);
  expect(options.SystemName).toBeUndefined();
});

test("files of a label prune what they made", async () => {
  await write("more.yaml", "label: more\nchannels:\n- { name: extra, type: 1, key: sk-something-long, models: [m] }\n");
  expect(await run(empty, ["apply", "--yes", "more.yaml"])).toMatchObject({ code: 0 });
  await write("more.yaml", "label: more\n");
  const plan = await run(empty, ["apply", "--dry-run", "--prune", "more.yaml"]);
  expect(plan).toMatchObject({ code: 2, out: expect.stringContaining("- channels extra\n") });
  expect(await run(empty, ["apply", "--yes", "--prune", "more.yaml"])).toMatchObject({ code: 0 });
  expect((await run(empty, ["export", "--only", "channels"])).out).not.toContain("extra");
});

test("a gateway that is killed while files are applied has all of them or none", async () => {
  const channels = Array.from({ length: MANY }, (_, at) => ({
    name: `many ${at}`,
    type: 1,
    key: `sk-many-${at}-secret`,
    models: ["m"],
  }));
  await write("many.json", JSON.stringify({ channels }));
  const countNamed = async () => {
    const admin = await login(empty, DEMO_ACCOUNT.username, DEMO_ACCOUNT.password);
    tokens.set(empty, await admin.get("/api/user/token"));
    return (await (await admin.send("GET", "/api/channel/?keyword=many&page_size=1")).json()).total;
  };
  const child = start(empty, ["apply", "--yes", "many.json"]);
  let printed = "";
  for await (const bytes of child.stdout) {
    printed += new TextDecoder().decode(bytes);
    // The plan is out: from now on it is carried out.
    if (printed.includes("to create")) break;
  }
  await Bun.sleep(KILL_AFTER_MS);
  await empty.stop("SIGKILL");
  await child.exited;
  empty = await startGateway({ dataDir: empty.dataDir });
  expect([0, MANY]).toContain(await countNamed());
  expect(await run(empty, ["apply", "--yes", "many.json"])).toMatchObject({ code: 0 });
  expect(await countNamed()).toBe(MANY);
});

test("the JSON schema of the files is served and printed", async () => {
  const served = await (await fetch(`${empty.url}/api/configuration/schema.json`)).json();
  const printed = JSON.parse((await run(empty, ["apply", "--schema"])).out);
  expect(printed).toEqual(served);
  expect(printed.properties.channels.items.properties.priority.anyOf).toEqual([{ type: "number" }, { type: "null" }]);
});
