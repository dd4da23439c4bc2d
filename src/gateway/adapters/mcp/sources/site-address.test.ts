import { expect, test } from "bun:test";
import { siteServersFor } from "./site-address.ts";

/** A site below `/sluice`, called at a host of its own. */
function serverOf(address: string, serverAddress = ""): string | null {
  const services = { settings: { get: () => serverAddress }, config: { basePath: "/sluice" } };
  const context = { services } as unknown as Parameters<typeof siteServersFor>[0];
  return siteServersFor(context, { url: "http://10.0.0.1:3000/v1/chat/completions" })(address);
}

test.each([
  ["sluice://github", "github"],
  ["sluice://", ""],
  ["litellm_proxy", ""],
  ["litellm_proxy/mcp", ""],
  ["litellm_proxy/mcp/github", "github"],
  ["litellm_proxy_of_mine", null],
  ["https://10.0.0.1:3000/mcp/github", "github"],
  ["https://10.0.0.1:3000/sluice/mcp/git%20hub", "git hub"],
  ["http://10.0.0.1:3000/sluice/mcp", ""],
  ["http://10.0.0.1:3000/other/mcp/github", null],
  ["http://10.0.0.2:3000/mcp/github", null],
  ["https://ai.example/sluice/mcp/github", null],
  ["ftp://10.0.0.1:3000/mcp/github", null],
])("%s names %p", (address, name) => {
  expect(serverOf(address)).toBe(name);
});

test("with a public address its own path counts, and the address that was called still does", () => {
  expect(serverOf("https://ai.example/sluice/mcp/github", "https://ai.example/sluice")).toBe("github");
  expect(serverOf("https://ai.example/mcp/github", "https://ai.example/sluice")).toBeNull();
  expect(serverOf("http://10.0.0.1:3000/mcp/github", "https://ai.example/sluice")).toBe("github");
});
