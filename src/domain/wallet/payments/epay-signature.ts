import { createHash, timingSafeEqual } from "node:crypto";

type Fields = Readonly<Record<string, string>>;

/**
 * The Epay protocol's signature: all fields but `sign`, `sign_type` and empty ones, by name, joined as name=value with
 * &, the merchant's key appended; MD5 in lower-case hex.
 */
export function signEpay(fields: Fields, key: string): string {
  const text = Object.keys(fields)
    .filter((name) => name !== "sign" && name !== "sign_type" && fields[name] !== "")
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
  return createHash("md5")
    .update(text + key)
    .digest("hex");
}

/** Whether the fields' `sign` was made with `key`; never with an empty key. */
export function isSignedByEpay(fields: Fields, key: string): boolean {
  if (key === "") return false;
  const expected = Buffer.from(signEpay(fields, key));
  const input = Buffer.from((fields.sign ?? "").toLowerCase());
  return input.length === expected.length && timingSafeEqual(input, expected);
}
