import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
export const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
export const same = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
export const isRecent = (seconds: number) => Math.abs(Date.now() / 1000 - seconds) < 300;
