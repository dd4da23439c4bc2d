import { expect, test } from "bun:test";
import { presentFacts, releasedFacts } from "./check-api.ts";
import { breakingChanges, factsOf } from "./facts.ts";

const documentOf = (body: object, parameters: readonly object[] = [], more: object = {}) => ({
  paths: {
    "/api/thing/{id}": {
      post: {
        parameters: [{ in: "path", name: "id", required: true, schema: { type: "integer" } }, ...parameters],
        requestBody: { content: { "application/json": { schema: body } } },
        ...more,
      },
    },
  },
});
const BODY = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    mode: { enum: ["a", "b"] },
    ids: { type: "array", items: { anyOf: [{ type: "integer" }, { const: "" }] } },
  },
};

test("a document is read into what its operations take and need", () => {
  expect(factsOf(documentOf(BODY, [{ in: "query", name: "p", schema: { type: ["string", "null"] } }]))).toEqual([
    "POST /api/thing/{id}",
    "POST /api/thing/{id} body.ids: array",
    'POST /api/thing/{id} body.ids[] = ""',
    "POST /api/thing/{id} body.ids[]: integer",
    'POST /api/thing/{id} body.mode = "a"',
    'POST /api/thing/{id} body.mode = "b"',
    "POST /api/thing/{id} body.name !",
    "POST /api/thing/{id} body.name: string",
    "POST /api/thing/{id} body: object",
    "POST /api/thing/{id} path:id: integer",
    "POST /api/thing/{id} query:p: null",
    "POST /api/thing/{id} query:p: string",
  ]);
  expect(factsOf(documentOf(BODY, [], { "x-stability": "unstable" }))).toEqual([]);
});

const { ids, ...withoutIds } = BODY.properties;
test.each<[string, ReturnType<typeof documentOf>, string[]]>([
  ["nothing", documentOf(BODY), []],
  ["a new member", documentOf({ ...BODY, properties: { ...BODY.properties, more: { type: "string" } } }), []],
  ["a member that is no longer needed", documentOf({ ...BODY, required: [] }), []],
  [
    "any text instead of a choice",
    documentOf({ ...BODY, properties: { ...BODY.properties, mode: { type: "string" } } }),
    [],
  ],
  [
    "a member less",
    documentOf({ ...BODY, properties: withoutIds }),
    ["body.ids: array", 'body.ids[] = ""', "body.ids[]: integer"].map(
      (fact) => `no longer: POST /api/thing/{id} ${fact}`,
    ),
  ],
  [
    "a choice less",
    documentOf({ ...BODY, properties: { ...BODY.properties, mode: { enum: ["a"] } } }),
    ['no longer: POST /api/thing/{id} body.mode = "b"'],
  ],
  [
    "a member that is needed now",
    documentOf({ ...BODY, required: ["name", "mode"] }),
    ["newly needed: POST /api/thing/{id} body.mode"],
  ],
  [
    "a parameter that is needed",
    documentOf(BODY, [{ in: "query", name: "p", required: true, schema: { type: "string" } }]),
    ["newly needed: POST /api/thing/{id} query:p"],
  ],
  ["the operation", { paths: {} as ReturnType<typeof documentOf>["paths"] }, ["no longer: POST /api/thing/{id}"]],
])("compared: %s", (_, after, expected) => {
  expect(ids.type).toBe("array");
  expect(breakingChanges(factsOf(documentOf(BODY)), factsOf(after))).toEqual(expected);
});

test("the API breaks no caller of the last release", async () => {
  expect(breakingChanges(await releasedFacts(), await presentFacts())).toEqual([]);
}, 60_000);
