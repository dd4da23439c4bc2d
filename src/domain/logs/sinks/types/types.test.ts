/** What each destination documents of its protocol, and what it is sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificates } from "../../../../../test/support/processes/certificates.ts";
import { startFakeKafka } from "../../../../../test/support/processes/kafka/fake-kafka.ts";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { createResolve } from "../../../../lib/outbound/resolve.ts";
import { createSafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { signWebhook } from "../../../../lib/security/webhook-signature.ts";
import type { ExportedCall } from "../sink-type.ts";
import { type SinkTypeName, sinkType } from "./index.ts";

type Received = Readonly<{ method: string; url: URL; headers: Headers; body: string }>;
let received: Received[] = [];
let respond: (request: Received) => Response;
let server: Bun.Server<undefined>;
let base: string;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const seen = {
        method: request.method,
        url: new URL(request.url),
        headers: request.headers,
        body: await request.text(),
      };
      received.push(seen);
      return respond(seen);
    },
  });
  base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop(true));
beforeEach(() => {
  received = [];
  respond = () => new Response("", { status: 200 });
});

const POLICY = createAddressPolicy(true);
const deps = { fetch: createSafeFetch(POLICY), resolve: createResolve(POLICY) };
const call = (id: string): ExportedCall => ({
  ...{ id, log_id: 7, created_at: 1_790_000_000, request_id: `req-${id}`, user_id: 1, username: "ann" },
  ...{ token_id: 2, token_name: "key", group: "default", model: "gpt-4o", requested_model: "best", channel_id: 3 },
  ...{ is_stream: true, failed: false, status: 200, elapsed_ms: 800, first_token_ms: 120 },
  ...{ prompt_tokens: 10, cached_tokens: 4, completion_tokens: 20, reasoning_tokens: 5, quota: 99, uncovered: 0 },
  service_tier: "priority",
  tags: ["team-a", "job"],
  end_user: "alice",
});
const CALLS = [call("a"), call("ü")];
const send = (type: SinkTypeName, config: Readonly<Record<string, string>>) =>
  sinkType(type).send(config, { id: "usage-1-1-2", calls: CALLS }, deps);
const only = () => {
  expect(received).toHaveLength(1);
  return received[0] as Received;
};
const lines = (body: string) =>
  body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a webhook gets the batch under its id, signed by Standard Webhooks", async () => {
  const secret = `whsec_${Buffer.from("a".repeat(32)).toString("base64")}`;
  await send("webhook", { url: `${base}/hook`, secret });
  const { headers, body } = only();
  const timestamp = Number(headers.get("webhook-timestamp"));
  expect(headers.get("webhook-id")).toBe("usage-1-1-2");
  expect(headers.get("webhook-signature")).toBe(signWebhook(secret, { id: "usage-1-1-2", timestamp, body }));
  expect(JSON.parse(body)).toMatchObject({ type: "usage", data: CALLS });
});

test("S3 gets one object, under a signature that its service computes too", async () => {
  const config = { region: "eu-west-1", bucket: "usage", access_key_id: "AKIDEXAMPLE", secret_access_key: "hush" };
  await send("s3", { url: base, prefix: "/sluice/", ...config });
  const { method, url, headers, body } = only();
  expect(`${method} ${url.pathname}`).toBe("PUT /usage/sluice/date=2026-09-21/usage-1-1-2.jsonl");
  expect(lines(body)).toEqual(CALLS);
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  const [, scope = "", signed = "", signature] =
    /Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(headers.get("authorization") ?? "") ??
    [];
  const canonical = [
    ...["PUT", url.pathname.replaceAll("=", "%3D"), ""],
    ...signed.split(";").map((name) => `${name}:${headers.get(name)}`),
    ...["", signed, headers.get("x-amz-content-sha256") ?? ""],
  ].join("\n");
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  if (headers.get("x-amz-content-sha256") !== "UNSIGNED-PAYLOAD") {
    expect(headers.get("x-amz-content-sha256")).toBe(hash(body));
  }
  const toSign = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, hash(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer>((last, part) => createHmac("sha256", last).update(part).digest(), Buffer.from("AWS4hush"));
  expect(signature).toBe(createHmac("sha256", key).update(toSign).digest("hex"));
});

test("ClickHouse gets rows of a table with a token against duplicates", async () => {
  await send("clickhouse", { url: `${base}/`, table: "calls", user: "writer", password: "hush" });
  const { url, headers, body } = only();
  expect(url.searchParams.get("query")).toBe("INSERT INTO `default`.`calls` FORMAT JSONEachRow");
  expect(url.searchParams.get("insert_deduplication_token")).toBe("usage-1-1-2");
  expect([headers.get("x-clickhouse-user"), headers.get("x-clickhouse-key")]).toEqual(["writer", "hush"]);
  expect(lines(body)).toEqual(CALLS);
});

describe("Splunk", () => {
  const config = { token: "11111111-2222-3333-4444-555555555555", index: "main" };

  test("gets events", async () => {
    respond = () => Response.json({ text: "Success", code: 0 });
    await send("splunk", { url: base, ...config });
    const { url, headers, body } = only();
    expect(url.pathname).toBe("/services/collector/event");
    expect(headers.get("authorization")).toBe(`Splunk ${config.token}`);
    expect(lines(body)).toEqual(
      CALLS.map((event) => ({ time: event.created_at, source: "sluice", sourcetype: "_json", index: "main", event })),
    );
  });

  test("is not believed without its confirmation", async () => {
    expect(send("splunk", { url: base, ...config })).rejects.toThrow("did not confirm");
  });
});

describe("BigQuery", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyOf = (id: string) =>
    JSON.stringify({
      type: "service_account",
      project_id: "site",
      client_email: `${id}@site.iam.gserviceaccount.com`,
      private_key_id: id,
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: `${base}/token`,
    });
  const target = () => ({ service_account: keyOf("k1"), dataset: "gateway", table: "calls", url: base });

  test("gets rows with ids, under an access token that is fetched once", async () => {
    respond = ({ url }) => Response.json(url.pathname === "/token" ? { access_token: "ya29" } : {});
    await send("bigquery", target());
    await send("bigquery", target());
    expect(received.map(({ url }) => url.pathname)).toEqual([
      "/token",
      ...Array<string>(2).fill("/bigquery/v2/projects/site/datasets/gateway/tables/calls/insertAll"),
    ]);
    const insert = received[1];
    expect(insert?.headers.get("authorization")).toBe("Bearer ya29");
    expect(JSON.parse(insert?.body ?? "")).toEqual({
      ignoreUnknownValues: true,
      rows: CALLS.map((json) => ({ insertId: json.id, json })),
    });
  });

  test("rejects a batch of which it rejects rows with status 200", async () => {
    respond = ({ url }) =>
      Response.json(url.pathname === "/token" ? { access_token: "x" } : { insertErrors: [{ index: 0, errors: [] }] });
    expect(send("bigquery", target())).rejects.toThrow("BigQuery rejected 1 rows");
  });
});

test.each(["webhook", "clickhouse", "splunk"] as const)(
  "%s: a rejection is reported in the service's words",
  async (type) => {
    respond = () => new Response("Code: 60. Table does not exist", { status: 404 });
    const config = { url: base, table: "calls", token: "t", secret: `whsec_${btoa("b".repeat(32))}` };
    expect(send(type, config)).rejects.toThrow("HTTP 404: Code: 60. Table does not exist");
  },
);

describe("Kafka", () => {
  const asMessages = (topic: string) => CALLS.map((each) => ({ topic, key: each.id, value: JSON.stringify(each) }));

  test("gets messages whose key is the call's id", async () => {
    const kafka = startFakeKafka("usage");
    await send("kafka", { brokers: kafka.broker, topic: "usage" });
    expect(kafka.messages).toEqual(asMessages("usage"));
    kafka.state.hasReplicas = false;
    await expect(send("kafka", { brokers: kafka.broker, topic: "usage" })).rejects.toThrow();
    expect(kafka.messages).toHaveLength(CALLS.length);
    kafka.stop();
  });

  test("is signed in to by SASL/PLAIN", async () => {
    const kafka = startFakeKafka("usage", { user: "gate", password: "hush" });
    const config = { brokers: kafka.broker, topic: "usage", user: "gate" };
    await send("kafka", { ...config, password: "hush" });
    expect(kafka.messages).toHaveLength(CALLS.length);
    await expect(send("kafka", { ...config, password: "wrong" })).rejects.toThrow(/authentication/i);
    kafka.stop();
  });

  test("is trusted by TLS for the address or the name that the certificate is of, and no other", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-kafka-"));
    const { certificate: cert, key } = await makeCertificates(folder, "127.0.0.1");
    const kafka = startFakeKafka("usage", null, { cert, key });
    const port = kafka.broker.split(":")[1];
    const sendByTls = async (host: string, authority: string) => {
      const worker = join(import.meta.dir, "../../../../../test/support/processes/kafka/kafka-worker.ts");
      const child = Bun.spawn([process.execPath, worker, `${host}:${port}`], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, authority) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      return new Response(child.stdout).text();
    };
    try {
      expect(await sendByTls("127.0.0.1", "authority.crt")).toBe("sent");
      expect(await sendByTls("localhost", "authority.crt")).toBe("sent");
      expect(kafka.messages).toHaveLength(2);
      // Also of this machine, but the certificate does not say so; and an authority that nobody here knows.
      expect(await sendByTls("127.0.0.2", "authority.crt")).not.toBe("sent");
      expect(await sendByTls("127.0.0.1", "client.crt")).not.toBe("sent");
      expect(kafka.messages).toHaveLength(2);
    } finally {
      kafka.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("is not reached at addresses that the policy refuses", async () => {
    const kafka = startFakeKafka("usage");
    const strict = { ...deps, resolve: createResolve(createAddressPolicy(false)) };
    const config = { brokers: kafka.broker, topic: "usage" };
    await expect(sinkType("kafka").send(config, { id: "x", calls: CALLS }, strict)).rejects.toThrow();
    expect(kafka.messages).toEqual([]);
    kafka.stop();
  });
});
