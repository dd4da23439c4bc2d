import { expect, test } from "bun:test";
import { parsePostgresUrl } from "./postgres-url.ts";

test("reads login, hosts, database and parameters", () => {
  expect(parsePostgresUrl("postgres://us%40er:p%3Aw:x@one:5433,[::1],three:1/my%20db?application_name=a%20b")).toEqual({
    hosts: [
      { host: "one", port: 5433 },
      { host: "::1", port: 5432 },
      { host: "three", port: 1 },
    ],
    user: "us@er",
    password: "p:w:x",
    database: "my db",
    role: "read-write",
    tls: { mode: "disable", rootCertificate: null, certificate: null, key: null },
    parameters: { application_name: "a b" },
  });
});

test("leaves open what the address does not say", () => {
  expect(parsePostgresUrl("postgresql://")).toMatchObject({ hosts: [], user: null, password: null, database: null });
  expect(parsePostgresUrl("postgres://u@%2F1%2F2/d").hosts).toEqual([{ host: "/1/2", port: 5432 }]);
});

test.each([
  ["one", "", null],
  ["one,two", "", "read-write"],
  ["one,two", "target_session_attrs=any", null],
  ["one", "target_session_attrs=primary", "primary"],
] as const)("%s?%s wants the role %p", (hosts, query, role) => {
  expect(parsePostgresUrl(`postgres://${hosts}/d?${query}`).role).toBe(role);
});

test.each([
  ["", "disable"],
  ["sslmode=allow", "prefer"],
  ["sslmode=verify-ca", "verify-ca"],
  ["ssl=true", "verify-full"],
  ["ssl=false", "disable"],
  ["sslmode=require&sslrootcert=/ca.pem", "verify-ca"],
  ["sslrootcert=system", "verify-full"],
] as const)("?%s is the mode %s", (query, mode) => {
  expect(parsePostgresUrl(`postgres://h/d?${query}`).tls.mode).toBe(mode);
});

test.each([
  ["mysql://h/d", "not a valid address"],
  ["postgres://u:secret@h:0/d", "host or port"],
  ["postgres://u:secret@h,/d", "host or port"],
  ["postgres://u:sec%ret@h/d", "%25"],
  ["postgres://u:secret@h/d?sslmode=maybe", "sslmode"],
  ["postgres://u:secret@h/d?target_session_attrs=best", "target_session_attrs"],
  ["postgres://u:secret@h/d?sslcert=/c.pem", "sslkey"],
])("%s is refused without showing the password", (url, reason) => {
  const parse = () => parsePostgresUrl(url);
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow("sec");
});
