/** What the table of docs/operate/security.md calls absent is not there: no package for it, no word of it in the code, no route. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { dependencies, devDependencies } from "../../package.json";
import { allVariables } from "../../src/server/config.ts";
import { isTestFile, readSources, withoutComments } from "../checks/source.ts";

const packages = Object.keys({ ...dependencies, ...devDependencies });
const sources = readSources()
  .filter(({ path }) => /^(src|db|ui)\//.test(path) && !isTestFile(path))
  .map(({ path, text }) => ({ path, text: withoutComments(text) }));

/** Files with the pattern and packages with it in their name. */
const find = (pattern: RegExp): string[] => [
  ...packages.filter((name) => pattern.test(name)),
  ...sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path),
];

test("there is no XPath or LaTeX", () => {
  expect(find(/\bxpath\b|\blatex\b/i)).toEqual([]);
});

test("there is no JNDI, no memcache and no format string", () => {
  expect(find(/\bjndi\b|\bmemcached?\b|\bsprintf\b|\butil\.format\(/i)).toEqual([]);
});

test("there is no code of ours outside the memory-safe runtime", async () => {
  expect(find(/bun:ffi|\bdlopen\(|process\.binding|node-gyp/)).toEqual([]);
  const glob = new Bun.Glob("{src,db,ui,scripts}/**/*.{c,cc,cpp,h,rs,zig,node}");
  expect(await Array.fromAsync(glob.scan({ cwd: join(import.meta.dir, "../..") }))).toEqual([]);
});

test("there is no GraphQL", () => {
  expect(find(/\bgraphql\b/i)).toEqual([]);
});

test("there is no WebRTC, TURN or media server", () => {
  expect(find(/RTCPeerConnection|web_?rtc|\bstun:|\bturns?:[a-z]|application\/sdp|\bsrtp\b|\bdtls\b/i)).toEqual([]);
});

test("there is no telephone as a factor", () => {
  expect(find(/twilio|\bsend_?sms\b|\bsms_code\b/i)).toEqual([]);
});

test("there is no password hint and no secret question", () => {
  expect(find(/password_?hint\b(?!")|secret_?question|security_?question|mother.{0,3}s maiden/i)).toEqual([]);
});

test("the gateway's own listeners take no certificate: TLS ends at the proxy in front", () => {
  const names = allVariables().flatMap(({ defaults }) => Object.keys(defaults));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => /^(?:TLS|SSL)_|_(?:CERT|CERTIFICATE)(?:_|$)/.test(name))).toEqual([]);
  const listeners = sources.filter(
    ({ path, text }) => path.startsWith("src/") && /\bBun\.(?:serve|listen)\(/.test(text),
  );
  expect(listeners.length).toBeGreaterThan(0);
  expect(
    listeners.filter(({ text }) => /\btls\s*:|\bcert\s*:|\.listen\([^)]*tls/.test(text)).map(({ path }) => path),
  ).toEqual([]);
});

test("the processes of a host use Unix sockets and pipes alone", () => {
  const supervisor = sources.filter(({ path }) => /^src\/cli\/(?:serve\/supervisor|control)\//.test(path));
  const servers = supervisor.flatMap(({ text }) =>
    [...text.matchAll(/Bun\.serve\(\{([\s\S]{0,120})/g)].map(([, head = ""]) => head),
  );
  expect(servers.length).toBeGreaterThan(1);
  // What answers 503 at the gateway's own port while no worker does.
  const [own, among] = [servers.filter((head) => /hostname:/.test(head)), servers.filter((head) => /unix:/.test(head))];
  expect([own.length, among.length]).toEqual([1, servers.length - 1]);
  expect(own[0]).toContain("config.port");
});

test("there is no demand on how or when a provider signed somebody in", () => {
  expect(find(/acr_values|auth_time|\bmax_age=|["']amr["']|(?<!disable)RequestedAuthnContext/)).toEqual([]);
});
