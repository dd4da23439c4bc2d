import { describe, expect, test } from "bun:test";
import { checkMcpForm, formOf, readAgentJson, serverOfForm } from "./mcp-form.ts";

describe("the settings of agents", () => {
  test.each([
    [
      { mcpServers: { "My Server": { type: "http", url: "https://a.example/mcp" } } },
      { name: "my-server", auth: "none" },
    ],
    [{ servers: { a: { url: "https://a.example/mcp", headers: { "X-Key": "k" } } } }, { header: "X-Key", secret: "k" }],
    [
      {
        mcpServers: {
          local: { disabled: true },
          b: { httpUrl: "https://b.example", headers: { Authorization: "Bearer k" } },
        },
      },
      { name: "b", auth: "key", header: "", secret: "k" },
    ],
    [{ c: { serverUrl: "https://c.example" } }, { name: "c", url: "https://c.example" }],
  ])("%j", (json, fields) => {
    expect(readAgentJson(JSON.stringify(json))).toMatchObject(fields);
  });
  test("a command has its arguments and variables in lines", () => {
    const command = { command: "npx", args: ["-y", "@acme/mcp"], env: { KEY: "k", DEBUG: 1 } };
    const fields = readAgentJson(JSON.stringify({ mcpServers: { Local: command } }));
    expect(fields).toEqual({
      ...{ kind: "stdio", name: "local", command: "npx", args: "-y\n@acme/mcp", environment: "KEY=k" },
    });
    const form = { ...formOf(null), ...fields };
    expect(checkMcpForm(form, [])).toMatchObject({ url: undefined, command: undefined, environment: undefined });
    expect(checkMcpForm({ ...form, environment: "KEY" }, []).environment).toBe("environment");
    expect(serverOfForm(form)).toEqual({
      ...{ name: "local", secret: "KEY=k", document: "" },
      server: { kind: "stdio", command: "npx", args: ["-y", "@acme/mcp"] },
    });
  });
  test.each(["", "no JSON", "[]", "{}", '{"a":{"url":"file:///x"}}'])("%s has none", (text) =>
    expect(readAgentJson(text)).toBeNull(),
  );
});

test("a form with nothing but a name and an address is valid, and saves just these", () => {
  const form = { ...formOf(null), name: "a", url: "https://a.example/mcp" };
  expect(Object.values(checkMcpForm(form, []))).toEqual(Object.values(checkMcpForm(form, [])).map(() => undefined));
  expect(serverOfForm(form)).toEqual({ name: "a", secret: "", document: "", server: { url: "https://a.example/mcp" } });
  expect(checkMcpForm(form, ["a"]).name).toBe("taken");
  for (const tokens of ["99", "1e3", "10000001"]) {
    expect(checkMcpForm({ ...form, tokens }, []).tokens).toBe("tokens");
  }
});

test("a form of a document saves where it is and what it leaves open", () => {
  const form = { ...formOf(null), name: "a", kind: "openapi" as const, auth: "key" as const, secret: "k" };
  expect(checkMcpForm(form, [])).toMatchObject({ document: "document", url: undefined });
  const pasted = { ...form, document: "openapi: 3.1.0" };
  expect(checkMcpForm(pasted, []).document).toBeUndefined();
  expect(serverOfForm(pasted)).toEqual({
    ...{ name: "a", secret: "k", document: "openapi: 3.1.0", server: { kind: "openapi", auth: "key" } },
  });
  const located = {
    ...pasted,
    documentUrl: "https://a.example/openapi.json",
    url: "https://a.example/v1",
    query: "key",
  };
  expect(serverOfForm(located)).toEqual({
    ...{ name: "a", secret: "k", document: "" },
    server: {
      ...{ kind: "openapi", url: "https://a.example/v1", document_url: "https://a.example/openapi.json" },
      ...{ auth: "key", query: "key" },
    },
  });
});

test("a server where users sign in has the secret of an entered client alone", () => {
  const form = { ...formOf(null), name: "a", url: "https://a.example/mcp", auth: "oauth" as const };
  expect(serverOfForm(form).server).toEqual({ url: form.url, auth: "oauth" });
  const entered = { ...form, issuer: "https://as.example", clientId: "c", oauthScope: "s", secret: "k" };
  expect(serverOfForm(entered)).toMatchObject({
    secret: "k",
    server: { auth: "oauth", issuer: "https://as.example", client_id: "c", oauth_scope: "s" },
  });
  expect(checkMcpForm(entered, [])).toMatchObject({ auth: undefined, issuer: undefined, clientId: undefined });
  expect(checkMcpForm({ ...entered, issuer: "as.example" }, []).issuer).toBe("url");
  expect(checkMcpForm({ ...entered, kind: "openapi" }, []).auth).toBe("auth");
});

test("what a server says comes back as it was", () => {
  const definition = {
    ...{ url: "https://a.example/mcp", description: "d", enabled: false, auth: "client_credentials" as const },
    ...{ token_url: "https://a.example/token", client_id: "c", oauth_scope: "s", groups: ["g"], accounts: [1] },
    ...{
      projects: [2],
      keys: [3],
      tools: ["get_*"],
      read_only: true,
      prompts: true,
      resources: true,
      timeout_ms: 5000,
      max_result_bytes: 32_768,
      max_result_tokens: 25_000,
    },
    usd_per_call: "0.01",
  };
  const view = {
    ...{
      ...definition,
      id: 1,
      name: "a",
      has_secret: true,
      has_document: false,
      output: "",
      approved_tools: 0,
      waiting_tools: 0,
    },
    ...{ skipped_tools: 0, checked_at: null, last_error: "", created_at: 0 },
  };
  expect(serverOfForm(formOf(view)).server).toEqual(definition);
});
