import { createHash, createHmac } from "node:crypto";

/** S3 by its documentation: path-style objects, ranges, and a signature that is computed here again. */
export function startFakeS3({
  accessKeyId,
  secretAccessKey,
}: Readonly<Record<"accessKeyId" | "secretAccessKey", string>>) {
  const objects = new Map<string, Uint8Array>();
  const state = {
    /** Requests with a wrong signature or checksum. */
    refused: 0,
    /** Of each request its method and path. */
    requests: [] as string[],
    /** Changes what is stored on its way. */
    tamper: (bytes: Uint8Array): Uint8Array => bytes,
    isDown: false,
    /** Takes requests and never answers. */
    isSilent: false,
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      const body = new Uint8Array(await request.arrayBuffer());
      state.requests.push(`${request.method} ${pathname}`);
      if (state.isSilent) return new Promise(() => {});
      if (state.isDown) return new Response("<Code>SlowDown</Code>", { status: 503 });
      if (!isSigned(request, body, { accessKeyId, secretAccessKey })) {
        state.refused += 1;
        return new Response("<Error><Code>SignatureDoesNotMatch</Code></Error>", { status: 403 });
      }
      if (request.method === "PUT") {
        objects.set(pathname, state.tamper(body));
        return new Response("");
      }
      if (request.method === "DELETE") return new Response(null, { status: objects.delete(pathname) ? 204 : 404 });
      const bytes = objects.get(pathname);
      if (!bytes) return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
      if (start === undefined) return new Response(new Uint8Array(bytes));
      return new Response(new Uint8Array(bytes.slice(Number(start), Number(end) + 1)), { status: 206 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, objects, state, stop: () => server.stop(true) };
}

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function isSigned(
  { method, url, headers }: Request,
  body: Uint8Array,
  { accessKeyId, secretAccessKey }: Readonly<Record<"accessKeyId" | "secretAccessKey", string>>,
): boolean {
  const [, id, scope = "", names = "", signature] =
    /Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(headers.get("authorization") ?? "") ?? [];
  const checksum = headers.get("x-amz-content-sha256") ?? "";
  const canonical = [
    ...[method, new URL(url).pathname, ""],
    ...names.split(";").map((name) => `${name}:${headers.get(name)}`),
    ...["", names, checksum],
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, sha256(canonical)].join("\n");
  const sign = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = scope.split("/").reduce(sign, Buffer.from(`AWS4${secretAccessKey}`));
  return id === accessKeyId && checksum === sha256(body) && sign(key, toSign).toString("hex") === signature;
}
