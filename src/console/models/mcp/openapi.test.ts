/** APIs that an OpenAPI document describes, as MCP servers: how they are added, listed and approved. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pino from "pino";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { createMcpDirectory, type McpDirectory } from "../../../domain/models/mcp/directory.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createCheckedFetch, createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { mcpRoutes } from "./mcp.ts";

const EVERYBODY = { group: "default", accountId: 1, projectId: 0, keyId: 1 };

let app: TestConsole;
let root: Record<string, string>;
let directory: McpDirectory;
let server: Bun.Server<undefined>;
let documentText = "";
const requested: string[] = [];

const documentOf = (paths: object, more: object = {}) => ({
  ...{ openapi: "3.1.0", servers: [{ url: "/v1" }], paths },
  components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } },
  ...more,
});
const PATHS = { "/pets": { get: { operationId: "listPets" }, post: { operationId: "addPet" } } };

beforeAll(async () => {
  const policy = createAddressPolicy(true);
  const mcpFetches = { send: createCheckedFetch(policy), fetch: createSafeFetch(policy) };
  const log = pino({ level: "silent" });
  app = await startTestConsole(undefined, async ({ db, changes, vault }, guarded) => {
    directory = await createMcpDirectory({ db, changes, log, vault });
    return mcpRoutes({ db, changes, vault, log, mcpFetches }, guarded);
  });
  await app.addUser("root", "root");
  root = await app.login("root");
  server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch(request) {
      requested.push(new URL(request.url).pathname);
      return documentText === "" ? new Response("gone", { status: 410 }) : new Response(documentText);
    },
  });
});
afterAll(async () => {
  server.stop(true);
  directory.close();
  await app.close();
});
beforeEach(async () => {
  for (const { id } of (await call("GET", "/")).data as { id: number }[]) await call("DELETE", `/${id}`);
  documentText = JSON.stringify(documentOf(PATHS));
  requested.splice(0);
});

const call = async (method: string, path: string, body?: unknown) =>
  (await app.ask(method, `/api/mcp-server${path}`, body, root)).body;
const origin = () => `http://127.0.0.1:${server.port}`;
const add = (definition: object, more: object = {}) =>
  call("POST", "/", { name: "pets", server: { kind: "openapi", ...definition }, ...more });
const idOf = async () => ((await call("GET", "/")).data as { id: number }[])[0]?.id ?? 0;
type Tool = { name: string; hash: string; state: string; offered: { operation?: { path: string } } | null };
const toolsOf = async () => (await call("GET", `/${await idOf()}/tools`)).data as Tool[];
const approveAll = async () =>
  call("POST", `/${await idOf()}/tools/approve`, {
    tools: (await toolsOf()).map(({ name, hash }) => ({ name, hash })),
  });
const offered = () => directory.of(EVERYBODY).flatMap((each) => each.offered.map(({ name }) => name));

test("a document's address is enough: what it names is saved, and its operations wait for approval", async () => {
  const added = await add({ document_url: `${origin()}/openapi.json`, auth: "key" }, { secret: "k" });
  expect(added).toMatchObject({ success: true, data: { listing: { error: "", waiting: 2, skipped: 0 } } });
  expect(await call("GET", "/")).toMatchObject({
    data: [{ kind: "openapi", url: `${origin()}/v1`, auth: "key", query: "api_key", has_document: false }],
  });
  await approveAll();
  expect(offered()).toEqual(["addPet", "listPets"]);
  expect(directory.of(EVERYBODY)[0]?.offered[1]?.operation).toMatchObject({ method: "GET", path: "/pets" });
});

test("a changed operation waits, also where its description stays and only its path is another", async () => {
  await add({ document_url: `${origin()}/openapi.json` });
  await approveAll();
  documentText = JSON.stringify(
    documentOf({ "/pets": { post: { operationId: "addPet" } }, "/admin": { get: { operationId: "listPets" } } }),
  );
  const refresh = async () => call("POST", `/${await idOf()}/refresh`);
  expect(await refresh()).toMatchObject({ data: { error: "", waiting: 1 } });
  expect((await toolsOf()).map(({ name, state }) => [name, state])).toEqual([
    ["addPet", "approved"],
    ["listPets", "changed"],
  ]);
  expect(offered()).toEqual(["addPet"]);
  // Credentials stay where they were, whatever the document says now.
  documentText = JSON.stringify(documentOf(PATHS, { servers: [{ url: "https://elsewhere.example" }] }));
  await refresh();
  expect(await call("GET", "/")).toMatchObject({ data: [{ url: `${origin()}/v1` }] });
  expect(offered()).toEqual(["addPet", "listPets"]);
  documentText = "";
  expect(await refresh()).toMatchObject({ data: { error: "The server responded with HTTP 410." } });
  expect(offered()).toEqual(["addPet", "listPets"]);
});

test("a pasted document stays with its server until another is pasted, and is in no list", async () => {
  const yaml =
    "openapi: 3.0.3\nservers: [{url: 'https://api.example/v2'}]\npaths:\n  /pets: {get: {operationId: list}}\n";
  expect(await add({}, { document: yaml })).toMatchObject({ success: true, data: { listing: { waiting: 1 } } });
  const { data } = await call("GET", "/");
  expect(data).toMatchObject([{ url: "https://api.example/v2", has_document: true }]);
  expect(JSON.stringify(data)).not.toContain("operationId");
  const put = async (definition: object, more: object = {}) =>
    call("PUT", `/${await idOf()}`, { name: "pets", server: { kind: "openapi", ...definition }, ...more });
  expect(await put({ description: "d" })).toMatchObject({ data: { listing: { error: "", waiting: 1 } } });
  expect(await put({}, { document: yaml.replace("list", "show") })).toMatchObject({ success: true });
  expect((await toolsOf()).map(({ name }) => name)).toEqual(["show"]);
  await put({ document_url: `${origin()}/openapi.json` });
  expect(await call("GET", "/")).toMatchObject({ data: [{ url: `${origin()}/v1`, has_document: false }] });
  expect(requested.length).toBeGreaterThan(0);
});

test.each<[object, object, string]>([
  [{}, {}, "document"],
  [{}, { document: "openapi: 3.1.0\npaths: {}" }, "url"],
  [{ document_url: "ftp://a" }, {}, "document_url"],
  [{ url: "https://api.example", header: "X-A", query: "a" }, { document: "x" }, "query"],
  [{ kind: "other", url: "https://api.example" }, {}, "kind"],
])("refuses %j %j", async (definition, more, field) => {
  const added = await add(definition, more);
  expect(added).toMatchObject({ success: false, code: "field_invalid" });
  expect(added.message).toContain(field);
});

test("what is no document, and one that cannot be fetched, is said", async () => {
  expect(await add({}, { document: '{"swagger":"2.0"}' })).toMatchObject({ code: "mcp_openapi_invalid" });
  documentText = "";
  expect(await add({ document_url: `${origin()}/openapi.json` })).toMatchObject({ code: "mcp_http_status" });
  expect(await call("GET", "/")).toMatchObject({ data: [] });
});
