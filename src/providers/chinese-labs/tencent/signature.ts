import { createHash, createHmac } from "node:crypto";

const SERVICE = "hunyuan";
const VERSION = "2023-09-01";
const SIGNED = "content-type;host;x-tc-action";

type Signed = Readonly<{
  /** The API action. */
  action: string;
  host: string;
  /** The exact bytes of the request body. */
  body: string;
  contentType: string;
  secretId: string;
  secretKey: string;
  /** Unix time in seconds. */
  timestamp: number;
}>;

/**
 * The headers of Tencent's API with a TC3-HMAC-SHA256 signature. Source:
 * https://cloud.tencent.com/document/api/1729/101843
 */
export function tencentHeaders(request: Signed): Record<string, string> {
  const { action, host, body, contentType, secretId, secretKey, timestamp } = request;
  const day = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${day}/${SERVICE}/tc3_request`;
  const headers = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const canonical = ["POST", "/", "", headers, SIGNED, sha256(body)].join("\n");
  const text = ["TC3-HMAC-SHA256", timestamp, scope, sha256(canonical)].join("\n");
  const key = [day, SERVICE, "tc3_request"].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    `TC3${secretKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  return {
    "x-tc-action": action,
    "x-tc-version": VERSION,
    "x-tc-timestamp": String(timestamp),
    authorization: `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
