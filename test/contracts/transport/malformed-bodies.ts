import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  BODY,
  BYTES,
  CHUNKED,
  chunk,
  LAST,
  LENGTH,
  OK,
  type Outcome,
  type ResponseCase,
  raw,
} from "./response-case.ts";

export function* surplus(): Generator<ResponseCase> {
  const good = raw(`${OK}content-length: ${LENGTH}\r\n\r\n`, BODY);
  const evil = JSON.stringify({ text: "of another call" });
  const extras: Readonly<Record<string, string>> = {
    "a byte": "x",
    "an empty line": "\r\n",
    "a whole response": `${OK}content-length: ${evil.length}\r\n\r\n${evil}`,
    "two whole responses": `${OK}content-length: ${evil.length}\r\n\r\n${evil}`.repeat(2),
    "a chunked response": `${CHUNKED}${evil.length.toString(16)}\r\n${evil}\r\n0\r\n\r\n`,
    "half a head": "HTTP/1.1 200 O",
    "a head without its body": `${OK}content-length: 9\r\n\r\n`,
    "a 100": "HTTP/1.1 100 Continue\r\n\r\n",
    "a 103": "HTTP/1.1 103 Early Hints\r\n\r\n",
    "a 408 of a server that gives up": "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    "a megabyte": "x".repeat(1_048_576),
    "NUL bytes": "\0\0\0\0",
  };
  const firsts: Readonly<Record<string, Uint8Array>> = {
    "a body of a length": good,
    chunks: Buffer.concat([Buffer.from(CHUNKED), chunk(BYTES), LAST]),
    "an empty body": raw("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
    "a 204": raw("HTTP/1.1 204 No Content\r\n\r\n"),
    "a 500": raw(`HTTP/1.1 500 Down\r\ncontent-length: ${LENGTH}\r\n\r\n`, BODY),
  };
  for (const [firstName, first] of Object.entries(firsts))
    for (const [name, extra] of Object.entries(extras))
      yield {
        name: `surplus: ${name} behind ${firstName}`,
        bytes: Buffer.concat([first, Buffer.from(extra, "latin1")]),
        outcome: first === good || firstName === "chunks" ? "body-or-failure" : "any",
      };
}

export function* truncations(): Generator<ResponseCase> {
  const bodies: Readonly<Record<string, Readonly<{ bytes: Uint8Array; outcome: Outcome }>>> = {
    "a length": { bytes: raw(`${OK}content-length: ${LENGTH}\r\n\r\n`, BODY), outcome: "failure" },
    chunks: {
      bytes: Buffer.concat([Buffer.from(CHUNKED), chunk(BYTES.subarray(0, 9)), chunk(BYTES.subarray(9)), LAST]),
      // Some take the last chunk's size line for the end.
      outcome: "body-or-failure",
    },
    "no length": { bytes: raw(`${OK}\r\n`, BODY), outcome: "part" },
  };
  for (const [name, { bytes, outcome }] of Object.entries(bodies)) {
    const step = Math.max(1, Math.floor(bytes.length / 40));
    for (let length = 0; length < bytes.length; length += step)
      yield { name: `${name}, cut after ${length} bytes`, bytes: bytes.subarray(0, length), outcome };
    for (const left of [1, 2, 3, 4])
      yield { name: `${name}, its last ${left} bytes missing`, bytes: bytes.subarray(0, -left), outcome };
  }
}

export function* compressions(): Generator<ResponseCase> {
  const packed: Readonly<Record<string, Uint8Array>> = {
    gzip: gzipSync(BODY),
    "x-gzip": gzipSync(BODY),
    deflate: deflateSync(BODY),
    br: brotliCompressSync(BODY),
    zstd: zstdCompressSync(BODY),
  };
  const encoded = (encoding: string, body: Uint8Array) =>
    raw(`${OK}content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`, body);
  for (const [name, body] of Object.entries(packed)) {
    const flipped = Buffer.from(body);
    for (let at = 4; at < flipped.length; at += 7) flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    const cases: Readonly<Record<string, readonly [Uint8Array, Outcome]>> = {
      complete: [encoded(name, body), "body"],
      "in upper case": [encoded(name.toUpperCase(), body), "body"],
      "behind identity": [encoded(`identity, ${name}`, body), "body"],
      twice: [encoded(`${name}, ${name}`, body), "failure"],
      "nine times": [encoded(Array(9).fill(name).join(", "), body), "failure"],
      // The runtime's zstd decoder takes the end of its input for the end of the frame.
      "cut in half": [encoded(name, body.subarray(0, body.length >> 1)), name === "zstd" ? "part" : "failure"],
      "without its last byte": [encoded(name, body.subarray(0, -1)), name === "zstd" ? "part" : "body-or-failure"],
      "without its first byte": [encoded(name, body.subarray(1)), "failure"],
      empty: [encoded(name, new Uint8Array(0)), "any"],
      // Brotli has no checksum.
      flipped: [encoded(name, flipped), name === "br" ? "any" : "failure"],
      "plain text": [encoded(name, BYTES), "failure"],
      "with rubbish behind it": [
        encoded(name, Buffer.concat([body, Buffer.from("rubbish behind")])),
        "body-or-failure",
      ],
      "of another coding": [
        encoded(name, name === "zstd" ? (packed.gzip as Uint8Array) : (packed.zstd as Uint8Array)),
        "failure",
      ],
      "longer than announced": [
        raw(`${OK}content-encoding: ${name}\r\ncontent-length: ${body.length - 2}\r\n\r\n`, body),
        "any",
      ],
      "in chunks": [
        Buffer.concat([
          Buffer.from(`${OK}content-encoding: ${name}\r\ntransfer-encoding: chunked\r\n\r\n`),
          ...[...body].map((byte) => chunk(Buffer.of(byte))),
          LAST,
        ]),
        "body",
      ],
    };
    for (const [kind, [bytes, outcome]] of Object.entries(cases)) yield { name: `${name} ${kind}`, bytes, outcome };
  }
  for (const encoding of ["identity", "none", "compress", "x", "gzip;q=1", ",", "\x01", "gzip gzip", ",gzip"])
    yield {
      name: `coding ${JSON.stringify(encoding)} over plain text`,
      bytes: encoded(encoding, BYTES),
      outcome: encoding === "identity" ? "body" : "any",
    };
}
