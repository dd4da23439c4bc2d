import { describe, expect, test } from "bun:test";
import pino from "pino";
import { ByteBudget } from "../../../lib/limits/byte-budget.ts";
import type { GatewayContext } from "../context.ts";
import { type RouteGroup, route } from "../route.ts";
import { createRouter } from "./router.ts";

const context = {
  services: { log: pino({ level: "silent" }) },
  bodies: new ByteBudget(0, 0),
} as unknown as GatewayContext;
const refuse: RouteGroup["refuse"] = (_, __, { code }) => new Response(String(code), { status: 404 });
const answer = (text: string) => async () => new Response(text);

const router = createRouter(context, [
  {
    prefix: "/one",
    routes: [
      route("POST", "/fixed", answer("fixed")),
      route("GET", "/fixed", answer("read")),
      route(
        "POST",
        "/things/:id/parts/*",
        async ({ param }) => new Response(`${param("id")} ${param("*")} ${param("none")}`),
      ),
      route("POST", "/broken", () => {
        throw new Error("unforeseen");
      }),
      route("POST", "/late", () => Promise.reject(new Error("unforeseen"))),
    ],
    refuse,
  },
  { prefix: "/:mode/two", routes: [route("GET", "", answer("two"))], owns: /^\/(?:fast|slow)\/two(?:\/|$)/, refuse },
  { prefix: "/reserved", routes: [], refuse },
]);
const request = (method: string, path: string) => new Request(`http://gateway.test${path}`, { method });
const ask = async (method: string, path: string) => {
  const response = await router.app.handle(request(method, path));
  return [response.status, await response.text()];
};

describe("the route table", () => {
  test("a POST to a fixed path skips Elysia's matching, everything else does not", async () => {
    expect(await (await router.take(request("POST", "/one/fixed"), "/one/fixed", null))?.text()).toBe("fixed");
    for (const [method, path] of [
      ["GET", "/one/fixed"],
      ["POST", "/one/things/7/parts/x"],
      ["POST", "/one/none"],
    ] as const)
      expect(router.take(request(method, path), path, null)).toBeNull();
  });

  test.each(["/one/broken", "/one/late"])("an error of %s is a 500 on both ways", async (path) => {
    expect((await router.take(request("POST", path), path, null))?.status).toBe(500);
    expect((await ask("POST", path))[0]).toBe(500);
  });

  test.each([
    ["POST", "/one/fixed", 200, "fixed"],
    ["GET", "/one/fixed", 200, "read"],
    ["POST", "/one/things/7/parts/a/b", 200, "7 a/b "],
    ["GET", "/fast/two", 200, "two"],
    ["OPTIONS", "/one/anything", 204, ""],
    ["GET", "/one/none", 404, "unknown_url"],
    ["GET", "/reserved/x", 404, "unknown_url"],
  ])("%s %s returns %p %p", async (method, path, status, text) => {
    expect(await ask(method, path)).toEqual([status, text]);
  });

  test("the table's prefixes belong to the gateway, others do not", () => {
    for (const path of ["/one", "/one/x", "/fast/two", "/slow/two/x", "/reserved"])
      expect(router.owns(path)).toBe(true);
    for (const path of ["/", "/ones", "/other/two", "/x/one", "/fast"]) expect(router.owns(path)).toBe(false);
  });
});
