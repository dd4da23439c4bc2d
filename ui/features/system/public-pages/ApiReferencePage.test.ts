import { expect, test } from "bun:test";
import { sectionsOf } from "./ApiReferencePage.tsx";

test("calls are gathered by what they are about, with what they take and who may make them", () => {
  const sections = sectionsOf({
    paths: {
      "/api/token/{id}": {
        get: {
          security: [{ user: [] }],
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        },
      },
      "/api/token/": {
        post: {
          security: [{ user: [] }],
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  required: ["name"],
                  properties: { name: { type: "string" }, models: { type: "array", items: { type: "string" } } },
                },
              },
            },
          },
        },
      },
      "/v1/models": { get: {} },
    },
  });
  expect(sections.map(({ name, calls }) => [name, calls.length])).toEqual([
    ["api/token", 2],
    ["v1", 1],
  ]);
  expect(sections[0]?.calls[0]).toMatchObject({
    method: "GET",
    role: "user",
    parameters: [{ name: "id", where: "path", type: "integer", isRequired: true }],
  });
  expect(sections[0]?.calls[1]?.parameters).toEqual([
    { name: "name", where: "body", type: "string", isRequired: true },
    { name: "models", where: "body", type: "string[]", isRequired: false },
  ]);
  expect(sections[1]?.calls[0]?.role).toBeNull();
});
