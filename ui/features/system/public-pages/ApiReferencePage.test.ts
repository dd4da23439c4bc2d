import { expect, test } from "bun:test";
import { sectionsOf } from "./ApiReferencePage.tsx";

test("calls are gathered by what they are about, with what they take and who may make them", () => {
  const sections = sectionsOf({
    tags: [
      { name: "API keys", description: "Create keys." },
      { name: "Chats", description: "Call models." },
    ],
    paths: {
      "/v1/models": { get: { tags: ["Chats"], summary: "List models" } },
      "/api/token/{id}": {
        get: {
          tags: ["API keys"],
          summary: "Get an API key",
          security: [{ user: [] }],
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        },
      },
      "/api/token/": {
        post: {
          tags: ["API keys"],
          summary: "Create API keys",
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
    },
  });
  expect(sections.map(({ name, calls }) => [name, calls.length])).toEqual([
    ["API keys", 2],
    ["Chats", 1],
  ]);
  expect(sections[0]?.calls[0]).toMatchObject({
    method: "GET",
    summary: "Get an API key",
    role: "user",
    parameters: [{ name: "id", where: "path", type: "integer", isRequired: true }],
  });
  expect(sections[0]?.calls[1]?.parameters).toEqual([
    { name: "name", where: "body", type: "string", isRequired: true },
    { name: "models", where: "body", type: "string[]", isRequired: false },
  ]);
  expect(sections[1]?.calls[0]?.role).toBeNull();
});
