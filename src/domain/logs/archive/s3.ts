import { AwsV4Signer } from "aws4fetch";
import type { SafeFetch, SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import type { ArchivePlace } from "./place.ts";

type S3Options = Readonly<{
  url: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}>;

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;
const LONGEST_REJECTION = 200;

/**
 * S3-compatible storage with path-style addresses, which AWS, MinIO and R2 understand.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
export function openS3({ url, region, bucket, prefix, ...keys }: S3Options, fetch: SafeFetch): ArchivePlace {
  const folder = prefix.replace(/^\/+|\/+$/g, "");
  const request = async (
    method: "GET" | "PUT" | "DELETE",
    name: string,
    { headers = {}, body }: Readonly<{ headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> }>,
    accepted: readonly number[],
  ): Promise<SafeResponse> => {
    const path = [bucket, ...(folder ? [folder] : []), name].join("/");
    const signed = await new AwsV4Signer({
      method,
      url: `${url.replace(/\/+$/, "")}/${path}`,
      headers: { ...headers, "x-amz-content-sha256": Bun.SHA256.hash(body ?? "", "hex") },
      ...{ region, service: "s3", ...keys },
    }).sign();
    const response = await fetch(signed.url.href, {
      ...{ method, headers: Object.fromEntries(signed.headers.entries()), timeoutMs: TIMEOUT_MS },
      ...{ maxBytes: MAX_BYTES, maxRedirects: 0, ...(body && { body }) },
    });
    if (accepted.includes(response.status)) return response;
    const detail = response.text().replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_REJECTION);
    throw new Error(`HTTP ${response.status}${detail && `: ${detail}`}`);
  };
  return {
    kind: "s3",
    target: `${URL.parse(url)?.host ?? ""}/${bucket}`,
    async write(name, body) {
      const headers = { "content-type": "application/vnd.apache.parquet" };
      await request("PUT", name, { headers, body }, [200]);
    },
    async read(name, start, end) {
      const { body } = await request("GET", name, { headers: { range: `bytes=${start}-${end - 1}` } }, [206]);
      if (body.length !== end - start) throw new Error(`${name} ends before byte ${end}`);
      return new Uint8Array(body);
    },
    async remove(name) {
      await request("DELETE", name, {}, [200, 204, 404]);
    },
  };
}
