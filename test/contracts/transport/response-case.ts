import { chatReply } from "../../support/gateway/start-upstream.ts";

/**
 * What a client may make of a response: its very `body`; a `failure`; or, where RFC 9112 leaves it to the recipient, either
 * of the two (`body-or-failure`). `part` allows what came before a cut to be taken for the whole, which is right only where
 * the end of the connection is the end of the body. `any` is for bytes that no reading makes sense of: only that the call
 * ends, and that the next one is not spoiled, counts.
 */
export type Outcome = "body" | "failure" | "body-or-failure" | "part" | "any";

export type ResponseCase = Readonly<{ name: string; bytes: Uint8Array; outcome: Outcome }>;

/** The body of every case whose framing can be read. */
export const BODY = JSON.stringify(chatReply());
export const BYTES = Buffer.from(BODY);
export const LENGTH = BYTES.length;
export const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
export const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** Text is written as UTF-8, "\xNN" in heads as the byte itself. */
export const raw = (head: string, body: string | Uint8Array = ""): Uint8Array =>
  Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body as string)]);

export const chunk = (
  bytes: Uint8Array,
  size = bytes.length.toString(16),
  sizeEnd = "\r\n",
  dataEnd = "\r\n",
): Uint8Array => Buffer.concat([Buffer.from(`${size}${sizeEnd}`, "latin1"), bytes, Buffer.from(dataEnd, "latin1")]);

export const LAST = Buffer.from("0\r\n\r\n");
