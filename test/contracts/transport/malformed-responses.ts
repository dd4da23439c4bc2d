import { compressions, surplus, truncations } from "./malformed-bodies.ts";
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

function* statusLines(): Generator<ResponseCase> {
  const rest = `content-type: application/json\r\ncontent-length: ${LENGTH}\r\n\r\n`;
  const lines: readonly (readonly [line: string, outcome: Outcome])[] = [
    ["HTTP/1.1 200 OK\r\n", "body"],
    ["HTTP/1.1 200 \r\n", "body"],
    ["HTTP/1.1 200\r\n", "body-or-failure"],
    ["HTTP/1.0 200 OK\r\n", "body"],
    ["HTTP/1.1 200 OK with many words: even a colon\r\n", "body"],
    ["HTTP/1.1 200 \xfcber\r\n", "body-or-failure"],
    ["HTTP/1.1 200 OK\n", "any"],
    ["\r\nHTTP/1.1 200 OK\r\n", "any"],
    ["\nHTTP/1.1 200 OK\r\n", "any"],
    ...[
      "HTTP/2 200 OK\r\n",
      "HTTP/2.0 200 OK\r\n",
      "HTTP/0.9 200 OK\r\n",
      "HTTP/1.2 200 OK\r\n",
      "HTTP/9.9 200 OK\r\n",
      "HTTP/1.1  200 OK\r\n",
      "HTTP/1.1\t200 OK\r\n",
      "HTTP/1.1 2 OK\r\n",
      "HTTP/1.1 20 OK\r\n",
      "HTTP/1.1 2000 OK\r\n",
      "HTTP/1.1 20x OK\r\n",
      "HTTP/1.1 0x200 OK\r\n",
      "HTTP/1.1 +200 OK\r\n",
      "HTTP/1.1 -200 OK\r\n",
      "HTTP/1.1 000 OK\r\n",
      "HTTP/1.1 099 OK\r\n",
      "HTTP/1.1 600 OK\r\n",
      "HTTP/1.1 999 OK\r\n",
      "HTTP/1.1200 OK\r\n",
      "HTTP/1.1\r\n",
      "HTTP/ 200 OK\r\n",
      "http/1.1 200 OK\r\n",
      "HTTPS/1.1 200 OK\r\n",
      "ICY 200 OK\r\n",
      "200 OK\r\n",
      "GET / HTTP/1.1\r\n",
      "\0HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 O\0K\r\n",
      "HTTP/1.1 200 OK\rX: y\r\n",
      " HTTP/1.1 200 OK\r\n",
      "<html><body>502 Bad Gateway</body></html>\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01",
      "-ERR unknown command\r\n",
      "{}\r\n",
    ].map((line) => [line, "any"] as const),
  ];
  for (const [line, outcome] of lines)
    yield { name: `status line ${JSON.stringify(line)}`, bytes: raw(line + rest, BODY), outcome };
}

function* lengths(): Generator<ResponseCase> {
  const cases: readonly (readonly [headers: string, outcome: Outcome])[] = [
    [`content-length: ${LENGTH}\r\n`, "body"],
    [`Content-Length:${LENGTH}\r\n`, "body"],
    [`content-length: \t ${LENGTH} \t\r\n`, "body"],
    [`content-length: 0${LENGTH}\r\n`, "body-or-failure"],
    [`content-length: ${LENGTH}\r\ncontent-length: ${LENGTH}\r\n`, "body-or-failure"],
    [`content-length: ${LENGTH}, ${LENGTH}\r\n`, "body-or-failure"],
    ...[
      `+${LENGTH}`,
      `-${LENGTH}`,
      "-1",
      "",
      "x",
      `${LENGTH}x`,
      `0x${LENGTH.toString(16)}`,
      `${LENGTH}.0`,
      `${LENGTH}e0`,
      `${LENGTH},`,
      `,${LENGTH}`,
      `${LENGTH}, ${LENGTH + 1}`,
      `${LENGTH + 1}, ${LENGTH}`,
      "99999999999999999999",
      "18446744073709551616",
      "18446744073709551615",
      "9223372036854775808",
      "9223372036854775807",
      "4294967296",
      "4294967295",
      `${LENGTH} ${LENGTH}`,
      `"${LENGTH}"`,
      `\x0b${LENGTH}`,
      `\u00a0${LENGTH}`,
      "NaN",
      "Infinity",
    ].map((value) => [`content-length: ${value}\r\n`, "any"] as const),
    [`content-length : ${LENGTH}\r\n`, "any"],
    [` content-length: ${LENGTH}\r\n`, "any"],
    [`content-length\r\n`, "any"],
    [`content-length: ${LENGTH}\r\ncontent-length: ${LENGTH + 1}\r\n`, "failure"],
    [`content-length: ${LENGTH + 1}\r\ncontent-length: ${LENGTH}\r\n`, "failure"],
    [`content-length: ${LENGTH}\r\ncontent-length: x\r\n`, "failure"],
    [`content-length: 0\r\n`, "any"],
    [`content-length: 1\r\n`, "any"],
    [`content-length: ${LENGTH - 1}\r\n`, "any"],
    [`content-length: ${LENGTH + 1}\r\n`, "failure"],
    [`content-length: ${LENGTH * 2}\r\n`, "failure"],
  ];
  for (const [headers, outcome] of cases)
    yield { name: `length ${JSON.stringify(headers)}`, bytes: raw(`${OK}${headers}\r\n`, BODY), outcome };
  for (const status of [204, 205, 304])
    for (const headers of ["", `content-length: ${LENGTH}\r\n`, "transfer-encoding: chunked\r\n"])
      yield {
        name: `status ${status} with a body and ${JSON.stringify(headers)}`,
        bytes: raw(`HTTP/1.1 ${status} Nothing\r\n${headers}\r\n`, BODY),
        outcome: "any",
      };
}

function* transferEncodings(): Generator<ResponseCase> {
  const chunked = Buffer.concat([chunk(BYTES), LAST]);
  const values: readonly (readonly [headers: string, outcome: Outcome])[] = [
    ["transfer-encoding: chunked\r\n", "body"],
    ["Transfer-Encoding: CHUNKED\r\n", "body"],
    ["transfer-encoding:chunked\r\n", "body"],
    ["transfer-encoding: chunked \r\n", "body-or-failure"],
    ["transfer-encoding: identity, chunked\r\n", "any"],
    ["transfer-encoding: chunked, chunked\r\n", "any"],
    ["transfer-encoding: chunked, identity\r\n", "any"],
    ["transfer-encoding: gzip, chunked\r\n", "any"],
    ["transfer-encoding: gzip\r\n", "any"],
    ["transfer-encoding: identity\r\n", "any"],
    ["transfer-encoding: xchunked\r\n", "any"],
    ["transfer-encoding: chunkedx\r\n", "any"],
    ["transfer-encoding: ,chunked\r\n", "any"],
    ["transfer-encoding: chunked,\r\n", "any"],
    ["transfer-encoding: chunked;q=1\r\n", "any"],
    ['transfer-encoding: "chunked"\r\n', "any"],
    ["transfer-encoding:\x0bchunked\r\n", "any"],
    ["transfer-encoding:\r\n", "any"],
    ["transfer-encoding : chunked\r\n", "any"],
    ["transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n", "any"],
    ["transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n", "any"],
    [`transfer-encoding: chunked\r\ncontent-length: ${chunked.length}\r\n`, "body-or-failure"],
    [`content-length: ${chunked.length}\r\ntransfer-encoding: chunked\r\n`, "body-or-failure"],
    ["transfer-encoding: chunked\r\ncontent-length: 3\r\n", "body-or-failure"],
    ["content-length: 3\r\ntransfer-encoding: chunked\r\n", "body-or-failure"],
    ["transfer-encoding: chunked\r\ncontent-length: 999999\r\n", "body-or-failure"],
  ];
  for (const [headers, outcome] of values)
    yield { name: `encoding ${JSON.stringify(headers)}`, bytes: raw(`${OK}${headers}\r\n`, chunked), outcome };
  yield {
    name: "chunks in HTTP/1.0",
    bytes: raw("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", chunked),
    outcome: "any",
  };
}

function* chunks(): Generator<ResponseCase> {
  const bodyCase = (name: string, parts: readonly Uint8Array[], outcome: Outcome): ResponseCase => ({
    name: `chunks: ${name}`,
    bytes: Buffer.concat([Buffer.from(CHUNKED), ...parts]),
    outcome,
  });
  const size = LENGTH.toString(16);
  const text = (value: string) => Buffer.from(value, "latin1");
  yield bodyCase("one", [chunk(BYTES), LAST], "body");
  yield bodyCase("a byte each", [...[...BYTES].map((byte) => chunk(Buffer.of(byte))), LAST], "body");
  yield bodyCase("upper case size", [chunk(BYTES, size.toUpperCase()), LAST], "body");
  yield bodyCase("leading zeros", [chunk(BYTES, size.padStart(8, "0")), LAST], "body-or-failure");
  yield bodyCase("many leading zeros", [chunk(BYTES, size.padStart(300, "0")), LAST], "any");
  yield bodyCase("extension", [chunk(BYTES, `${size};name=value`), LAST], "body");
  yield bodyCase("quoted extension", [chunk(BYTES, `${size};name="a;b"`), LAST], "body");
  yield bodyCase("extension of 3,000 bytes", [chunk(BYTES, `${size};x=${"y".repeat(3_000)}`), LAST], "body-or-failure");
  yield bodyCase("extension of 200,000 bytes", [chunk(BYTES, `${size};x=${"y".repeat(200_000)}`), LAST], "any");
  yield bodyCase("last chunk of many zeros", [chunk(BYTES), text("0000\r\n\r\n")], "body-or-failure");
  yield bodyCase("trailers", [chunk(BYTES), text("0\r\nx-end: yes\r\n\r\n")], "body");
  yield bodyCase("trailers that lie about the length", [chunk(BYTES), text("0\r\ncontent-length: 1\r\n\r\n")], "body");
  yield bodyCase("no last chunk", [chunk(BYTES)], "failure");
  yield bodyCase("half a last chunk", [chunk(BYTES), text("0\r\n")], "body-or-failure");
  yield bodyCase("only the zero of the last chunk", [chunk(BYTES), text("0")], "failure");
  yield bodyCase("a trailer without end", [chunk(BYTES), text("0\r\nx-end: yes\r\n")], "body-or-failure");
  yield bodyCase("nothing at all", [], "failure");
  for (const bad of [
    "",
    " ",
    ";",
    "x",
    "g",
    "-1",
    "+1",
    `+${size}`,
    `-${size}`,
    `0x${size}`,
    ` ${size}`,
    `${size} `,
    `${size}\t`,
    `\t${size}`,
    `${size} ${size}`,
    `${size}x`,
    `${size}.`,
    `${size},`,
    `${size}\0`,
    `\0${size}`,
    `"${size}"`,
    `\xa0${size}`,
    "ffffffffffffffff",
    "fffffffffffffffff",
    "10000000000000000",
    "7fffffffffffffff",
    "8000000000000000",
    "ffffffff",
    "100000000",
    "f".repeat(64),
    "9".repeat(5_000),
  ]) {
    yield bodyCase(`size ${JSON.stringify(bad.slice(0, 20))}`, [chunk(BYTES, bad), LAST], "any");
    yield bodyCase(
      `size ${JSON.stringify(bad.slice(0, 20))} after a good chunk`,
      [chunk(BYTES), chunk(BYTES, bad), LAST],
      "any",
    );
    yield bodyCase(
      `size ${JSON.stringify(bad.slice(0, 20))} as the last`,
      [chunk(BYTES), text(`${bad}\r\n\r\n`)],
      "any",
    );
  }
  for (const end of [
    "\n",
    "\r",
    "\r\r\n",
    "\n\r",
    "\r\n\r\n",
    "\n\n",
    " \r\n",
    "\0\r\n",
    "",
    "x\r\n",
    "\r\nx",
    "\rx\n",
  ]) {
    const shown = JSON.stringify(end);
    // A bare CR or LF in the framing of chunks is how responses are smuggled past each other.
    const inExtension = /[\r\n]/.test(end.replace(/^[^\r\n]*\r\n$/, "")) ? "failure" : "any";
    yield bodyCase(`${shown} ends the size`, [chunk(BYTES, size, end), LAST], "failure");
    yield bodyCase(`${shown} ends the data`, [chunk(BYTES, size, "\r\n", end), LAST], "failure");
    yield bodyCase(`${shown} ends the extension`, [chunk(BYTES, `${size};a=b`, end), LAST], inExtension);
    yield bodyCase(`${shown} ends the last size`, [chunk(BYTES), text(`0${end}\r\n`)], "any");
    yield bodyCase(`${shown} ends the trailers`, [chunk(BYTES), text(`0\r\n${end}`)], "any");
    yield bodyCase(`${shown} within a trailer`, [chunk(BYTES), text(`0\r\nx: a${end}b\r\n\r\n`)], "any");
    yield bodyCase(`${shown} within an extension`, [chunk(BYTES, `${size};a=${end}b`), LAST], inExtension);
  }
  for (const difference of [-LENGTH + 1, -10, -2, -1, 1, 2, 3, 10, 1_000]) {
    const wrong = (LENGTH + difference).toString(16);
    yield bodyCase(`a size wrong by ${difference}`, [chunk(BYTES, wrong), LAST], "any");
  }
}

function* informational(): Generator<ResponseCase> {
  const good = raw(`${OK}content-length: ${LENGTH}\r\n\r\n`, BODY);
  const early = (head: string, outcome: Outcome, name = head): ResponseCase => ({
    name: `1xx: ${JSON.stringify(name.slice(0, 60))}`,
    bytes: Buffer.concat([raw(head), good]),
    outcome,
  });
  yield early("HTTP/1.1 100 Continue\r\n\r\n", "body");
  yield early("HTTP/1.1 102 Processing\r\n\r\n", "body");
  yield early("HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n", "body");
  yield early("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(5), "body", "five hints");
  yield early("HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000), "any", "2,000 continues");
  yield early("HTTP/1.1 199 Unknown\r\n\r\n", "body-or-failure");
  yield early("HTTP/1.1 101 Switching Protocols\r\n\r\n", "any");
  yield early("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n", "any");
  yield early(`HTTP/1.1 100 Continue\r\ncontent-length: ${LENGTH}\r\n\r\n`, "any");
  yield early("HTTP/1.1 103 Hints\r\ntransfer-encoding: chunked\r\n\r\n", "any");
  yield early("HTTP/1.1 100 Continue\r\n", "any");
  yield early("HTTP/1.1 100 Continue\n\n", "any");
  for (const status of [100, 101, 102, 103, 199])
    yield {
      name: `1xx: ${status} and nothing behind it`,
      bytes: raw(`HTTP/1.1 ${status} X\r\n\r\n`),
      outcome: "failure",
    };
}

function* headers(): Generator<ResponseCase> {
  const withHeader = (name: string, lines: string, outcome: Outcome): ResponseCase => ({
    name: `header: ${name}`,
    bytes: raw(`${OK}${lines}content-length: ${LENGTH}\r\n\r\n`, BODY),
    outcome,
  });
  yield withHeader("empty value", "x-empty:\r\n", "body");
  yield withHeader("bytes beyond ASCII", "x-text: gr\xfc\xdfe\r\n", "body");
  for (const [name, line] of Object.entries({
    "no name": ": value\r\n",
    "no colon": "x-lonely\r\n",
    "a blank before the colon": "x-name : value\r\n",
    "a blank in the name": "x name: value\r\n",
    "a tab in the name": "x\tname: value\r\n",
    "a NUL in the name": "x\0name: value\r\n",
    "a NUL in the value": "x-name: va\0lue\r\n",
    "a bell in the value": "x-name: va\x07lue\r\n",
    "DEL in the value": "x-name: va\x7flue\r\n",
    "a bare CR in the value": "x-name: va\rlue\r\n",
    "a bare CR that hides a header": "x-name: a\rcontent-length: 1\r\n",
    "a bare LF in the value": "x-name: va\nlue\r\n",
    "a bare LF that hides a header": "x-name: a\ncontent-length: 1\r\n",
    "a bare LF as the line's end": "x-name: value\n",
    "CR CR LF": "x-name: value\r\r\n",
    "LF CR": "x-name: value\n\r",
    "a folded line": "x-name: one\r\n two\r\n",
    "a line folded by a tab": "x-name: one\r\n\ttwo\r\n",
    "a folded first line": " x-name: one\r\n",
    "a name of other signs": "x(name): value\r\n",
    "a name beyond ASCII": "x-gr\xfc\xdfe: value\r\n",
    "an empty line of blanks": "   \r\n",
    "a request line": "GET / HTTP/1.1\r\n",
    "a status line": "HTTP/1.1 404 Not Found\r\n",
  }))
    yield withHeader(name, line, /NUL|bare CR|hides/.test(name) ? "failure" : "any");
  for (const count of [50, 100, 200, 500, 2_000, 20_000])
    yield withHeader(`${count} of them`, "x-many: value\r\n".repeat(count), count <= 100 ? "body" : "any");
  for (const size of [1_000, 8_000, 16_000, 32_000, 64_000, 128_000, 1_000_000])
    yield withHeader(`a value of ${size} bytes`, `x-long: ${"v".repeat(size)}\r\n`, size <= 8_000 ? "body" : "any");
  for (const size of [100, 1_000, 10_000, 100_000])
    yield withHeader(`a name of ${size} bytes`, `x-${"n".repeat(size)}: v\r\n`, size <= 100 ? "body" : "any");
  for (const location of [
    "http://127.0.0.1:1/",
    "//127.0.0.1:1/",
    "/",
    "file:///etc/passwd",
    "\r\n",
    "\x01",
    "http://[",
  ])
    for (const status of [301, 302, 303, 307, 308])
      yield {
        name: `redirect ${status} to ${JSON.stringify(location)}`,
        bytes: raw(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: ${LENGTH}\r\n\r\n`, BODY),
        outcome: "any",
      };
  for (const value of ["close", "keep-alive", "Close, keep-alive", "upgrade", "x", "", "keep-alive, x, close"])
    yield withHeader(`connection: ${value}`, `connection: ${value}\r\n`, "body");
}

/** Every case, in a fixed order. */
export const RESPONSE_CASES: readonly ResponseCase[] = [
  ...statusLines(),
  ...lengths(),
  ...transferEncodings(),
  ...chunks(),
  ...informational(),
  ...headers(),
  ...surplus(),
  ...truncations(),
  ...compressions(),
];
