import { expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { health } from "./routes.ts";

const appWith = (token: string) =>
  health({
    readiness: async () => ({ ready: true, degraded: [] }),
    metrics: async () => "sluice_holds 3\n",
    settings: fixedSettings({ MetricsToken: token }),
    version: "1",
  });
const read = async (token: string, authorization?: string) => {
  const headers = new Headers(authorization === undefined ? [] : [["authorization", authorization]]);
  const response = await appWith(token).handle(new Request("http://gate.test/metrics", { headers }));
  return { status: response.status, text: await response.text(), asks: response.headers.get("www-authenticate") };
};

test("anybody reads the metrics of a site without a token", async () => {
  expect(await read("")).toEqual({ status: 200, text: "sluice_holds 3\n", asks: null });
});

test("a token of the site is asked for, and nothing else is taken for it", async () => {
  expect(await read("s3cret", "Bearer s3cret")).toMatchObject({ status: 200, text: "sluice_holds 3\n" });
  expect(await read("s3cret", "bearer s3cret")).toMatchObject({ status: 200 });
  for (const wrong of [undefined, "", "Bearer ", "s3cret", "Bearer s3cre", "Basic s3cret", "Bearer S3cret"]) {
    const { status, text, asks } = await read("s3cret", wrong);
    expect([wrong, status, asks, text.includes("sluice_holds")]).toEqual([wrong, 401, "Bearer", false]);
  }
});

test("probes ask for none", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    expect((await appWith("s3cret").handle(new Request(`http://gate.test${path}`))).status).toBe(200);
  }
});
