import { expect, test } from "bun:test";
import { createProxy } from "./dev-proxy.ts";

test("passes method, query, body, status, cookies and redirects on", async () => {
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = `${request.method} ${pathname}${search} ${await request.text()}`;
      return new Response(text, { status: 302, headers: { location: "/next", "set-cookie": "a=1; HttpOnly" } });
    },
  });
  const forward = createProxy(`http://127.0.0.1:${server.port}`);
  const reply = await forward(new Request("http://console/api/x?y=1", { method: "POST", body: "hello" }));
  expect(await reply.text()).toBe("POST /api/x?y=1 hello");
  expect(reply.status).toBe(302);
  expect(reply.headers.get("location")).toBe("/next");
  expect(reply.headers.getSetCookie()).toEqual(["a=1; HttpOnly"]);
});

test("answers in the envelope while the server is away", async () => {
  const reply = await createProxy("http://127.0.0.1:1")(new Request("http://console/api/status"));
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ success: false });
});
