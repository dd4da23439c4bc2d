import { expect, test } from "bun:test";
import { asksForScope, mcpResource, serverOfResource } from "./resource.ts";

test.each(["https://ai.example", "https://ai.example/base", "http://localhost:3000"])("resources of %s", (site) => {
  for (const server of ["", "github"]) expect(serverOfResource(site, mcpResource(site, server))).toBe(server);
  expect(serverOfResource(site, `${site}/mcp/`)).toBe("");
  for (const other of [
    ...[site, `${site}/`, `${site}/mcp2`, `${site}/mcp?x=1`, `${site}/mcp#x`, `${site}/mcp/a/b`, `${site}/mcp/Git`],
    ...["https://evil.example/mcp", `${site}.evil.example/mcp`, "mcp", "", `${site}/v1`, `${site}/mcp/%2e%2e`],
  ]) {
    expect([other, serverOfResource(site, other)]).toEqual([other, null]);
  }
});

test("an address counts as it is meant", () => {
  expect(serverOfResource("https://ai.example/base", "HTTPS://AI.EXAMPLE:443/base/mcp/x")).toBe("x");
  expect(serverOfResource("https://ai.example/base", "https://ai.example/mcp/x")).toBeNull();
});

test("scopes that there are not are ignored next to the one there is", () => {
  for (const scope of [undefined, "", "mcp", "openid mcp"]) expect(asksForScope(scope)).toBe(true);
  for (const scope of ["openid", "mcp:write"]) expect(asksForScope(scope)).toBe(false);
});
