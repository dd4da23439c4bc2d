/** The OpenAPI document says what calls answer, and a client that a generator makes of it works. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020";
import { generateApi } from "swagger-typescript-api";
import { type JsonObject, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { startFixture } from "../../support/e2e/fixture.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const fixture = await startFixture(["gpt-4o"]);
const work = await mkdtemp(path.join(tmpdir(), "sluice-client-"));
afterAll(async () => {
  await fixture.stop();
  await rm(work, { recursive: true, force: true });
});
const { url } = fixture.gateway;
const token = String(await fixture.root.get("/api/user/token"));
const headers = { authorization: `Bearer ${token}`, "sluice-user": "1" };
const document: JsonObject = await (await fetch(`${url}/openapi.json`)).json();
const operations = Object.entries(recordOf(document.paths) ?? {}).flatMap(([route, methods]) =>
  Object.entries(recordOf(methods) ?? {}).map(([method, operation]) => ({
    ...{ name: `${method.toUpperCase()} ${route}`, route, method, operation: recordOf(operation) ?? {} },
  })),
);
const schemaOf = (operation: JsonObject) => {
  const content = recordOf(recordOf(recordOf(operation.responses)?.["200"])?.content);
  return recordOf(recordOf(content?.["application/json"])?.schema);
};

/** They answer with files, or call other hosts. */
const LEFT_OUT =
  /\/export$|\/(?:statements|movements)\b|fetch_models|update_balance|channel\/test|\/live$|doctor|\/events$/;

test("calls answer as the document says", async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const readable = operations.filter(
    ({ route, method, operation }) =>
      method === "get" &&
      route.startsWith("/api/") &&
      !LEFT_OUT.test(route) &&
      !recordsOf(operation.parameters).some(({ required }) => required),
  );
  const wrong: string[] = [];
  let checked = 0;
  for (const { name, route, operation } of readable) {
    const schema = schemaOf(operation);
    const answer = await fetch(url + route, { headers });
    const body: unknown = answer.headers.get("content-type")?.includes("json") ? await answer.json() : null;
    if (!schema || body === null || recordOf(body)?.success !== true) continue;
    const isValid = ajv.compile({ ...schema, components: document.components });
    if (!isValid(body)) wrong.push(`${name}: ${ajv.errorsText(isValid.errors).slice(0, 300)}`);
    const known = recordOf(schema.properties) ?? {};
    const others = Object.keys(recordOf(body) ?? {}).filter((member) => !(member in known));
    if (others.length > 0) wrong.push(`${name}: does not name ${others.join(", ")}`);
    checked += 1;
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(80);
}, 60_000);

test("all but files and what others call say what they answer", () => {
  const silent = operations.filter(({ route, operation }) => route.startsWith("/api/") && !schemaOf(operation));
  const isKnown = /\/(?:export|file|movements|notify|webhook)$|\/device\/|\/data\/|usage\/token|key-leaks\/report/;
  expect(silent.map(({ name }) => name).filter((name) => !isKnown.test(name))).toEqual([]);
});

/** Written by somebody who knows the generated types alone. */
const USE = `
import { Api } from "./client.ts";
const [address = "", token = "", user = ""] = process.argv.slice(2);
const api = new Api({
  baseUrl: address,
  baseApiParams: { headers: { authorization: \`Bearer \${token}\`, "sluice-user": user } },
});
function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(what);
  return value;
}
const name = "from-a-generated-client";
const made = await api.api.postApiChannel({ name, type: 1, key: "sk-1", base_url: "http://127.0.0.1:1", models: "m", group: "default" });
need(made.data.success || undefined, made.data.message);
const listed = await api.api.getApiChannel({ keyword: name });
const channel = need(listed.data.data?.find((one) => one.name === name), "it is not in the list");
const id: number = channel.id;
const got = await api.api.getApiChannelById(id);
const models: string = need(got.data.data, got.data.message).models;
await api.api.putApiChannel({ id, models: models + ",n" });
const changed = need((await api.api.getApiChannelById(id)).data.data, "it was removed").models;
await api.api.deleteApiChannelById(id);
const isThere = (await api.api.getApiChannelById(id)).data.success;
const created = need((await api.api.postApiToken({ name, unlimited_quota: true })).data.data, "no key");
const key = Array.isArray(created) ? need(created[0], "no key") : created;
const keys = (await api.api.getApiToken({})).data.data?.map((one) => one.name) ?? [];
const refused = await api.api.postApiChannel({ name, type: 1 } as never).catch((answer) => answer);
process.stdout.write(JSON.stringify({ changed, isThere, key: key.name, listed: keys.includes(name), code: refused.error?.code ?? refused.data?.code }));
`;

test("a generated client type-checks, and makes, reads, changes and removes", async () => {
  await Bun.write(path.join(work, "openapi.json"), JSON.stringify(document));
  await generateApi({
    ...{ fileName: "client.ts", output: work, input: path.join(work, "openapi.json"), silent: true },
  });
  const file = path.join(work, "use.ts");
  await Bun.write(file, USE);
  const options = [
    "--ignoreConfig",
    "--strict",
    "--noEmit",
    "--target",
    "esnext",
    "--module",
    "preserve",
    "--types",
    "bun-types",
  ];
  const roots = ["--typeRoots", `${ROOT}/node_modules`, "--allowImportingTsExtensions", "--skipLibCheck"];
  const checked = Bun.spawnSync([`${ROOT}/node_modules/.bin/tsc`, ...options, ...roots, file], { cwd: ROOT });
  expect(checked.stdout.toString()).toBe("");
  const used = Bun.spawnSync([process.execPath, file, url, token, "1"], { cwd: work });
  expect(used.stderr.toString()).toBe("");
  expect(JSON.parse(used.stdout.toString())).toEqual({
    ...{ changed: "m,n", isThere: false, key: "from-a-generated-client", listed: true, code: expect.any(String) },
  });
}, 60_000);
