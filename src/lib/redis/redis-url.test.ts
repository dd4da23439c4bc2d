import { expect, test } from "bun:test";
import { parseRedisUrl } from "./redis-url.ts";

const NO_LOGIN = { username: null, password: null };
const TRUSTED = { ca: null, cert: null, key: null };

test("a single server keeps its address; files of TLS are taken out of it", () => {
  expect(parseRedisUrl("redis://:p%40ss@h:1/2")).toEqual({ form: "single", url: "redis://:p%40ss@h:1/2", tls: null });
  expect(parseRedisUrl("rediss://h:1")).toEqual({ form: "single", url: "rediss://h:1", tls: TRUSTED });
  expect(parseRedisUrl("rediss://h:1/0?ssl_ca_certs=/a.pem&ssl_certfile=/c.pem&ssl_keyfile=/k.pem")).toEqual({
    form: "single",
    url: "rediss://h:1/0",
    tls: { ca: "/a.pem", cert: "/c.pem", key: "/k.pem" },
  });
  expect(parseRedisUrl("valkey://h")).toMatchObject({ form: "single", tls: null });
});

test("Sentinel: hosts, master, database, both logins and TLS", () => {
  expect(parseRedisUrl("redis+sentinel://a:1,b,[::1]:3/main")).toEqual({
    form: "sentinel",
    sentinels: [
      { host: "a", port: 1 },
      { host: "b", port: 26_379 },
      { host: "::1", port: 3 },
    ],
    ...{ master: "main", database: 0, login: NO_LOGIN, sentinelLogin: NO_LOGIN, tls: null },
  });
  const url = "rediss+sentinel://u:p%3A@a/main/4?sentinel_username=s&sentinel_password=t&ssl_ca_certs=/a.pem";
  expect(parseRedisUrl(url)).toMatchObject({
    ...{ database: 4, login: { username: "u", password: "p:" }, sentinelLogin: { username: "s", password: "t" } },
    tls: { ...TRUSTED, ca: "/a.pem" },
  });
});

test("Cluster: some of its nodes", () => {
  expect(parseRedisUrl("redis+cluster://:secret@a:7000,b")).toEqual({
    form: "cluster",
    nodes: [
      { host: "a", port: 7000 },
      { host: "b", port: 6379 },
    ],
    ...{ login: { username: null, password: "secret" }, tls: null },
  });
});

test.each([
  ["http://h", "must be an address such as"],
  ["redis+sentinel://a:1", "names no master"],
  ["redis+sentinel://a:1/main/x", 'database "x"'],
  ["redis+sentinel://a:99999/main", '"a:99999" where HOST:PORT'],
  ["redis+sentinel://a,/main", '"" where HOST:PORT'],
  ["redis+sentinel://a/main?timeout=3", 'unknown parameter "timeout"'],
  ["redis+cluster://a/1", "only database 0"],
  ["redis+cluster://a?ssl_ca_certs=/x", "without TLS"],
  ["rediss://a?ssl_certfile=/x", "both ssl_certfile and ssl_keyfile"],
  ["redis+cluster://u:%zz@a", "percent-encoded"],
])("%s is refused", (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message);
});
