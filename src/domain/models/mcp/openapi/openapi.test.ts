import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../formats/json.ts";
import { buildRequest } from "./build-request.ts";
import { baseAddressOf, keyPlaceOf, parseDocument } from "./document.ts";
import type { Operation } from "./operation.ts";
import { readTools } from "./read-tools.ts";

const documentOf = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({ openapi: "3.1.0", paths, ...more });
const toolsOf = (paths: JsonObject, more: JsonObject = {}) => readTools(documentOf(paths, more), 100);
const only = (paths: JsonObject, more: JsonObject = {}) => {
  const { tools, skipped } = toolsOf(paths, more);
  expect([tools.length, skipped]).toEqual([1, 0]);
  return tools[0];
};
const operationOf = (path: string, method: string, source: JsonObject): Operation => {
  const operation = only({ [path]: { [method]: source } })?.operation;
  if (!operation) throw new Error("there is no operation");
  return operation;
};
const BASE = new URL("https://api.example/v1/?version=2");
const requestOf = (operation: Operation, input: JsonObject, base = BASE) => {
  const { url, ...request } = buildRequest(base, operation, input);
  return { ...request, url: url.href };
};

describe("documents", () => {
  test.each([
    ["JSON", '{"openapi":"3.0.3","paths":{}}'],
    ["YAML", "openapi: 3.1.0\npaths: {}\n"],
  ])("%s is read", async (_name, text) => expect(await parseDocument(text)).toMatchObject({ paths: {} }));

  test.each([
    ["Swagger 2", '{"swagger":"2.0"}'],
    ["nothing", ""],
    ["broken YAML", "openapi: [3.1.0"],
    ["a list", "[]"],
    ["depth", `{"openapi":"3.1.0","a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
    ["deep YAML", `openapi: 3.1.0\na: ${"[".repeat(700)}${"]".repeat(700)}`],
    ["a bomb of aliases", `openapi: 3.1.0\na: &a [${"x,".repeat(9)}]\n${bomb()}`],
  ])("%s is refused", async (_name, text) => {
    expect(await parseDocument(text).catch((error) => error)).toMatchObject({ code: "mcp_openapi_invalid" });
  });
  function bomb() {
    const nameOf = (at: number) => String.fromCharCode(97 + at);
    const lineOf = (at: number) => `${nameOf(at)}: &${nameOf(at)} [${`*${nameOf(at - 1)},`.repeat(9)}]`;
    return Array.from({ length: 9 }, (_, at) => lineOf(at + 1)).join("\n");
  }

  test("too long a YAML text is refused before it is parsed", async () => {
    const text = `openapi: 3.1.0\n# ${"x".repeat(1_100_000)}`;
    expect(await parseDocument(text).catch((error) => error)).toMatchObject({ code: "mcp_openapi_long" });
  });

  test.each([
    [[{ url: "https://api.example/v1" }], "https://api.example/v1"],
    [[{ url: "/v2" }], "https://docs.example/v2"],
    [
      [{ url: "https://{region}.example/{level}", variables: { region: { default: "eu" }, level: { default: "p" } } }],
      "https://eu.example/p",
    ],
    [undefined, "https://docs.example/"],
    [[{ url: "file:///etc" }], null],
    [[{ url: "https://user:password@api.example" }], null],
  ])("the address of %j is %s", (servers, address) => {
    expect(baseAddressOf({ servers }, "https://docs.example/openapi.json")).toBe(address);
  });

  test("the key goes where the document's scheme puts it", () => {
    const schemes = (...list: JsonObject[]) => ({
      components: { securitySchemes: Object.fromEntries(list.entries()) },
    });
    const bearer = { type: "http", scheme: "bearer" };
    expect(keyPlaceOf(schemes(bearer, { type: "apiKey", in: "header", name: "X-Key" }))).toEqual({ header: "X-Key" });
    expect(keyPlaceOf(schemes({ type: "apiKey", in: "query", name: "key" }))).toEqual({ query: "key" });
    expect(keyPlaceOf(schemes(bearer))).toBeNull();
    expect(keyPlaceOf({})).toBeNull();
  });
});

describe("tools", () => {
  test("an operation is a tool with one schema for all that it takes", () => {
    const tool = only(
      {
        "/pets/{id}": {
          parameters: [
            { $ref: "#/components/parameters/Id" },
            { name: "lang", in: "query", schema: { type: "string" } },
          ],
          put: {
            operationId: "updatePet",
            summary: "Update a pet",
            description: "By its id.",
            parameters: [
              { name: "lang", in: "query", required: true, schema: { enum: ["en"] } },
              { name: "id", in: "query", schema: { type: "integer" } },
              { name: "X-Trace", in: "header", schema: { type: "string" } },
              { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
            ],
            requestBody: {
              required: true,
              content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
            },
          },
        },
      },
      {
        components: {
          parameters: {
            Id: { name: "id", in: "path", required: true, schema: { type: "string" }, description: "The id" },
          },
          schemas: {
            Pet: {
              type: "object",
              required: ["name", "createdAt"],
              properties: {
                name: { type: "string", nullable: true, example: "Rex" },
                age: { type: "integer", minimum: 0, exclusiveMinimum: true },
                createdAt: { type: "string", readOnly: true },
                parent: { $ref: "#/components/schemas/Pet" },
              },
            },
          },
        },
      },
    );
    expect(tool).toMatchObject({
      name: "updatePet",
      description: "Update a pet\n\nBy its id.",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      operation: { method: "PUT", path: "/pets/{id}" },
    });
    expect(tool?.inputSchema).toEqual({
      type: "object",
      properties: {
        id: { type: "string", description: "The id" },
        lang: { enum: ["en"] },
        query_id: { type: "integer" },
        "X-Trace": { type: "string" },
        body: {
          type: "object",
          required: ["name"],
          properties: { name: { type: ["string", "null"] }, age: { type: "integer", exclusiveMinimum: 0 }, parent: {} },
        },
      },
      required: ["id", "lang", "body"],
      additionalProperties: false,
    });
  });

  test("one without an id is named by method and path, and what reads says so", () => {
    expect(only({ "/pets/{id}/tags": { get: { parameters: [{ name: "id", in: "path" }] } } })).toMatchObject({
      ...{ name: "get_pets_id_tags", annotations: { readOnlyHint: true } },
    });
    const { tools } = toolsOf({ "/a": { get: { operationId: "x" } }, "/b": { post: { operationId: "x" } } });
    expect(tools.map(({ name }) => name)).toEqual(["x", "post_b"]);
  });

  test.each<[string, JsonObject]>([
    ["leads out of the document", { parameters: [{ $ref: "https://evil.example/p.json" }] }],
    ["leads to a file", { requestBody: { required: true, $ref: "file:///etc/passwd" } }],
    ["leads nowhere", { parameters: [{ name: "a", in: "query", schema: { $ref: "#/components/schemas/None" } }] }],
    ["leads to itself", { parameters: [{ $ref: "#/components/parameters/Loop" }] }],
    ["has a server of its own", { servers: [{ url: "https://evil.example" }] }],
    ["needs a cookie", { parameters: [{ name: "a", in: "cookie", required: true }] }],
    ["has a body of another kind", { requestBody: { required: true, content: { "multipart/form-data": {} } } }],
    ["is too large", { parameters: [{ name: "a", in: "query", schema: { $ref: "#/components/schemas/A" } }] }],
  ])("an operation that %s is left out, and the others stay", (_name, operation) => {
    // Each schema has the next one ten times: ten to the eighth in all.
    const names = "ABCDEFGH".split("");
    const schemas = names.map((name, at) => {
      const next = names[at + 1] ? { $ref: `#/components/schemas/${names[at + 1]}` } : { type: "string" };
      return [
        name,
        { type: "object", properties: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, next])) },
      ];
    });
    const loop = { Loop: { $ref: "#/components/parameters/Loop" } };
    const components = { parameters: loop, schemas: Object.fromEntries(schemas) };
    const { tools, skipped } = toolsOf({ "/a": { post: operation }, "/b": { get: {} } }, { components });
    expect([tools.map(({ name }) => name), skipped]).toEqual([["get_b"], 1]);
  });

  test("a path whose parts are not described, and tools beyond the most, are left out", () => {
    expect(toolsOf({ "/a/{id}": { get: {} } })).toEqual({ tools: [], skipped: 1 });
    const paths = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`/p${at}`, { get: {} }]));
    const { tools, skipped } = readTools(documentOf(paths), 4);
    expect([tools.length, skipped]).toEqual([4, 6]);
  });

  test("a document of many large operations is read to a bound", () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    const schemas = { Large: { type: "object", properties } };
    const parameters = [{ name: "a", in: "query", schema: { $ref: "#/components/schemas/Large" } }];
    const paths = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`/p${at}`, { get: { parameters } }]));
    const { tools, skipped } = readTools(documentOf(paths, { components: { schemas } }), 1_000);
    expect(tools.length).toBeLessThan(60);
    expect(tools.length + skipped).toBe(1_000);
  });
});

describe("requests", () => {
  const path = operationOf("/files/{name}", "get", { parameters: [{ name: "name", in: "path", required: true }] });

  test("are below the server's address and keep its query", () => {
    expect(requestOf(path, { name: "a b/c?d#e" })).toMatchObject({
      ...{ method: "GET", body: undefined, url: "https://api.example/v1/files/a%20b%2Fc%3Fd%23e?version=2" },
    });
  });

  test.each(["..", ".", ""])("no value of a path leads elsewhere: %j", (name) => {
    expect(() => requestOf(path, { name })).toThrow("argument name");
  });

  test("dots in parts of a segment that become a way up are refused too", () => {
    const parameters = ["a", "b"].map((name) => ({ name, in: "path", required: true }));
    const operation = operationOf("/x/{a}{b}", "get", { parameters });
    expect(() => requestOf(operation, { a: ".", b: "." })).toThrow("argument");
    expect(requestOf(operation, { a: "..", b: "x" }).url).toBe("https://api.example/v1/x/..x?version=2");
  });

  test.each<[JsonObject, unknown, string]>([
    [{}, ["a", "b&c"], "q=a&q=b%26c"],
    [{ explode: false }, ["a", "b,c"], "q=a,b%2Cc"],
    [{ style: "pipeDelimited", explode: false }, ["a", "b"], "q=a%7Cb"],
    [{ style: "deepObject", explode: true }, { 1: 1, 2: "é" }, "q%5B1%5D=1&q%5B2%5D=%C3%A9"],
    [{}, { from: 1 }, "from=1"],
    [{ content: { "application/json": { schema: {} } } }, { a: [1] }, "q=%7B%22a%22%3A%5B1%5D%7D"],
    [{}, false, "q=false"],
    [{}, "a=b c", "q=a%3Db%20c"],
  ])("a query parameter %j of %j is written %s", (style, value, written) => {
    const operation = operationOf("/search", "get", { parameters: [{ name: "q", in: "query", ...style }] });
    expect(requestOf(operation, { q: value }).url).toBe(`https://api.example/v1/search?version=2&${written}`);
  });

  test("bodies are JSON, a form or text, and headers have no line breaks", () => {
    const withBody = (type: string) =>
      operationOf("/x", "post", {
        parameters: [{ name: "X-Note", in: "header" }],
        requestBody: { content: { [type]: {} } },
      });
    expect(requestOf(withBody("application/json"), { body: { a: [1] }, "X-Note": "n" })).toMatchObject({
      ...{ body: '{"a":[1]}', headers: { "content-type": "application/json", "x-note": "n" } },
    });
    const form = requestOf(withBody("application/x-www-form-urlencoded"), { body: { a: [1, 2], b: "c d" } });
    expect(form.body).toBe("a=1&a=2&b=c+d");
    expect(requestOf(withBody("text/plain"), { body: "plain" }).body).toBe("plain");
    expect(requestOf(withBody("application/json"), {}).headers).not.toHaveProperty("content-type");
    expect(() => requestOf(withBody("text/plain"), { "X-Note": "a\r\nHost: b" })).toThrow("argument X-Note");
  });

  test("what is required is asked for by name", () => {
    const requestBody = { required: true, content: { "application/json": {} } };
    const parameters = [{ name: "q", in: "query", required: true }];
    expect(() => requestOf(operationOf("/x", "get", { parameters }), {})).toThrow("The argument q is missing.");
    expect(() => requestOf(operationOf("/x", "post", { requestBody }), {})).toThrow("The argument body is missing.");
  });
});
