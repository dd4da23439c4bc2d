import { AwsV4Signer } from "aws4fetch";
import { HTTP_ADDRESS, hostOf, jsonLines, type SinkType, upload } from "../sink-type.ts";

/**
 * Objects of JSON lines, with path-style addresses that AWS and compatible stores such as MinIO and R2 understand.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export const s3: SinkType = {
  fields: [
    { name: "url", format: HTTP_ADDRESS },
    { name: "region", format: /^[a-z0-9-]{1,40}$/ },
    { name: "bucket", format: /^[a-z0-9][a-z0-9.-]{1,62}$/ },
    { name: "prefix", format: /^[\w.=/-]{1,200}$/, isOptional: true },
    { name: "access_key_id", format: /^\S{1,200}$/ },
    { name: "secret_access_key", format: /^\S{1,400}$/, isSecret: true },
  ],
  maxCalls: 5000,
  // Each batch is an object.
  pauseSeconds: 60,
  target: ({ url, bucket }) => `${hostOf(url)}/${bucket ?? ""}`,
  async send({ url = "", region = "", bucket = "", prefix = "", ...keys }, { id, calls }, deps) {
    const day = new Date((calls[0]?.created_at ?? 0) * 1000).toISOString().slice(0, 10);
    const folder = prefix.replace(/^\/+|\/+$/g, "");
    const path = [bucket, ...(folder ? [folder] : []), `date=${day}`, `${id}.jsonl`].join("/");
    const body = jsonLines(calls);
    const signer = new AwsV4Signer({
      method: "PUT",
      url: `${url.replace(/\/+$/, "")}/${path}`,
      headers: { "content-type": "application/x-ndjson" },
      body,
      accessKeyId: keys.access_key_id ?? "",
      secretAccessKey: keys.secret_access_key ?? "",
      region,
      service: "s3",
    });
    const signed = await signer.sign();
    await upload(deps, signed.url.href, { method: "PUT", headers: Object.fromEntries(signed.headers.entries()), body });
  },
};
