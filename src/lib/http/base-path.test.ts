import { afterAll, expect, test } from "bun:test";
import { rebase, serveBelow } from "./base-path.ts";
import { readHostCookie, setHostCookie } from "./host-cookie.ts";

const handle = async (request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url);
  if (pathname === "/moved") return new Response(null, { status: 303, headers: { location: "/docs/" } });
  if (pathname === "/away") return new Response(null, { status: 303, headers: { location: "https://a.example/x" } });
  const headers = new Headers();
  if (pathname === "/enter")
    for (const cookie of setHostCookie({ name: "session", value: "1", maxAgeSeconds: 9 }, search === "?https"))
      headers.append("set-cookie", cookie);
  const body = { path: pathname + search, session: readHostCookie(request, "session"), text: await request.text() };
  return Response.json({ ...body, peer: server.requestIP(request)?.address }, { headers });
};
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: serveBelow("/sluice", handle) });
afterAll(() => server.stop(true));

const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, server.url), { redirect: "manual", ...init });
const read = async (path: string, init?: RequestInit): Promise<unknown> => (await ask(path, init)).json();

test("without a base path the handler itself serves", () => {
  expect(serveBelow("", handle)).toBe(handle);
});

test.each([
  ["/sluice/v1/models?x=1", "/v1/models?x=1"],
  ["/sluice/", "/"],
  ["/v1/models", "/v1/models"],
  ["/", "/"],
  ["/sluiced/x", "/sluiced/x"],
  ["/sluice/sluice/x", "/sluice/x"],
  ["/sluice//x", "//x"],
  ["/.well-known/oauth-authorization-server/sluice", "/.well-known/oauth-authorization-server"],
  ["/.well-known/oauth-protected-resource/sluice/mcp/one", "/.well-known/oauth-protected-resource/mcp/one"],
  ["/sluice/.well-known/openid-configuration", "/.well-known/openid-configuration"],
  ["/.well-known/openid-configuration/sluiced", "/.well-known/openid-configuration/sluiced"],
  ["/.well-known/unknown/sluice", "/.well-known/unknown/sluice"],
])("%s is %s inside", async (path, inside) => {
  const body = { method: "POST", body: "a body" };
  expect(await read(path, body)).toMatchObject({ path: inside, text: "a body", peer: "127.0.0.1" });
});

test("the path itself leads to the page below it, and redirects stay below it", async () => {
  const locations = ["/sluice", "/sluice?a=1", "/sluice/moved", "/sluice/away"];
  const found = await Promise.all(locations.map(async (path) => (await ask(path)).headers.get("location")));
  expect(found).toEqual(["/sluice/", "/sluice/?a=1", "/sluice/docs/", "https://a.example/x"]);
});

test("cookies are this path's, with a prefix that browsers take there, and others' are not read", async () => {
  expect((await ask("/sluice/enter?https")).headers.getSetCookie()).toEqual([
    "__Secure-session=1; Path=/sluice; HttpOnly; SameSite=Lax; Max-Age=9; Secure",
    "session=; Path=/sluice; HttpOnly; SameSite=Lax; Max-Age=0; Secure",
  ]);
  expect((await ask("/sluice/enter")).headers.getSetCookie()).toEqual([
    "session=1; Path=/sluice; HttpOnly; SameSite=Lax; Max-Age=9",
  ]);
  const session = async (cookie: string) =>
    ((await read("/sluice/x", { headers: { cookie } })) as { session: string }).session;
  expect(await session("__Host-session=root; __Secure-session=mine; session=plain")).toBe("mine");
  expect(await session("__Host-session=root")).toBeNull();
  expect(await session("a=b; session=mine; session=root")).toBe("mine");
});

test("a site's own paths in built files lead below the base path, texts stay", () => {
  const text = 'import("/assets/a.js");url(/assets/b.woff2);<a href="/docs/x">;"see example.com/docs/x";\'/assets/c\'';
  expect(rebase(text, "/sluice", ["/assets/", "/docs/"])).toBe(
    'import("/sluice/assets/a.js");url(/sluice/assets/b.woff2);<a href="/sluice/docs/x">;"see example.com/docs/x";\'/sluice/assets/c\'',
  );
  expect(rebase(text, "", ["/assets/"])).toBe(text);
});
