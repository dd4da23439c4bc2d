/** A gateway whose users sign in at another one: its client of OAuth against its own authorization server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startMcpServer } from "../../../gateway/mcp/mcp-server.ts";
import { createApiKey, type Session, setUp } from "../../../support/e2e/console-client.ts";
import { type Gateway, startGateway } from "../../../support/e2e/fixture.ts";

const upstream = startMcpServer();
let [far, near]: Gateway[] = [];
afterAll(async () => {
  await Promise.all([far?.stop(), near?.stop()]);
  upstream.stop();
});
beforeAll(async () => {
  [far, near] = await Promise.all([startGateway(), startGateway()]);
}, 120_000);

async function addServer(session: Session, name: string, server: object): Promise<number> {
  const { id } = await session.post("/api/mcp-server/", { name, server });
  return id;
}
async function approveAll(session: Session, id: number) {
  const tools = await session.get(`/api/mcp-server/${id}/tools`);
  await session.post(`/api/mcp-server/${id}/tools/approve`, {
    tools: tools.map(({ name, hash }: { name: string; hash: string }) => ({ name, hash })),
  });
}

test("a person lets the near gateway use the far one's servers, and ends that", async () => {
  if (!far || !near) throw new Error("the gateways did not start");
  const [there, here] = [await setUp(far), await setUp(near)];
  await approveAll(there, await addServer(there, "city", { url: upstream.url }));
  const id = await addServer(here, "far", { url: `${far.url}/mcp/city`, auth: "oauth" });

  const started = await here.send("POST", `/api/mcp_sign_ins/${id}/start`);
  const flow = started.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { data } = (await started.json()) as { data: { url: string } };
  const address = new URL(data.url);
  expect(address.href).toStartWith(`${far.url}/oauth/authorize?`);
  const query = Object.fromEntries(address.searchParams);
  const { client, server } = await there.post("/api/applications/request", query);
  expect([client, server]).toEqual(["Sluice", "city"]);
  const { return_to: back } = await there.post("/api/applications/approve", { query, name: client });
  expect(back).toStartWith(`${near.url}/oauth/mcp/callback?`);
  const completed = await fetch(`${near.url}/api/mcp_sign_ins/complete`, {
    method: "POST",
    headers: {
      ...{ cookie: `${here.cookie}; ${flow}`, "sluice-user": String(here.userId) },
      "content-type": "application/json",
    },
    body: JSON.stringify(Object.fromEntries(new URL(back).searchParams)),
  });
  expect(await completed.json()).toMatchObject({ success: true });

  expect(await here.post(`/api/mcp-server/${id}/refresh`)).toMatchObject({ error: "" });
  await approveAll(here, id);
  const { key } = await createApiKey(here);
  const call = async () => {
    const reply = await fetch(`${near?.url}/mcp/far`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "weather", arguments: { city: "Ghent" } },
      }),
    });
    return await reply.text();
  };
  expect(await call()).toContain("rainy in Ghent");
  const signedOut = await here.delete(`/api/mcp_sign_ins/${id}`);
  expect(signedOut).toEqual({ revoked: true });
  expect(await there.get("/api/applications/")).toEqual([]);
  expect(await call()).toContain("/mcp-sign-ins");
}, 120_000);
